/**
 * What the words of a header mean, in the languages of exports: English, German, French, Spanish, Italian, Portuguese, Dutch,
 * Swedish, Danish, Norwegian, Finnish, Polish, Czech, Turkish, Russian, Japanese, Chinese, Korean. Data for header-words.ts.
 *
 * Each line is a meaning and its words, in this order of languages; "|" only separates languages. Words are in lower case and
 * without accents; "_" joins the words of a phrase, which also matches when they are written together. A word has one meaning:
 * the first. Plurals and the parts of a compound (Firmenname, 会社名) need no entry.
 */
export const LEXICON: Readonly<Record<string, string>> = {
  company:
    'company companies organization organisation org firm entity startup start_up issuer venture | unternehmen firma firmen betrieb gesellschaft | entreprise societe | empresa compania organizacion | azienda aziende societa impresa imprese ditta | companhia organizacao | bedrijf bedrijven onderneming organisatie | foretag foretaget bolag virksomhed selskab bedrift | yritys yrityksen | spolka przedsiebiorstwo firmy spolecnost | sirket sirketi kurum | компания компании организация предприятие | 会社 企業 法人 社 事業所 事業者 | 公司 企业 機構 机构 | 회사 기업 업체 | girisim girisimler | selskap selskapet spolki spolek ceg companie societatea cegnev 项目 項目 компаний aziendale aziendali unvani_firma commercant 投資先 被投企业 투자사명',
  account: 'account business | cuenta conto conta | compte | konto',
  employer:
    'employer | arbeitgeber | employeur | empleador | datore_lavoro | empregador | werkgever | arbetsgivare arbejdsgiver arbeidsgiver | tyonantaja | pracodawca zamestnavatel | isveren | работодатель | 雇用主 | 雇主 用人单位',
  brand: 'brand | marke | marque | marca | merk | varumarke | brandi | marka',
  customer:
    'customer client | kunde | cliente | klant | kund | asiakas | klient | musteri | клиент | 顧客 取引先 | 客户 | 고객 고객사',
  legal:
    'legal_name registered_name raison_sociale razon_social ragione_sociale razao_social denominazione denominacion denomination firmenbezeichnung firmierung 商号 社名 企業名 公司名称 상호 | firma_unvani ticaret_unvani nazov_firmy nombre_comercial 公司简称 企业简称 公司全称 企业全称 正式名称',
  name: 'name | nom | nombre | nome | naam | namn navn | nimi | nazwa nazev jmeno | ad adi isim | название имя наименование | 名 名前 名称 | 名字 名稱 | 이름 명 | nazov nume nev ime',
  full_name:
    'vor_nachname vor_und_nachname nombre_y_apellidos imie_i_nazwisko full_name fullname display_name name_surname | nom_complet nom_prenom | nombre_completo nombre_apellido nombre_apellidos | nome_completo nome_cognome | volledige_naam | vollstandiger_name vorname_nachname | imie_nazwisko | ad_soyad adi_soyadi | фио | 氏名 | 姓名 | 성명 성함 | nome_cognome 表示名 投稿者名',
  first_name:
    'first_name given_name forename | vorname | prenom | primer_nombre | nome_proprio | voornaam | fornamn fornavn | etunimi | imie | имя_отчество',
  last_name:
    'last_name family_name surname | nachname familienname zuname | nom_famille | apellido apellidos | cognome | sobrenome apelido | achternaam | efternamn efternavn etternavn | sukunimi | nazwisko prijmeni | soyad soyadi | фамилия | 姓',
  title:
    'title | titel | titre | titulo | titolo | overskrift tittel | otsikko | tytul titulek | baslik basligi | заголовок | タイトル 題名 件名 表題 | 标题 標題 题目 | 제목 타이틀 | intitule',
  headline:
    'headline head_line news_title manchete | uberschrift schlagzeile | titular | koptekst kop | rubrik | naglowek | 見出し | 头条 | 헤드라인',
  role: 'position role occupation | beruf berufsbezeichnung funktion | fonction | puesto cargo | posizione ruolo qualifica mansione | functie rol | befattning stilling | tehtavanimike | stanowisko pozice | pozisyon unvan unvani gorev gorevi | должность | 役職 肩書 肩書き | 职位 職位 职务 职称 | 직책 직위 직함 직무 | funcao funcion puesto_trabajo stanowiska pozicia',
  job: 'offre ofertas oferty ofert offerte annonce_emploi job jobs vacancy vacancies opening openings job_posting job_ad job_post jobposting | stelle stellen stellenanzeige stellenangebot ausschreibung | poste offre_emploi emploi | vacante empleo oferta_empleo oferta_trabajo | offerta_lavoro lavoro | vaga vagas emprego | vacature vacatures baan | jobb tjanst jobannonce | tyopaikka | oferta_pracy oferta ogloszenie praca | is_ilani ilan | вакансия | 求人 職種 募集職種 募集 | 岗位 招聘 | 채용 채용공고 공고 모집 | posting annons annonser ogloszenia oglosz вакансии 募集内容 | offerta offerte nabidka nabidky',
  job_title:
    'job_title job_name posting_title vacancy_title | stellenbezeichnung stellentitel jobtitel jobbezeichnung positionsbezeichnung | intitule_poste intitule_offre | nombre_puesto titulo_puesto | titolo_lavoro | titulo_vaga nome_vaga | functietitel functienaam vacaturetitel | jobbtitel stillingsbetegnelse stillingstittel | nazwa_stanowiska tytul_oferty | is_unvani pozisyon_adi | должности | 職務名 職種名 求人タイトル | 职位名称 岗位名称 | 채용제목 공고명 직무명 | название_вакансии',
  person:
    'actor engager commenter liker reactor person people lead contact member prospect user engaged_user sharer attendee participant profile_owner | nutzer benutzer kommentator ansprechpartner kontakt person | personne utilisateur contacto persona | usuario | utente contatto | pessoa usuario contato | persoon gebruiker contactpersoon | anvandare bruker bruger | henkilo | osoba uzytkownik | kisi kullanici | пользователь контакт | ユーザー 担当者 | 用户 联系人 评论者 评论人 留言者 点赞者 转发者 | 사용자 담당자 who wer qui quien chi quem wie kto vem hvem',
  author:
    'author creator poster posted_by post_author commented_by | autor verfasser | auteur | autore | forfattare forfatter | kirjoittaja | yazar | автор | 投稿者 著者 | 作者 发布者 | 작성자 저자 | 작성자명',
  reviewer: 'reviewer reviewed_by consumer | rezensent bewerter | resenador | recensore | avaliador | yorumcu',
  handle:
    'handle username user_name screen_name nickname | benutzername | pseudo | gebruikersnaam | kullanici_adi | 昵称 | スクリーンネーム アカウント名 アカウント 账号 帐号 계정 계정명 conto_utente',
  domain:
    'domain | domane | domaine | dominio | domein | doman domaene | domena | alan_adi | домен | ドメイン | 域名 | 도메인',
  web: 'website web site web_site homepage home_page web_address web_link website_link hostname host | webseite internetseite internetadresse webadresse internetauftritt | site_web site_internet | sitio_web sitio pagina_web | sito_web sito sito_internet | websait | hemsida webbplats webbsida webbadress hjemmeside netside nettside nettsted | verkkosivu verkkosivut kotisivu kotisivut www | strona_www strona_internetowa strona witryna stranky | web_sitesi internet_sitesi site_adresi websitesi | сайт веб_сайт | ホームページ ウェブサイト ウェブ サイト 公式サイト | 网站 官网 官方网站 網站 网址 | 웹사이트 홈페이지 사이트 | weboldal webova_stranka stranka webove_stranky コーポレートサイト | verkkosivusto',
  url: 'url urls uri link links href hyperlink web_url | verknupfung | lien liens | enlace enlaces vinculo | collegamento | ligacao | koppeling | lank lenke | linkki | odnosnik odkaz | baglanti baglantisi adresi | ссылка | リンク | 链接 連結 | 링크 주소링크 | 原文链接 详情链接 원문 바로가기',
  permalink: 'permalink perma_link permanent_link',
  page: 'page webpage landing_page | seite | pagina | sida side | sayfa | ページ | 页面 | 페이지',
  profile:
    'profile | profil | perfil | profilo | profiel | profiili | profili | профиль | プロフィール | 个人资料 主页 | 프로필 | 个人主页 主页链接',
  linkedin: 'linkedin li_url li_profile',
  network_account:
    'twitter facebook instagram youtube tiktok xing crunchbase_url crunchbase_profile github angellist wellfound medium blog telegram whatsapp wechat line_id skype | фейсбук',
  post: 'post posts tweet tweets status_update update activity_post | beitrag beitrage | inlagg opslag innlegg | julkaisu | wpis | gonderi paylasim | пост запись | 投稿 ポスト | 帖子 动态 微博 笔记 | 게시물 게시글 포스트 | ツイート つぶやき 推文 트윗 tuit tuits | berichten posta_wpis wpisu gonderi_metni bericht_post',
  project: 'project | projekt projektu | projet | proyecto | progetto | projeto | prosjekt | proje | проект',
  publication: 'publication | publicacion | publicacao | pubblicazione',
  video: 'video | videos | film | 動画 ビデオ | 视频 | 동영상 영상 비디오',
  comment:
    'comment commentary reply replies reply_text | kommentar antwort | commentaire reponse | comentario respuesta | commento risposta | resposta | reactietekst opmerking | kommentarer | kommentti | komentarz | yorum yorumu | комментарий | コメント 返信 | 评论 留言 回复 | 댓글 코멘트 답글 | reactie reacties yorum_metni odpowiedz respostas respuestas リプライ komentar',
  reaction:
    'reaction interaction engagement | reaktion interaktion | reaccion interaccion | reazione interazione | reacao interacao | interactie | reaksjon | reaktio | reakcja interakcja | tepki etkilesim | реакция | リアクション 反応 | 互动 反应 | 반응 참여 | interakce',
  like: 'like liked favorite favourite favorited | gefallt_mir | j_aime | me_gusta | mi_piace | curtida | gilla gillad | polubienie | begeni | лайк | いいね | 点赞 赞 | 좋아요 vind_ik_leuk lubie_to polubil synes_godt_om takk лайков 赞同',
  repost:
    'repost retweet reshare share shared | geteilt | partage | compartido | condivisione | compartilhamento | gedeeld | delning deling | udostepnienie | репост | リツイート リポスト シェア | 转发 分享 | 공유 리트윗 republication reposten compartir 引用 인용 republicacion compartidos delt jaettu sdileni',
  mention:
    'mention tagged | erwahnung | mencion | menzione | mencao | vermelding wzmianka omnamnande omtale bahsetme maininta упоминание メンション 言及 提及 언급 zminka',
  acted:
    'engaged commented reacted replied commented_at liked_at reacted_at engaged_at replied_at reposted shared_at mentioned kommentiert reagiert',
  action: 'action | aktion | accion | azione | acao | actie | handling | eylem',
  activity: 'activity | aktivitat',
  network:
    'platform network social_network social_platform social_media socials | netzwerk plattform soziales_netzwerk | reseau plateforme reseau_social | plataforma red_social | piattaforma | rede_social | netwerk | alusta | sosyal_medya platformu | соцсеть платформа | プラットフォーム | 平台 | 플랫폼 serwis_spolecznosciowy',
  channel: 'channel media_type medium_type | kanal | canal | canale | kanaal',
  employees:
    'employee employees staff headcount head_count workforce personnel fte ftes team_size emps | mitarbeiter mitarbeitende mitarbeitenden beschaftigte belegschaft angestellte | effectif effectifs salaries employes collaborateurs | empleados plantilla trabajadores | dipendenti addetti | funcionarios colaboradores empregados | medewerkers werknemers personeel personeelsleden | anstallda medarbetare ansatte medarbejdere | tyontekijat tyontekijaa henkilosto henkilostomaara | pracownikow pracownicy zatrudnienie zatrudnionych zamestnancu zamestnanci | calisan calisanlar personel | сотрудников сотрудники персонал | 従業員 社員 職員 | 员工 人员 職員人數 | 직원 임직원 사원 종업원 사원수 인원 | porte_empresa',
  count:
    'count number num no nr n qty quantity | anzahl zahl | numero cantidad | quantita | quantidade | aantal | antal antall | lukumaara maara | liczba ilosc pocet | sayi sayisi adedi | число количество | 数 人数 | 数量 人數 | 수',
  size: 'size | grosse | taille | tamano | dimensione dimensioni | tamanho porte | grootte omvang | storlek storrelse | koko | wielkosc rozmiar velikost | buyukluk buyuklugu olcek | размер | 規模 | 规模 | 규모',
  range:
    'range band bracket bucket | klasse | tranche | rango | fascia | faixa | aralik araligi | レンジ | 范围 | 범위 | classe clase',
  industry:
    'industry industries vertical naics_description sic_description naics_title sic_title | branche branchen industrie wirtschaftszweig wirtschaftszweige | rubro giro | bedrijfstak | bransch naering | toimiala | branza branzy odvetvi obor | endustri | отрасль индустрия | 業種 業界 産業 | 行业 行業 产业 所属行业 | 산업 업종 산업군 | industria | ramo | ramo_atividade setor_atuacao tatigkeitsbereich tatigkeitsfeld domaine_activite comparto faaliyet_alani faaliyet 事業分野 行业分类 所属领域 领域 所属行业 事業内容分野 branchenzugehorigkeit geschaftsfeld dikey',
  sector: 'sector | sektor | secteur | settore | setor | sektoru | сектор | 分野 | 赛道 | 분야 | segmento',
  trade: 'activite | actividad | attivita | atividade | dzialalnosci',
  category:
    'category | kategorie | categorie | categoria | kategori kategoria | категория | カテゴリ カテゴリー | 类别 分类 | 카테고리 분류',
  location:
    'location locations located place geo geography | standort standorte arbeitsort einsatzort | localisation lieu lieux | ubicacion localizacion lugar | luogo ubicazione | localizacao local | locatie vestiging vestigingsplaats standplaats | plats placering lokation arbeidssted arbetsort sted | sijainti paikka | lokalizacja miejsce | konum lokasyon konumu yer | местоположение расположение | 所在地 勤務地 場所 就業場所 | 地点 位置 工作地点 | 위치 소재지 근무지 장소 | lieu_travail lugar_trabajo centro_trabajo local_trabalho miejsce_pracy arbejdssted luogo_lavoro 所在地区 勤務エリア 工作城市 근무지역 지역명 | lokalita sede_lavoro lieu_poste misto misto_prace 注册地 登记地',
  hq: 'hq headquarter headquarters head_office main_office | hauptsitz firmensitz sitz unternehmenssitz zentrale | siege siege_social | sede sede_social sede_central sede_legale matriz | hoofdkantoor hoofdzetel zetel | huvudkontor hovedkontor hovedsaede | paakonttori kotipaikka | siedziba sidlo | merkez merkezi genel_merkez | штаб_квартира | 本社 本社所在地 | 总部 总部所在地 | 본사 본사위치',
  address:
    'address | adresse anschrift | adresa | direccion domicilio | indirizzo | endereco | adres | adress | osoite | адрес | 住所 | 地址 | 주소',
  city: 'city town | stadt ort | ville commune | ciudad localidad | citta comune localita | cidade municipio | plaats stad gemeente woonplaats | stad poststed kommune | kaupunki paikkakunta | miasto miejscowosc mesto | sehir sehri il ilce | город | 市 都市 市区町村 | 城市 所在城市 | 도시',
  country:
    'country nation | land staat | pays | pais | paese nazione | maa | kraj panstwo zeme | ulke ulkesi | страна | 国 国名 | 国家 國家 | 국가 나라 | paises',
  region:
    'region state province state_province county | bundesland kanton | departement | provincia comunidad | regione | estado regiao uf | provincie regio | lan fylke | maakunta | wojewodztwo | bolge | регион область | 都道府県 地域 | 省份 省 地区 | 지역',
  date: 'date day when | datum | fecha dia | data | dato | paivamaara paiva pvm | tarih tarihi | дата | 日 日付 年月日 | 日期 | 날짜 일자 일 wann cuando quando wanneer kiedy nar hvornar milloin quand',
  time: 'time timestamp datetime date_time | zeit zeitpunkt zeitstempel uhrzeit | heure horodatage horodateur | hora fecha_hora | ora data_ora | data_hora | tijd tijdstip | tid tidspunkt | aika | czas | saat zaman | время | 日時 時刻 | 时间 時間 | 시간 일시 시각 | 作成日時',
  announced:
    'announced published publish publishing posted listed released reported occurred happened observed publicated postdate | veroffentlicht veroffentlichung bekanntgabe bekannt_gegeben erscheinungs erschienen gemeldet meldung eingestellt ereignisdatum | annonce annoncee publie publiee parution mise_ligne | anuncio anunciado publicado publicada | pubblicato pubblicata annuncio annunciato | gepubliceerd geplaatst publicatie aankondiging | publicerad publicerat publicering offentliggjort udgivet publisert | julkaistu julkaisupaiva julkaisuaika | opublikowano opublikowania publikacji publikacja ogloszenia ogloszono zverejneno | yayin yayinlanma yayinlandi ilan_tarihi duyuru duyurulma | опубликовано публикации публикация | 掲載 公開 発表 公表 配信 プレスリリース日 | 发布 发表 公布 宣布 披露 公告 | 게시 발표 등록 공개 게재 보도 | pub postagem postado | ankundigung ankundigungs meldedatum erstveroffentlichung online_seit annonsering annonserad publiceret publicerades dodano_dnia geplaatst_op operation_date 報道 배포 | data_dodania | pubblicato_il | zverejneni zverejneno notice avviso',
  detected:
    'detected detection discovered found seen identified first_seen spotted | erkannt entdeckt gefunden | detecte decouvert | detectado | rilevato | gedetecteerd | wykryto | 検出 検知 | 检测 发现 | 감지 발견',
  created:
    'created creation create added add modified updated imported crawled scraped extracted extract retrieved synced | erstellt angelegt erfasst geandert | cree ajoute | creado creada agregado | creato aggiunto | criado | aangemaakt toegevoegd | skapad oprettet opprettet | luotu | utworzono utworzenia dodano vytvoreno | olusturulma olusturuldu | создано создан | 作成 更新 取得 | 创建 更新时间 抓取 | 생성 수정 수집 작성 | 작성일 dodane | ',
  funding:
    'funding financing fundraise fundraising raise_funding | finanzierung | financement | financiacion | finanziamento | financiamento | financiering | finansiering | rahoitus | finansowanie finansowania | finansman | финансирование | 資金調達 | 融资 融資 投融资 | 투자유치 펀딩 자금조달 forder fordermittel zuwendung subvention subvencion ayuda sovvenzione subvencao fomento subsidie dotacja dofinansowanie subsidy hibe bidrag stod tilskud субсидия 補助金 助成金 补贴 资助 补助 보조금 지원금',
  investment:
    'investment | investition | investissement | inversion | investimento | investering | sijoitus | inwestycja inwestycji | yatirim | инвестиции инвестиций | 投資 | 投资 | 투자 | investerat investerade',
  raised:
    'raised raise | eingesammelt eingeworben aufgenommen | leve levee leves levees | levantado levantada recaudado recaudada captado captada obtenido | raccolto raccolta raccolti | opgehaald ophaalde | rest hentet | keratty | pozyskana pozyskane pozyskano zebrana | toplanan alinan | привлечено привлекли | 調達 | 募集金额 筹集 | 유치 | recibida recibido',
  funded: 'funded',
  amount:
    'amount sum volume amt | betrag summe hohe volumen | montant somme | importe monto valor | importo valore cifra somma | montante quantia | bedrag som | belopp belob belop | summa | kwota wartosc suma castka | tutar tutari miktar miktari | сумма объем | 金額 額 | 金额 额 额度 | 금액 액 | ammontare castka importes',
  value: 'value | wert | valeur | waarde | varde verdi',
  money:
    'money capital fund | kapital gelder | fonds capitaux | capital | capitale | kapitaal | kapitaali | kapitalu | sermaye | капитал | 資金 | 资金 | 자금',
  round:
    'transaction round rounds funding_round | runde finanzierungsrunde | tour | ronda | rodada | ronde | runda | kierros | turu tur | раунд | ラウンド | 轮次 轮 | 라운드 | series serie | rundans rundy rundans rundens',
  stage: 'stage phase | fase | etapa | etap | asama | стадия | ステージ | 阶段 | 단계 | stade',
  deal: 'deal | transaktion | operation_capital | operacion operazione operacao | transactie | transakcja | islem | сделка | 取引 | 交易 | 거래 딜',
  opportunity:
    'opportunity | opportunite | oportunidad | opportunita | oportunidade | verkaufschance | szansa | firsat | 商談 案件 | 商机 | 영업기회',
  last: 'last latest recent newest most_recent | letzte letzter letztes letzten | dernier derniere | ultimo ultima | laatste meest_recente | senaste seneste siste | viimeisin | ostatnia ostatni posledni | son | последний последняя | 最新 最近 最終 直近 | 上次 | 최근 최종 최신',
  first:
    'first initial earliest | erste erster erstes erstmals | premier premiere | primero primera | primo prima | primeiro primeira | eerste | forsta forste | pierwszy pierwsza | ilk | первый | 初回 | 首次 | 최초',
  total:
    'total cumulative lifetime to_date | gesamt insgesamt gesamte | totale | totaal | totalt samlet | yhteensa | lacznie laczna celkem | toplam | всего общий | 合計 累計 総 | 总 总额 累计 | 누적 총',
  estimated:
    'estimated est approx approximate | geschatzt ca | estime | estimado | stimato | geschat | 推定 | 预计 | 추정',
  main: 'direct primary main current principal associated related hiring target portfolio official corporate | aktuell aktuelle haupt | actuel actuelle | actual | attuale | atual | huidige | nuvarande navaerende | obecna obecny | mevcut resmi | 現在 主要 公式 | 当前 | 현재 | contratante anunciante コーポレート 対象 一级 completo completa complet complete vollstandig original originale orijinal 元 原',
  short:
    'short brief long full | kurz | courte longue | | kort | krotki | kisa | 短い 詳細な | 简短 | corta breve larga curto curta completa',
  description:
    'description desc | beschreibung kurzbeschreibung | descripcion | descrizione | descricao | omschrijving beschrijving | beskrivning beskrivelse | kuvaus | opis popis | aciklama aciklamasi tanim | описание | 説明 概要 紹介 事業内容 | 简介 描述 介绍 说明 | 설명 개요 소개 | descriptif job_description 仕事内容 職務内容 業務内容 募集内容 opis_stanowiska stillingsbeskrivelse rolebeschreibung 工作内容 任职要求 직무내용 담당업무 주요업무 | is_tanimi | popis_prace popis_pozice',
  summary:
    'summary abstract synopsis snippet excerpt details detail teaser lead_text | zusammenfassung auszug | resume extrait chapeau precisions | resumen extracto | resumo | riassunto sommario sintesi estratto | samenvatting | sammanfattning resume_ sammendrag | tiivistelma yhteenveto | podsumowanie streszczenie | ozet ozeti | аннотация | 要約 抜粋 詳細 | 摘要 概述 详情 | 요약 상세 상세내용',
  about:
    'about overview tagline blurb one_liner bio | uber_uns | a_propos | acerca | chi_siamo | sobre | over_ons | om_os | hakkinda',
  text: 'text sentence content body full_text body_text text_display text_original | inhalt volltext | texte contenu corps | texto contenido cuerpo | testo contenuto corpo | conteudo | tekst inhoud | innehall indhold innhold | teksti sisalto | tresc | metin icerik icerigi | текст содержание | 本文 テキスト 内容 | 文本 正文 | 텍스트 본문 내용 | metni metin_',
  message:
    'message | mensaje | messaggio | mensagem | bericht_tekst | meddelande | viesti | wiadomosc | mesaj | сообщение | メッセージ | 消息 | 메시지',
  notes:
    'notes note remarks remark | notizen notiz anmerkung anmerkungen bemerkung bemerkungen | remarque remarques | observaciones notas | osservazioni | observacoes | opmerkingen notities | anteckningar notater | huomautukset | uwagi poznamky | notlar | примечание заметки | 備考 メモ | 备注 | 비고 메모',
  news: 'news article articles story stories press press_release newsletter_item | artikel nachricht nachrichten pressemitteilung | actualite actualites actu | noticia noticias | articolo notizia notizie comunicato | nieuws nieuwsbericht bericht | nyhet nyheter nyhed pressmeddelande | uutinen artikkeli | artykul aktualnosci clanek | haber haberi makale | новость статья | ニュース 記事 プレスリリース | 新闻 文章 | 뉴스 기사 보도자료 | статью статьи 原文 plataforma_noticia | tender bekanntmachung gara appalto',
  source:
    'source sources origin provenance | quelle herkunft | fuente | fonte | bron | kalla kilde | lahde | zrodlo zdroj | kaynak | источник | 出典 ソース 情報源 媒体 | 来源 出处 來源 | 출처 소스 매체 | medium_quelle',
  signal:
    'signal trigger buying_signal intent_signal | signaux | senal | segnale | sinal | signaal | sygnal | sinyal | シグナル | 信号 | 시그널 신호',
  event:
    'announcement event what_happened occasion | ereignis anlass | evenement | evento suceso | gebeurtenis | handelse hendelse begivenhed | tapahtuma | wydarzenie zdarzenie udalost | olay etkinlik | событие | イベント 出来事 | 事件 | 이벤트 was_ist_passiert que_paso que_s_est_il_passe cosa_e_successo wat_is_er_gebeurd co_sie_stalo',
  family: 'family group | familie gruppe | famille groupe | familia grupo | famiglia gruppo',
  topic: 'topic theme | thema | tema theme | temat | konu | テーマ トピック | 主题 话题 | 주제',
  type: 'type kind | typ art | tipo tipologia | soort | slag | tyyppi | rodzaj | tip | тип вид | 種類 種別 タイプ | 类型 種類型 | 유형 종류 타입 구분',
  review:
    'g2 capterra trustpilot review testimonial feedback | bewertung rezension | avis | resena opinion | recensione opinione | avaliacao | beoordeling recensie | recension omdome anmeldelse | arvostelu | recenzja opinia | inceleme degerlendirme | отзыв | レビュー 口コミ | 点评 评价 | 리뷰 후기 평가',
  hot: 'hotness heat hot temperature intent buying_intent buyer_intent strength',
  warm: 'warmth warm | warme | chaleur | calor | calore | warmte',
  score:
    'score points rank grade | punkte punktzahl | puntuacion | punteggio | pontuacao | wynik | puan | スコア | 得分 | 점수',
  tech: 'technology technologies tech tech_stack stack | technologie technologien | tecnologia tecnologias | teknologi teknik | technologia | teknoloji | 技術 | 技术 | 기술',
  visit:
    'visit visited visits last_visited session | besuch | visite visita | bezoek | besok besog | wizyta | ziyaret | 訪問 | 访问 | 방문',
  assignee: 'assignee applicant patent_owner',
  recipient:
    'recipient grantee awardee beneficiary | empfanger | beneficiaire | beneficiario begunstigter | ontvanger begunstigde | mottagare modtager | beneficjent odbiorca | alici | получатель | 受給者 | 受益人 | 수혜자',
  subject: 'subject subject_line | betreff | objet | asunto | oggetto | assunto | onderwerp',
  acquirer:
    'acquirer buyer acquiring acquired_by | kaufer erwerber | acquereur | comprador adquirente | acquirente | koper | kopare',
  acquiree: 'acquiree acquired_company target_company seller | ubernommen',
  email:
    'email e_mail mail email_address work_email | correo_electronico correo | courriel | posta_elettronica | e_post epost | sahkoposti | eposta e_posta | почта | メール メールアドレス | 邮箱 电子邮件 | 이메일 메일',
  founded:
    'founded founding foundation year_founded incorporated incorporation established launch launched birth | gegrundet grundung grundungs | fonde fondation date_creation_entreprise immatriculation | fundada fundado fundacion constitucion | fondata fondazione costituzione | fundacao abertura | opgericht oprichting | grundat grundad stiftet etableret | perustettu perustamis | zalozenia zalozono zalozeno | kurulus kurulusu | основан | 設立 創業 創立 | 成立 创立 | 설립 창립',
  future:
    'close closing closed closes expected due deadline expiry expires expiration valid_until next start end renewal ends scheduled | frist ablauf enddatum naechste abschluss | echeance cloture expiration | cierre vencimiento limite | scadenza chiusura | fechamento encerramento prazo | sluiting deadline verloopt | slut | termin waznosci konca | bitis son_basvuru | 締切 期限 | 截止 到期 | 마감 만료',
  person_detail:
    'department departments seniority skill skills experience education gender age birthday connection degree connected follower followers following | abteilung | anciennete | departamento | kenntnisse',
  analytics: 'impressions clicks click ctr click_through',
  measure:
    'views view rate percentage percent probability views_count pageviews bounce duration length revenue revenues turnover umsatz chiffre_affaires ingresos facturacion fatturato ricavi faturamento receita omzet omsattning omsetning obrot przychody ciro выручка 売上 売上高 营收 收入 매출 매출액 arr valuation post_money pre_money valorisation valoracion valutazione market_cap price prix precio prezzo preco prijs sentiment ave interest growth min max average avg median change delta spend budget profit ebitda aufrufe vues visualizaciones visualizzazioni visualizacoes weergaven 再生 浏览 조회 | reach',
  code: 'id ids identifier uuid guid urn key code codes sic naics siren siret vat tax cik isin ticker symbol zip postal postcode plz cep cap zipcode latitude longitude lat lng street house registration_number iban duns cnpj cif nif nip regon krs ape naf orgnr ytunnus kvk index row rank_number hash token number_id sku version | 番号 | 编号 | 번호 | kennung identifiant identificador identificatore',
  people_of:
    'owner founder founders cofounder ceo cfo cto executive manager recruiter rep assigned influencer editor journalist organizer director directors dirigeants dirigeant besitzer zustandiger grunder geschaftsfuhrer propietario fundador fundadores fondateur fondateurs fondatore fondatori kurucu kurucular основатель 创始人 창업자 대표자 대표 代表 代表者 法定代表人 zalozyciel zalozyciele grundare eier yhteyshenkilo',
  investor:
    'investor backer vc lead_investor | investoren geldgeber | investisseur | inversor inversores inversionista | investitore investitori | investidor investidores | investeerder | investerare | inwestor inwestorzy | yatirimci yatirimcilar | инвестор инвесторы | 投資家 投資者 引受先 | 投资方 投资机构 | 투자자 투자사',
  salary:
    'salary compensation pay wage | gehalt verdienst | salaire remuneration | salario sueldo | stipendio retribuzione | remuneracao | salaris | lon | palkka | wynagrodzenie zarobki plat mzda | maas ucret | зарплата | 給与 年収 月給 | 薪资 薪水 薪酬 | 급여 연봉',
  contract:
    'contract employment_type job_type work_type schedule remote hybrid seniority_level workplace_type | anstellungsart beschaftigungsart arbeitszeit vertragsart homeoffice | contrat teletravail | contrato jornada modalidad | contratto | dienstverband contractvorm | anstallningsform ansettelsesform | umowa umowy wymiar etat | calisma_sekli | 雇用形態 勤務形態 | 用工类型 工作性质 | 고용형태 근무형태 경력',
  rating:
    'rating ratings stars star | sterne | note_globale | calificacion | valutazione_media | beoordelingscijfer | ocena | puanlama | 評価 | 评分 | 평점 별점',
  publisher:
    'publisher outlet newspaper media_name | verlag medium | editeur | medio editorial | editore testata | editora veiculo | uitgever | utgivare | wydawca | yayinci | 出版社 掲載媒体 | 发布媒体 媒体 | 언론사 매체사',
  year: 'year month week quarter | jahr monat | annee mois | ano mes | anno mese | jaar maand | ar vuosi rok | yil yili ay | год | 年 | 年份 | 연도 년도',
  media:
    'logo image images img picture photo photos avatar thumbnail icon cover banner attachment file screenshot bild foto imagen immagine imagem 画像 图片 이미지 사진',
  state_of:
    'status lifecycle pipeline forecast flag is_ has_ active archived priority label labels tag tags tagged_with keyword keywords hashtag hashtags list lists segment campaign territory language languages lang locale timezone lingua idioma langue sprache taal jezyk dil 言語 语言 언어 ステータス 状态 상태 statut estado_registro stato_record verified ',
  other_company:
    'parent subsidiary competitor competitors partner vendor supplier agency customer_of product products service services feature platform_product integration 製品 产品 제품 produkt produit producto prodotto produto',
  fax_phone:
    'phone phones telephone mobile tel fax cell direct_dial | telefon handy mobil | telefono movil | telefone celular | telefoon | puhelin | компьютер телефон | 電話 電話番号 | 电话 手机 | 전화 전화번호 연락처 | gsm komorka',
};
