/**
 * What words mean, in the languages of exports: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish,
 * Norwegian, Finnish, Polish, Czech, Turkish, Russian, Japanese, Chinese, Korean. The only list of such words: fields
 * (field-headers.ts) and the evidence for the type of a table (evidence/) both name meanings. Data for header-words.ts.
 *
 * Each line is a meaning and its words, in lower case and without accents; "_" joins the words of a phrase, which also matches
 * when they are written together. A word has one meaning. `post/tweet` means a post, and more precisely a tweet: fields see
 * the former, evidence sees both. Plurals, compounds (Firmenname, 会社名) and longer forms of a word need no entry.
 */
export const LEXICON = `
company: company companies organization organisation org firm startup start_up issuer venture unternehmen firma firmen betrieb gesellschaft entreprise societe empresa compania organizacion azienda aziende societa impresa imprese ditta companhia organizacao bedrijf bedrijven onderneming organisatie foretag foretaget bolag virksomhed selskab bedrift yritys yrityksen spolka przedsiebiorstwo firmy spolecnost sirket sirketi kurum компания компании организация предприятие 会社 企業 法人 社 事業所 事業者 公司 機構 회사 기업 업체 girisim girisimler selskap selskapet spolki spolek ceg companie societatea cegnev 项目 項目 компаний aziendale aziendali unvani_firma commercant 投資先 被投企业 투자사명 スタートアップ 스타트업 przedsiebiorstw webshop online_shop enseigne magazyn_internetowy 店舗名 店铺 쇼핑몰 shop_name store_name nom_boutique nombre_tienda nome_negozio nome_loja winkelnaam nazwa_sklepu magaza_adi nazev_obchodu ショップ名 business_unit obchodni_firma obchodni_nazev boite شركة الشركة perusahaan
company/entity: entity
company/exhibitor: exhibitor aussteller exposant expositor espositor exposanten wystawc 出展社 出展者 参展商 참가업체
account: account business cuenta conto conta compte konto
employer: employer arbeitgeber employeur empleador datore_lavoro empregador werkgever arbetsgivare arbejdsgiver arbeidsgiver tyonantaja pracodawca zamestnavatel isveren работодатель 雇用主 雇主 用人单位
brand: brand marke marque marca merk varumarke brandi marka
customer: customer client kunde cliente klant kund asiakas klient musteri клиент 顧客 取引先 客户 고객 고객사 dluznika debtor schuldner deudor debitore debiteur dluznik borclu 債務者 债务人 채무자
legal: legal_name registered_name raison_sociale razon_social ragione_sociale razao_social denominazione denominacion denomination firmenbezeichnung firmierung 商号 社名 企業名 公司名称 상호 firma_unvani ticaret_unvani nazov_firmy nombre_comercial 公司简称 企业简称 公司全称 企业全称 正式名称 nome_fantasia
authority/award: auftraggeber vergabestelle awarding_agency contracting_authority contracting_agency procuring_entity acheteur pouvoir_adjudicateur entidad_adjudicadora organo_contratacion organismo_contratante entidade_adjudicante orgao_contratante stazione_appaltante ente_appaltante amministrazione_aggiudicatrice aanbestedende_dienst zamawiajacy upphandlande_myndighet upphandlande_organisation ordregiver oppdragsgiver bestallare hankintayksikko ihale_makami zadavatel заказчик 発注機関 発注者 調達機関 采购人 采购单位 招标人 招标单位 採購機關 발주기관 수요기관 발주처 idare idare_adi kontraktsmyndighet 機關名稱 招標機關 orgao orgao_publico organismo_publico entidad_convocante obstaravatel ajanlatkero autoritate_contractanta организация_осуществляющая_размещение организатор_закупки заказчики organizator zamawiajacego publicador organismo_convocante entidad_contratante orgao_licitante entidade_contratante poder_adjudicador opdrachtgever besteller tilbudsindbyder upphandlare 発注機関名 采购人名称 调达机关 수요기관명 招标机构 الجهة_الحكومية الجهة
name: name nom nombre nome naam namn navn nimi nazwa nazev jmeno ad adi isim название имя наименование 名 名前 名称 名字 이름 명 nazov nume nev ime اسم nama
full_name: vor_nachname vor_und_nachname nombre_y_apellidos imie_i_nazwisko full_name fullname display_name name_surname nom_complet nom_prenom nombre_completo nombre_apellido nombre_apellidos nome_completo nome_cognome volledige_naam vollstandiger_name vorname_nachname imie_nazwisko ad_soyad adi_soyadi фио 氏名 姓名 성명 성함 表示名 投稿者名
first_name: first_name given_name forename vorname prenom primer_nombre nome_proprio voornaam fornamn fornavn etunimi imie имя_отчество
last_name: last_name family_name surname nachname familienname zuname nom_famille apellido apellidos cognome sobrenome apelido achternaam efternamn efternavn etternavn sukunimi nazwisko prijmeni soyad soyadi фамилия 姓
title: title titel titre titulo titolo tittel otsikko tytul titulek baslik basligi заголовок タイトル 題名 件名 表題 标题 题目 제목 타이틀 intitule العنوان judul
title/award: objeto_contrato objeto_contratacao objet_marche oggetto_gara oggetto_appalto voorwerp_opdracht przedmiot_zamowienia ihale_konusu predmet_zakazky предмет_закупки 案件名 采购项目 입찰공고명 사업명 contract_title tender_title 標案名稱 標案案名 採購案名 tender_subject ausschreibungstitel auftragsgegenstand
headline: headline head_line news_title manchete uberschrift schlagzeile titular koptekst kop rubrik naglowek 見出し 头条 헤드라인 overskrift nyhetsrubrikk rubrikk nyhedsoverskrift
role: position role occupation beruf berufsbezeichnung funktion fonction puesto cargo posizione ruolo qualifica mansione functie rol befattning stilling tehtavanimike stanowisko pozice pozisyon unvan unvani gorev gorevi должность 役職 肩書 肩書き 职位 职务 职称 직책 직위 직함 직무 funcao funcion puesto_trabajo stanowiska pozicia ポジション 포지션
job: offre ofertas ofert offerte annonce_emploi job jobs stelle poste emploi empleo lavoro emprego baan jobb tjanst jobannonce tyopaikka oferta praca 職種 募集職種 ogloszenia oglosz 募集内容 offerta nabidka nabidky offer
job/award: ausschreibung
job/vacancy: vacancy vacancies opening openings job_posting job_post job_opening job_ad jobposting posting jobs_posted job_board open_position open_role application_url application_deadline stellen stellenanzeige stellenangebot stellenausschreibung bewerbungsfrist offre_emploi vacante oferta_empleo oferta_trabajo offerta_lavoro vaga vagas vacature vacatures annons annonser platsannons jobopslag stillingsopslag oferta_pracy oferty ogloszenie is_ilani ilan вакансия вакансии 求人 募集 応募 招聘 岗位 채용 채용공고 공고 모집 ansogningsfrist soknadsfrist hakuaika sista_ansokningsdag termin_skladania closing_date_applications
job_title: job_title job_name jobtitel jobbezeichnung positionsbezeichnung nombre_puesto titulo_puesto titolo_lavoro nome_vaga functietitel functienaam vacaturetitel jobbtitel stillingsbetegnelse stillingstittel nazwa_stanowiska tytul_oferty is_unvani pozisyon_adi должности 職務名 職種名 求人タイトル 职位名称 岗位名称 채용제목 공고명 직무명 название_вакансии
job_title/vacancy: posting_title vacancy_title stellentitel stellenbezeichnung intitule_poste intitule_offre titulo_vaga
person: actor person people lead member prospect profile_owner personne persona pessoa persoon henkilo osoba kisi who wer qui quien chi quem wie kto vem hvem
person/commenter: commenter kommentator commentateur comentarista commentatore komentujac コメント者 评论者 评论人 留言者 评论用户 评论人昵称 留言用户 留言人
person/liker: liker reactor liked_by 点赞者
person/sharer: sharer reposter retweeter shared_by reposted_by retweeted_by 转发者
person/engager: engager engaged_user mentioned_by voter voters votant abstimmende votante glosujacy
person/user: user usuario usuarios utente nutzer benutzer utilisateur gebruiker uzytkownik anvandare bruger bruker kullanici пользователь ユーザー 用户 사용자 المستخدم pengguna
person/meeting: attendee participant participants participante
person/contact: contact kontakt ansprechpartner contacto contatto contato contactpersoon контакт 担当者 联系人 담당자
author: author creator poster post_author autor verfasser auteur autore forfattare forfatter kirjoittaja yazar автор 投稿者 著者 作者 发布者 작성자 저자 작성자명 from from_name
author/commenter: commented_by
author/editor: posted_by
reviewer: reviewer reviewed_by consumer rezensent bewerter resenador recensore avaliador yorumcu
handle: handle username user_name screen_name benutzername pseudo gebruikersnaam kullanici_adi スクリーンネーム アカウント名 アカウント 账号 帐号 계정 계정명 conto_utente pseudonyme anvandarnamn 博主 아이디 ユーザid from_username akun nama_pengguna
nickname: nickname nick 昵称 暱稱 网名 ニックネーム 닉네임 apodo apelido_usuario spitzname takma_ad roepnaam kallenavn smeknamn prezdivka lempinimi pseudonim nimimerkki
domain: domain domane domaine dominio domein doman domaene domena alan_adi домен ドメイン 域名 도메인
web: website web site web_site homepage home_page web_address web_link website_link hostname host webseite internetseite internetadresse webadresse internetauftritt site_web site_internet sitio_web sitio pagina_web sito_web sito sito_internet websait hemsida webbplats webbsida webbadress hjemmeside netside nettside nettsted verkkosivu verkkosivut kotisivu kotisivut www strona_www strona_internetowa strona witryna stranky web_sitesi internet_sitesi site_adresi websitesi сайт веб_сайт ホームページ ウェブサイト ウェブ サイト 公式サイト 网站 官网 官方网站 网址 웹사이트 홈페이지 사이트 weboldal webova_stranka stranka webove_stranky コーポレートサイト verkkosivusto
url: url urls uri link links href hyperlink web_url verknupfung lien liens enlace enlaces vinculo collegamento koppeling lank lenke linkki odnosnik odkaz baglanti baglantisi adresi ссылка リンク 链接 連結 링크 주소링크 原文链接 详情链接 원문 바로가기 رابط الرابط tautan
permalink: permalink perma_link permanent_link
page: page webpage seite pagina sida side sayfa ページ 页面 페이지
page/visit: landing_page recent_page
profile: profile profil perfil profilo profiel profiili profili профиль プロフィール 个人资料 主页 프로필 个人主页 主页链接
linkedin: linkedin li_url li_profile
network_account: twitter facebook xing github angellist wellfound medium blog telegram whatsapp wechat line_id skype фейсбук
network_account/directory: crunchbase crunchbase_url crunchbase_profile pitchbook dealroom cb_rank
network_account/youtube: youtube
network_account/reddit: reddit subreddit
network_account/instagram: instagram 인스타 인스타그램 インスタ
network_account/tiktok: tiktok aweme digg_count
post: post posts status_update update activity_post beitrag beitrage inlagg opslag innlegg julkaisu wpis gonderi paylasim пост запись 投稿 ポスト 帖子 动态 微博 笔记 게시물 게시글 포스트 berichten posta_wpis wpisu gonderi_metni bericht_post 贴文 貼文
post/tweet: tweet tweets tuit tuits ツイート つぶやき 推文 트윗
project: project projekt projektu projet proyecto progetto projeto prosjekt proje проект
publication: publication publicacion publicacao pubblicazione
video: video videos film 動画 ビデオ 视频 동영상 영상 비디오
video/instagram: reel reels
comment: comment commentary kommentar commentaire comentario commento reactietekst opmerking kommentarer kommentti komentarz yorum yorumu комментарий コメント 评论 留言 댓글 코멘트 reactie reacties yorum_metni komentar text_display o_que_comentou que_comento que_dijo ce_qu_il_a_dit cosa_ha_scritto was_geschrieben wat_geschreven co_napisal what_they_wrote what_they_said comentou التعليق تعليق komen
reply: reply replies reply_text in_reply_to antwort antworten reponse respuesta respuestas risposta resposta respostas 返信 リプライ 回复 답글 odpowiedz svar vastaus yanit yanitlar cevap ответ 回覆 답변 reactie_op
reaction: reaction interaction engagement reaktion interaktion reaccion interaccion reazione interazione reacao interacao interactie reaksjon reaktio reakcja interakcja tepki etkilesim реакция リアクション 反応 互动 反应 반응 참여 interakce reakcji
like: like liked favorite favourite favorited gefallt_mir j_aime me_gusta mi_piace curtida gilla gillad polubienie begeni лайк いいね 点赞 赞 좋아요 vind_ik_leuk lubie_to polubil synes_godt_om takk лайков 赞同 upvote downvote thumbs_up hearts gefallt gostos polubien lajk gillar 高評価 추천수 curtiu
repost: repost reshare share shared geteilt partage compartido condivisione compartilhamento gedeeld delning deling udostepnienie репост リポスト シェア 转发 分享 공유 republication reposten compartir 引用 인용 republicacion compartidos delt jaettu sdileni compartid condivision compartilhament udostepni delningar quote_count
repost/tweet: retweet retuit リツイート 리트윗
mention: mention tagged erwahnung mencion menzione mencao vermelding wzmianka omnamnande omtale bahsetme maininta упоминание メンション 言及 提及 언급 zminka menzion mencoes wzmiank
acted: mentioned
acted/commenter: commented commented_at kommentiert comentado
acted/liker: liked_at reacted reacted_at reagiert
acted/sharer: reposted shared_at
acted/engager: engaged engaged_at mentioned_at
acted/reply: replied replied_at
action: action aktion accion azione acao actie handling eylem was was_gemacht was_getan what what_did_they_do quoi wat que_hizo o_que_fez cosa_ha_fatto wat_gedaan co_zrobil hvad hva vad mita_teki ne_yapti что_сделал アクション 操作 行动 行為 행동 действие akce vad_gjorde_de vad_gjorde
activity: activity aktivitat 活動 활동 aktywnosci
network: platform network socials netzwerk plattform reseau plateforme plataforma piattaforma netwerk alusta sosyal_medya platformu соцсеть платформа プラットフォーム 平台 플랫폼 rete
network/social_network: social_network social_media social_platform soziales_netzwerk reseau_social red_social rede_social serwis_spolecznosciowy
channel: channel media_type medium_type kanal canal canale kanaal kanava
employees: employee employees staff headcount head_count workforce personnel fte ftes team_size emps mitarbeiter mitarbeitende mitarbeitenden beschaftigte belegschaft angestellte effectif effectifs salaries employes collaborateurs empleados plantilla trabajadores dipendenti addetti funcionarios colaboradores empregados medewerkers werknemers personeel personeelsleden anstallda medarbetare ansatte medarbejdere tyontekijat tyontekijaa henkilosto henkilostomaara pracownikow pracownicy zatrudnienie zatrudnionych zamestnancu zamestnanci calisan calisanlar personel сотрудников сотрудники персонал 従業員 社員 職員 员工 人员 職員人數 직원 임직원 사원 종업원 사원수 인원 porte_empresa
count: count number num no nr n anzahl zahl numero antall lukumaara maara liczba pocet sayi sayisi adedi число количество 数 人数 수
count/quantity: quantity qty cantidad quantita quantidade aantal antal ilosc 数量 수량
size: size grosse taille tamano dimensione dimensioni tamanho porte grootte omvang storlek storrelse koko wielkosc rozmiar velikost buyukluk buyuklugu olcek размер 規模 규모
range: range band bracket bucket klasse tranche rango fascia faixa aralik araligi レンジ 范围 범위 classe clase
industry: industry industries vertical naics_description sic_description naics_title sic_title branche branchen industrie wirtschaftszweig wirtschaftszweige rubro giro bedrijfstak bransch naering toimiala branza branzy odvetvi obor endustri отрасль индустрия 業種 業界 産業 行业 产业 所属行业 산업 업종 산업군 industria ramo ramo_atividade setor_atuacao tatigkeitsbereich tatigkeitsfeld domaine_activite comparto faaliyet_alani faaliyet 事業分野 行业分类 所属领域 领域 事業内容分野 branchenzugehorigkeit geschaftsfeld dikey industr business_category geschaftsbereich nature_of_business secteur_activite sector_actividad settore_attivita setor_atividade tipo_negocio ビジネスカテゴリ ビジネスカテゴリー ビジネスジャンル 行业类别 所属业种 업종분류 사업분야 tematica thematique tematica_projeto 产业别 產業別 industrial_sector 行业别 categoria_merceologica settore_merceologico merceologica produktgruppe productgroep varugrupp varegruppe product_category product_group
industry_code/register: naf ape naics sic sbi sni wz nace ateco pkd cnae cnaes wz_code noga 産業分類 行业代码 업종코드
sector: sector sektor secteur settore setor sektoru сектор 分野 赛道 분야 segmento
trade: activite actividad attivita atividade dzialalnosci verksamhet virksomhetsomrade verksamhetsomrade activiteit activiteiten bedrijfsactiviteit bedrijfsactiviteiten unternehmensgegenstand objet_social objeto_social oggetto_sociale toimiala_kuvaus faaliyet_konusu predmet_podnikani вид_деятельности 事業目的 经营范围 업태
category: category kategorie categorie categoria kategori kategoria категория カテゴリ カテゴリー 类别 分类 카테고리 분류 warengruppe urun_grubu
location: location locations located place geo geography standort standorte localisation lieu lieux ubicacion localizacion lugar luogo ubicazione localizacao local locatie vestiging vestigingsplaats standplaats plats placering lokation arbeidssted arbetsort sted sijainti paikka lokalizacja miejsce konum lokasyon konumu yer местоположение расположение 所在地 場所 就業場所 地点 位置 工作地点 위치 소재지 장소 lieu_travail lugar_trabajo centro_trabajo local_trabalho miejsce_pracy arbejdssted luogo_lavoro 所在地区 勤務エリア 工作城市 근무지역 지역명 lokalita sede_lavoro lieu_poste misto misto_prace 注册地 登记地 lugar_ejecucion lieu_execution leistungsort erfullungsort ausfuhrungsort place_performance luogo_esecuzione local_execucao miejsce_realizacji plats_utforande 履行場所 履行地点 実施場所 位置情報 所在 소재 place_of_work job_place registered_location leveringssted leveransort utforelsessted oppdragssted ip属地 属地 ip归属地 ip_location ip所在地 履約地點 misto_plneni miejsce_wykonania plats_for_fullgorande workplace place_work miejsce_zatrudnienia lieu_de_travail مكان الموقع lokasi
location/vacancy: arbeitsort einsatzort 勤務地 근무지
hq: hq headquarter headquarters head_office main_office hauptsitz firmensitz sitz unternehmenssitz zentrale siege siege_social sede sede_social sede_central sede_legale matriz hoofdkantoor hoofdzetel zetel huvudkontor hovedkontor hovedsaede paakonttori kotipaikka siedziba sidlo merkez merkezi genel_merkez штаб_квартира 本社 本社所在地 总部 总部所在地 본사 본사위치 sate registered_office registered_address office_address domicilio_social domicilio_fiscal sede_legal registrerad_adress forretningsadresse beliggenhedsadresse kayntiosoite hjemsted sidlo_firmy 登記住所 本店所在地 注册地址 註冊地址 등기주소
address: address adresse anschrift adresa direccion domicilio indirizzo endereco adres adress osoite адрес 住所 地址 주소
city: city town stadt ort ville commune ciudad localidad citta comune localita cidade municipio plaats stad gemeente woonplaats poststed kommune kaupunki paikkakunta miasto miejscowosc mesto sehir sehri il ilce город 市 都市 市区町村 城市 所在城市 도시 postort gemeinde kommun kommuun kunta obec gmina gminy bydel municipality municipalidad municipios concelho municipi freguesia vestigingsgemeente населенный_пункт 市町村 町村 区市町村 시군구 市区 县市 postitoimipaikka postort_namn المدينة kota
country: country nation land staat pays pais paese nazione maa kraj panstwo zeme ulke ulkesi страна 国 国名 国家 국가 나라 paises الدولة negara
region: region state province state_province county bundesland kanton departement provincia comunidad regione estado regiao uf provincie regio lan fylke maakunta wojewodztwo bolge регион область 都道府県 地域 省份 省 地区 지역 departement_nom prefecture prefektur landkreis fylkesnavn okres powiat okresu
date: date day when datum fecha dia data dato paivamaara paiva pvm tarih tarihi дата 日 日付 年月日 日期 날짜 일자 일 wann cuando quando wanneer kiedy nar hvornar milloin quand تاريخ tanggal tgl
date/feed: iso_date
date/register: filing_date
time: time timestamp datetime date_time zeit zeitpunkt zeitstempel uhrzeit heure horodatage horodateur hora fecha_hora ora data_ora data_hora tijd tijdstip tid tidspunkt aika czas saat zaman время 日時 時刻 时间 시간 일시 시각 作成日時 godzina godz hodina kellonaika klokkeslett klokkeslaet klockslag jam
announced: announced published publish publishing posted listed released reported occurred happened observed publicated postdate veroffentlicht veroffentlichung bekanntgabe bekannt_gegeben erscheinungs erschienen gemeldet meldung eingestellt ereignisdatum annonce annoncee publie publiee parution mise_ligne anuncio anunciado publicado publicada pubblicato pubblicata annuncio annunciato gepubliceerd geplaatst publicatie aankondiging publicerad publicerat publicering offentliggjort udgivet publisert julkaistu julkaisupaiva julkaisuaika opublikowano opublikowania publikacji publikacja ogloszono zverejneno yayin yayinlanma yayinlandi ilan_tarihi duyuru duyurulma опубликовано публикации публикация 掲載 公開 発表 公表 配信 プレスリリース日 发布 发表 公布 宣布 披露 公告 게시 발표 등록 공개 게재 보도 pub postagem postado ankundigung ankundigungs meldedatum erstveroffentlichung online_seit annonsering annonserad publiceret publicerades dodano_dnia geplaatst_op operation_date 報道 배포 data_dodania pubblicato_il zverejneni notice avviso uitspraak uitspraakdatum date_jugement beschlussdatum fecha_auto fecha_resolucion data_sentenza rozhodnuti data_postanowienia wirksamkeitsdatum kunngjoring kunngjort bekendtgorelse kungorelse ilmoitus oznameni obwieszczenie ogloszenia_o_zamowieniu bekendtgjort kungjord размещения размещение размещено zverejneni_dne 发言 zapis zapisu eintragung 登記 登记 受理 النشر
announced/feed: pub_date pubdate
detected: detected detection discovered found seen identified first_seen spotted erkannt entdeckt gefunden detecte decouvert detectado rilevato gedetecteerd wykryto 検出 検知 检测 发现 감지 발견
created: created creation create added add erstellt angelegt erfasst cree ajoute creado creada agregado creato criado aangemaakt toegevoegd skapad oprettet opprettet luotu utworzono utworzenia dodano vytvoreno olusturulma olusturuldu создано создан 作成 创建 생성 작성 작성일 dodane aggiunto received recepcion reception eingang eingegangen ontvangen mottagen modtaget mottatt vastaanotettu otrzymano prijato получено 受信日時 수신일 ricevuto ricevuta recebido recebida recebimento ricezione recu
recorded: modified updated imported crawled scraped extracted extract retrieved synced indexed collected geandert importiert exportiert aktualisiert modifie importado importada actualizado atualizado coletado aggiornato importato bijgewerkt geimporteerd uppdaterad importerad opdateret importeret oppdatert importert paivitetty tuotu zaktualizowano zaimportowano upraveno guncellenme guncellendi обновлено 更新 取得 更新时间 抓取 采集 採集 爬取 取込 수정 수집 обновления обновление
funding: funding financing fundraise fundraising raise_funding finanzierung financement financiacion finanziamento financiamento financiering finansiering rahoitus finansowanie finansowania finansman финансирование 資金調達 融资 投融资 투자유치 펀딩 자금조달 ayuda stod
funding/grant: forder fordermittel zuwendung subvention subvencion sovvenzione subvencao fomento subsidie dotacja dofinansowanie subsidy bidrag hibe tilskud субсидия 補助金 助成金 补贴 资助 补助 보조금 지원금 aide aides ayudas ayuda_concedida contributo contributi contributo_concesso incentivo apoio_concedido avustus avustukset dotace 交付額 交付決定額 补贴金额 资助金额 지원금액 сумма_субсидии грант
investment: investment investition investissement inversion investimento investering sijoitus inwestycja inwestycji yatirim инвестиции инвестиций 投資 투자 investerat investerade
raised: raised raise eingesammelt eingeworben aufgenommen leve levee leves levees levantado levantada recaudado recaudada captado captada obtenido raccolto raccolta raccolti opgehaald ophaalde rest hentet keratty pozyskana pozyskane pozyskano zebrana toplanan alinan привлечено привлекли 調達 募集金额 筹集 유치 recibida recibido recaudad levantad raccolt captacao captad pozyskan kapitalanskaffning kapital_pozyskany 투자금 obtenue obtenues obtenu obtenus obtida obtenida ottenuto ottenuta
funded: funded
amount: amount sum volume amt betrag summe hohe volumen montant somme importe monto valor importo valore cifra somma montante quantia bedrag som belopp belob belop summa kwota wartosc suma castka tutar tutari miktar miktari сумма объем 金額 額 额度 금액 액 ammontare importes combien
value: value wert valeur waarde varde verdi قيمة
money: money capital fund kapital gelder fonds capitaux capitale kapitaal kapitaali kapitalu sermaye капитал 資金 자금
round: transaction round rounds funding_round runde finanzierungsrunde tour ronda rodada ronde runda kierros turu tur раунд ラウンド 轮次 轮 라운드 series serie rundans rundy rundens tour_table
stage: stage phase fase etapa etap asama стадия ステージ 阶段 단계 stade entwicklungsphase
deal: deal transaktion operation_capital operacion operazione operacao transactie transakcja islem сделка 取引 交易 거래 딜
opportunity: opportunity opportunite oportunidad opportunita oportunidade verkaufschance szansa firsat 商談 案件 商机 영업기회
last: last latest recent newest most_recent letzte letzter letztes letzten dernier derniere ultimo ultima laatste meest_recente senaste seneste siste viimeisin ostatnia ostatni posledni son последний последняя 最新 最近 最終 直近 上次 최근 최종 최신
first: first initial earliest erste erster erstes erstmals premier premiere primero primera primo prima primeiro primeira eerste forsta forste pierwszy pierwsza ilk первый 初回 首次 최초
total: total cumulative lifetime to_date gesamt insgesamt gesamte totale totaal totalt samlet yhteensa lacznie laczna celkem toplam всего общий 合計 累計 総 总 总额 累计 누적 총
estimated: estimated est approx approximate geschatzt ca estime estimado stimato geschat 推定 预计 추정
main: direct primary main current principal associated related hiring target portfolio official corporate aktuell aktuelle haupt actuel actuelle actual attuale atual huidige nuvarande navaerende obecna obecny mevcut resmi 現在 主要 公式 当前 현재 contratante anunciante コーポレート 対象 一级 completo completa complet complete vollstandig original originale orijinal 元 原 element elemento elementu item items absolute absolu absoluto
new: new neu neue neuer neues nouveau nouvelle nouvel nuevo nueva nuovo nuova novo nova nieuw nieuwe ny nya nytt nye nowy nowa nowe uusi yeni novy nove новый новая новое 新 신규 새 새로운
previous: previous former prior old ex vorherig vorherige bisherig bisherige fruhere fruherer ehemalig ehemalige precedent precedente ancien ancienne anterior antiguo antigua vecchio vorige voormalige tidigare foregaende tidligere forrige poprzedni poprzednia poprzednie byly onceki eski predchozi aiempi edellinen предыдущий предыдущая прежний 前職 前任 前会社 前役職 旧 以前 前公司 原公司 原职位 이전 전임 기존
short: short brief long full kurz courte longue kort krotki kisa 短い 詳細な 简短 corta breve larga curto curta
description: description desc beschreibung kurzbeschreibung descripcion descrizione descricao omschrijving beschrijving beskrivning beskrivelse kuvaus opis popis aciklama aciklamasi tanim описание 説明 概要 紹介 事業内容 简介 描述 介绍 说明 설명 개요 소개 descriptif job_description 仕事内容 職務内容 業務内容 opis_stanowiska stillingsbeskrivelse rolebeschreibung 工作内容 任职要求 직무내용 담당업무 주요업무 is_tanimi popis_prace popis_pozice الوصف وصف
summary: summary abstract synopsis snippet excerpt details detail teaser lead_text zusammenfassung auszug resume extrait chapeau precisions resumen extracto resumo riassunto sommario sintesi estratto samenvatting sammanfattning resume_ sammendrag tiivistelma yhteenveto podsumowanie streszczenie ozet ozeti аннотация 要約 抜粋 詳細 摘要 概述 详情 요약 상세 상세내용 chapo opening_text ingress ingressi
about: about overview tagline blurb one_liner bio uber_uns a_propos acerca chi_siamo sobre over_ons om_os hakkinda
text: text sentence body body_text text_original inhalt volltext texte contenu corps texto contenido cuerpo testo contenuto corpo conteudo tekst inhoud innehall indhold innhold teksti sisalto tresc metin icerik icerigi текст содержание 本文 テキスト 内容 文本 正文 텍스트 본문 내용 metni metin_ hit_sentence 內容 isi
text/post: caption
text/article: content full_text
message: message mensaje messaggio mensagem bericht_tekst meddelande viesti wiadomosc mesaj сообщение メッセージ 消息 메시지 bericht
notes: notes note remarks remark notizen notiz anmerkung anmerkungen bemerkung bemerkungen remarque remarques observaciones notas osservazioni observacoes opmerkingen notities anteckningar notater huomautukset uwagi poznamky notlar примечание заметки 備考 メモ 备注 비고 메모
news: news article articles story stories newsletter_item artikel nachricht nachrichten actualite actualites actu noticia noticias articolo notizia notizie comunicato nieuws nieuwsbericht nyhet nyheter nyhed uutinen artikkeli artykul aktualnosci clanek haber haberi makale новость статья ニュース 記事 新闻 文章 뉴스 기사 статью статьи 原文 plataforma_noticia avis
news/award: tender bekanntmachung gara appalto avis_marche appel_d_offres avviso_gara bando bandi edital pregao tenders procurement anbud hankinta tarjouspyynto zakazka verejna_zakazka тендер закупка 入札公告 公募 采购公告 招标公告 입찰공고 hankinnan hankinta_ilmoitus
news/press: press press_release pressemitteilung pressmeddelande communique comunicado_prensa persbericht komunikat comunicato_stampa プレスリリース 新闻稿 보도자료 リリース 新聞發布
source: source sources origin provenance quelle herkunft fuente fonte bron kalla kilde lahde zrodlo zdroj kaynak источник 出典 ソース 情報源 媒体 来源 出处 출처 소스 매체 medium_quelle المصدر sumber
signal: signal trigger buying_signal intent_signal signaux senal segnale sinal signaal sygnal sinyal シグナル 信号 시그널 신호 kaufsignal vertriebssignal sales_trigger signal_achat
event: announcement event what_happened occasion ereignis anlass evenement evento suceso gebeurtenis handelse hendelse begivenhed tapahtuma wydarzenie zdarzenie udalost olay etkinlik событие イベント 出来事 事件 이벤트 was_ist_passiert que_paso que_s_est_il_passe cosa_e_successo co_sie_stalo
family: family group familie gruppe famille groupe familia grupo famiglia gruppo
topic: topic theme thema tema temat konu テーマ トピック 主题 话题 주제
type: type kind typ art tipo tipologia soort slag tyyppi rodzaj tip тип вид 種類 種別 タイプ 类型 種類型 유형 종류 타입 구분 tipi turu_tipi typu typen tipos types arten نوع
review: complaint reclamacao reclamation reclamo queja beschwerde klacht klagomal skarga sikayet 苦情 投诉 жалоба g2 capterra trustpilot review testimonial feedback bewertung rezension resena opinion recensione opinione avaliacao beoordeling recensie recension omdome anmeldelse arvostelu recenzja opinia inceleme degerlendirme отзыв レビュー 口コミ 点评 评价 리뷰 후기 평가 pros cons vorteile nachteile verbesserungsvorschlag points_positifs points_negatifs points_forts points_faibles ventajas desventajas pregi difetti pontos_positivos pontos_negativos pluspunten minpunten zalety wady avaliacoes opinie opinii what_do_you_like 良い点 悪い点 优点 缺点 장점 단점 クチコミ avis_client avis_clients avis_consommateur avis_verifie texte_avis note_avis titre_avis contenu_avis date_avis auteur_avis avis_google
hot: hotness heat hot temperature intent buying_intent buyer_intent strength surge surge_score composite_score intent_level buying_stage
warm: warmth warm warme chaleur calor calore warmte
score: score points rank punkte punktzahl puntuacion punteggio pontuacao wynik puan スコア 得分 점수 quality lead_quality qualitat qualite calidad qualita qualidade kwaliteit kvalitet jakosc kalite laatu kvalita качество 品質 质量 품질
score/course: grade
tech: technology technologies tech tech_stack stack technologie technologien tecnologia tecnologias teknologi teknik technologia teknoloji 技術 기술 technolog tecnolog cms eingesetzte_software 使用技術 導入技術 技術スタック 技术栈 기술스택
visit: visit visited last_visited besuch visite visita bezoek besok besog wizyta ziyaret 訪問 访问 방문 visitor_company
visit/traffic: session sessions visits besucher sessioni
assignee: assignee patent_owner
assignee/applicant: applicant
assignee/patent: anmelder patentinhaber schutzrechtsinhaber deposant titulaire_brevet solicitante_patente richiedente depositante octrooihouder patenthaver patenthavare hakija zglaszajacy prihlasovatel basvuru_sahibi заявитель патентообладатель 出願人 权利人 申请人 专利权人 출원인 특허권자 patentee
recipient: beneficiary beneficiaire beneficiario begunstigter begunstigde mottagare modtager alici получатель 受給者 受益人 수혜자
recipient/award: grantee awardee beneficjent awarded_to awarded_supplier winning_bidder successful_bidder auftragnehmer zuschlagsempfanger titulaire attributaire adjudicatario adjudicataria aggiudicatario aggiudicataria vencedor licitante_vencedor gegunde_partij gegund_aan wykonawca tilldelad_leverantor vinnende_leverandor valittu_toimittaja yuklenici vybrany_dodavatel победитель 落札者 受注者 中标人 中标单位 中标供应商 낙찰자 낙찰업체 계약업체 laureat laureate laureada premiata preistrager preistragerin vinnare_av prisvinner palkittu odullu 受賞者 受賞企業 获奖单位 获奖企业 수상기업 лауреат forderempfanger zuwendungsempfanger subventionsempfanger beneficiaria empresa_beneficiaria soggetto_beneficiario subsidieontvanger stodmottagare tilskudsmodtager tilskuddsmottaker avustuksen_saaja prijemce prijemce_dotace 採択者 採択事業者 交付決定者 受资助单位 선정기업 지원기업 получатель_субсидии award_recipient award_winner
recipient/newsletter: recipients
recipient/inbox: recipient empfanger ontvanger odbiorca
subject: subject betreff objet asunto oggetto assunto onderwerp gegenstand objeto objetos 主旨 主题词 emne amne aihe predmet предмет
subject/newsletter: subject_line
acquirer: acquirer buyer acquiring acquired_by kaufer erwerber acquereur comprador adquirente acquirente koper kopare acquiror nabywca
acquiree: acquiree acquired_company target_company seller ubernommen
email: email e_mail mail email_address work_email correo_electronico correo courriel posta_elettronica e_post epost sahkoposti eposta e_posta почта メール メールアドレス 邮箱 电子邮件 이메일 메일
founded: founded founding foundation year_founded incorporated incorporation established launch launched birth gegrundet grundung grundungs fonde fondation date_creation_entreprise immatriculation fundada fundado fundacion constitucion fondata fondazione costituzione fundacao abertura opgericht oprichting grundat grundad stiftet etableret perustettu perustamis zalozenia zalozono zalozeno kurulus kurulusu основан 設立 創業 創立 成立 설립 창립 incorporat zalozona stiftelsesar annee_creation ano_creacion
future: close closing closed closes expected due deadline expiry expires expiration valid_until next ends frist ablauf enddatum naechste abschluss cloture cierre limite chiusura fechamento encerramento prazo sluiting verloopt slut waznosci konca bitis son_basvuru 締切 截止 到期 마감 만료 окончания окончание начала начало подачи подача renewal
future/stage: close_date
future/task: due_date echeance vencimiento scadenza 期限
future/meeting: start_time end_time
future/appointment: start end termin
future/plan: scheduled
person_detail: department departments seniority skill skills experience education gender age birthday connection connected anciennete departamento kenntnisse
person_detail/follower: follower followers following subscriber friends_count connection_degree degree abonnes seguidores seguaci volgers obserwujac foljare folgere takipci フォロワー 粉丝 팔로워
person_detail/staff: abteilung
analytics/impression: impressions impression impressionen reichweite alcance impresiones impressoes copertura bereik wyswietleni zasieg visningar rackvidd visninger raekkevidde gosterim erisim portee engagement_rate インプレッション リーチ エンゲージメント率 曝光 覆盖 노출 도달
analytics/click: clicks click ctr click_through klicks klickrate clics clic tasa_clics cliques klikken kliknieci klik klikrate tiklama クリック 点击 클릭 profile_visits
measure: views view rate percentage percent probability views_count bounce duration length valoracion valutazione market_cap ave interest growth min max average avg median change delta budget profit ebitda aufrufe vues visualizaciones 再生 浏览 조회
measure/valuation: valuation post_money pre_money valorisation 估值 評価額
measure/revenue: revenue revenues turnover umsatz chiffre_affaires ingresos facturacion fatturato ricavi faturamento receita omzet omsattning omsetning obrot przychody przychod omsaetning ciro выручка 売上 売上高 营收 收入 매출 매출액 arr 資本金 营业收入 注册资本 자본금 zakladni_kapital kapital_zakladowy stammkapital grundkapital capital_social capitale_sociale aandelenkapitaal aktiekapital aksjekapital osakepaaoma 자본금액 уставный_капитал share_capital
measure/sentiment: sentiment stimmung tonalite sentimiento sentimento sentyment 感情 情感 감성 duygu stemming sentimen nastroenie tunnelma
measure/impression: reach weergaven
measure/advertising: spend
measure/traffic: pageviews page_views bounce_rate seitenaufrufe pages_vues visualizzazioni visualizacoes paginas_vistas paginaweergaven
measure/price: price prix precio prezzo preco prijs preis cena pris fiyat 価格 价格 가격
code: id ids identifier uuid urn key code codes vat zip postal postcode plz cep cap zipcode latitude longitude lat lng street house nif ytunnus index row rank_number hash token number_id version 番号 编号 번호 kennung identifiant identificador identificatore kod kodu nummer コード
code/comment: cid
code/feed: guid
code/register: cik siren siret registration_number registry_number cnpj kvk kvk_nummer krs regon nip orgnr organisationsnummer cvr cif isin duns lei hrb ticker symbol stock_symbol filings form_type registergericht rechtsform gesellschaftsform nature_juridique forme_juridique forma_juridica natureza_juridica forma_giuridica rechtsvorm forma_prawna legal_form partita_iva vergi_no 法人番号 统一社会信用代码 사업자등록번호 ico pravni_forma spisova_znacka znacka dic 代号 证券代码 股票代码 公司代码 股票代號 종목코드 証券コード 銘柄コード инн огрн окпо кпп registerzeichen aktenzeichen registernummer
code/reply: parent_id
code/video: videoid
code/instagram: shortcode media_id
code/post: postid story_id
code/invoice: tax
code/bank: iban
people_of: owner cfo cto executive manager recruiter rep assigned editor journalist director directors besitzer zustandiger propietario eier yhteyshenkilo inhaber
people_of/founder: founder founders cofounder co_founder ceo grunder geschaftsfuhrer geschaftsfuhr fondateur fondateurs dirigeant dirigeants gerant fundador fundadores fondatore fondatori amministratore socio socios oprichter bestuurder zalozyciel zalozyciele prezes grundare grundere stiftere kurucu kurucular основатель 创始人 創業者 창업자 대표자 대표 대표이사 代表 代表者 代表取締役 法定代表人 法人代表
people_of/mention: influencer
people_of/meeting: organizer
investor: investor backer vc lead_investor investoren geldgeber investisseur inversor inversores inversionista investitore investitori investidor investidores investeerder investerare inwestor inwestorzy yatirimci yatirimcilar инвестор инвесторы 投資家 投資者 引受先 投资方 投资机构 투자자 투자사 investitor vcs 出資者 投资人
salary: salary compensation pay wage gehalt verdienst salaire remuneration salario sueldo stipendio retribuzione remuneracao salaris lon palkka wynagrodzenie zarobki plat mzda maas ucret зарплата 給与 年収 月給 薪资 薪水 薪酬 급여 연봉 pay_range pay_period wynagrodzen pensja widelki retribuzion lonespann 時給 給料 工资
contract: contract employment_type job_type work_type schedule remote hybrid seniority_level workplace_type anstellungsart beschaftigungsart arbeitszeit vertragsart homeoffice contrat teletravail contrato jornada modalidad contratto dienstverband contractvorm anstallningsform ansettelsesform umowa umowy wymiar etat calisma_sekli 雇用形態 勤務形態 用工类型 工作性质 고용형태 근무형태 경력 apply work_mode tryb_pracy regime omfattning 勤務時間 ansaettelse experience_level required_skills berufserfahrung 学历要求 经验要求 applicants uvazek pracovni_uvazek tyosuhde tyosuhteen_tyyppi stillingstype ansaettelsestype занятость тип_занятости график
rating: rating ratings stars star sterne note_globale calificacion valutazione_media beoordelingscijfer ocena puanlama 評価 评分 평점 별점 etoiles estrellas estrelas valutazion nota sterren gwiazdk betyg stjerner 星 星级
publisher: publisher outlet newspaper media_name verlag editeur medio editorial editore testata editora veiculo uitgever utgivare wydawca yayinci 出版社 掲載媒体 发布媒体 언론사 매체사 newswire herausgeber journal periodico giornale jornal krant gazeta tidning gazete media_outlet medio_comunicacion opplag lesere upplaga lasare oplag laesere auflage leserzahl tirage tiratura tirada naklad oplage tiraz circulation readership diffusion 发行量 発行部数 발행부수 тираж levikki
year: year month week quarter jahr monat annee mois ano mes anno mese jaar maand ar vuosi rok yil yili ay год 年 年份 연도 년도
media: logo image images img picture photo photos avatar thumbnail icon cover banner attachment file screenshot bild foto imagen immagine imagem 画像 图片 이미지 사진
state_of: status lifecycle flag is_ has_ active archived label labels tag tags tagged_with keyword keywords list lists segment territory language languages lang locale timezone lingua idioma langue sprache taal jezyk dil 言語 语言 언어 ステータス 状态 상태 statut estado_registro stato_record etiquetas etiketler etichette etykiety tagi libelles الحالة
state_of/stage: pipeline forecast operating_status
state_of/follower: verified
state_of/mention: hashtag hashtags ハッシュタグ 话题标签 해시태그
state_of/advertising: campaign
state_of/task: priority
other_company: parent subsidiary competitor competitors partner vendor supplier customer_of product products service services feature platform_product integration 製品 产品 제품 produkt produit producto prodotto produto servico servicos serwis servizio servicio dienst hizmet
agency: agency
app: app_version app_version_code app_version_name package_name bundle_id
booth: booth stand stall stand_no stand_nr standnummer messestand padiglione pabellon stoisko standplats 小間 小間番号 ブース 展位 展位号 부스 부스번호
fax_phone: phone phones telephone mobile tel fax cell direct_dial telefon handy mobil telefono movil telefone celular telefoon puhelin компьютер телефон 電話 電話番号 手机 전화 전화번호 연락처 gsm komorka portable cellulare telemovel mobiel 휴대폰 tlf puhelinnumero telefonnummer telefonnr
acquisition: acquisition merger takeover ubernahme rachat rachete adquirid acquisita overname overgenomen przejeci przejmujac uppkop opkob devralan 買収 収购 收购 被收购 인수 adquisicion aquisicao akquisition fusion fusionen fusione fusao fusie fuzja m_a
happened/acquisition: acquired
milestone: expansion expansions expansao ampliacion uitbreiding erweiterung ekspansja utvidgning udvidelse utvidelse genisleme расширение partnership partnerschaft kooperation partenariat alianza alianca parceria samenwerking samarbete samarbejde samarbeid wspolpraca ortaklik isbirligi партнерство 提携 合作 提携発表 제휴 협력 product_launch lancering lanzamiento lancamento lancio lancement markteinfuhrung lansering premiera lansman запуск 新製品 新サービス 新产品 신제품 ipo borsengang introduction_bourse salida_bolsa quotazione beursgang borsintroduktion halka_arz 上場 上市 상장 eroffnung neueroffnung ouverture otwarcie acilis 開設 開業 개점 relocation umzug demenagement restructuring restrukturierung restructuration reestructuracion ristrutturazione capital_increase kapitalerhohung augmentation_capital ampliacion_capital aumento_capitale veranderung veranderungen modification modifications umfirmierung sitzverlegung zmena zmeny zmien zmiana zmiany anderung anderungen aenderung changement changements cambio cambios alteracao alteracoes variazione variazioni wijziging wijzigingen andring andringar endring endringer aendring aendringer muutos muutokset degisiklik изменение изменения 変更 变更 变动 异动 변경 변동 mutation mutations mutatie mutaties
happened/award: awarded
layoff: laid_off layoff lay_offs job_cuts entlassung stellenabbau licenciement despidos licenziament demissoes ontslag zwolnieni uppsagning 解雇 人員削減 裁员 해고
insolvency: insolvency bankruptcy liquidation tribunal greffe amtsgericht insolven bankrupt liquidat receivership filing_court redressement procedure_collective concurso_acreedores juzgado_mercantil fallimento faillissement upadlosc restrukturyzacj konkurs likvidat borme bodacc registro_mercantil datos_registrales handelsregister 倒産 破産 破产 清算 파산 회생 surseance surseance_van_betaling schuldsanering sauvegarde liquidacion liquidacao liquidazione concordato recuperacao_judicial falencia quiebra faillite konkurser konkurssi iflas konkordato bankructwo insolvence банкротство 民事再生 会社更生 特別清算 重整 회생절차
award: award vergabe zuschlag marche_public licitacion licitacao licitacoes adjudicat aanbesteding przetarg upphandling udbud ihale 入札 落札 招标 中标 입찰 낙찰 appel_offres 標案 招標 決標 標的 采购公告类型 palmares 표창 表彰 奖项 受賞 授賞 获奖 수상 المنافسة مناقصة المناقصة العطاء lelang
job_change: job_change 転職先 이직 appointed appointment_date nominated nomina nomine nomination nominations ernennung berufung neubesetzung personalie personalien personalwechsel nombramiento nombramientos nomeacao nomeacoes benoeming benoemd utnamning utnamnd udnaevnelse utnevnelse nimitys nimitetty nominacja mianowanie powolanie atama atandi jmenovani назначение 就任 人事 昇進 任命 任职 任命职位 취임 선임 인사이동
patent: patent inventor erfinder brevet inventeur brevetto octrooi 特許 专利 특허 uppfinnare opfinder oppfinner keksija wynalazca tworca_wynalazku vynalezce bulus_sahibi изобретатель 発明者 发明人 발명자 inventore ipc cpc_class
feed: feed rss atom
business_model: business_model geschaftsmodell modele_economique modelo_negocio modello_business model_biznesowy elevator_pitch slogan target_market zielgruppe ownership batch accelerator 事業 业务模式 主营业务 サービス内容 비즈니스모델
advertising: ad_group adgroup ad_set adset ad_name ad_id ad_spend amount_spent cost cpc cpm cpa roas kampagne anzeigengruppe anzeige werbekosten campagne depense groupe_annonces campana gasto campagna spesa campanha investimento_midia kampania koszt kampanj kampanya harcama キャンペーン 広告 广告 推广 캠페인 광고
traffic: new_users active_users aktive_nutzer unique_visitors visitors conversions conversion_rate sitzungen absprungrate visiteurs taux_rebond sesiones tasa_rebote sessoes taxa_rejeicao sessies bezoekers sesje odslony sidvisningar sidevisninger oturum セッション ページビュー 訪問者数 直帰率 访问量 浏览量 跳出率 세션 방문자 페이지뷰 이탈률
call: call caller callee voicemail dialed talk_time recording_url anruf gesprach gesprachsdauer appels llamada chiamat ligacao ligacoes chamada gesprek polaczeni rozmow samtal opkald arama 通話 架電 呼叫 통화 rufnummer anrufliste anrufdauer gesprachspartner numero_appele numero_marcado numero_chiamato numer_telefonu_dzwoniacego
ticket: ticket issue_key issue_id issue_type case_number case_id case_status incident first_response resolution resolved sla requester support_agent vorgangsnummer storung zgloszeni reklamacj チケット 問い合わせ 問合せ 工单 티켓 문의
task: task done completed_at prioritat bearbeiter zustandig aufgabe faellig fallig priorite tache prioridad tarea priorita prioridade tarefa prioriteit taak priorytet zadani prioritet opgave oncelik 優先度 タスク 优先级 任务 우선순위
invoice: invoice order purchase_order po_number bill_number subtotal payment paid shipping shipment discount line_item unit_price net_amount gross_amount amount_paid amount_due vat_amount vat_rate customer_number customer_id rechnung mwst ust nettobetrag bruttobetrag netto brutto bestell kundennummer kundennr menge einzelpreis gesamtpreis zahlung bezahlt facture tva commande quantite reglement paiement prix_unitaire montant_ht montant_ttc factura iva base_imponible importe_total pedido forma_pago precio_unitario fattura fatturazione imponibile ordine pagamento prezzo_unitario nota_fiscal fatura preco_unitario valor_total factuur btw bestelling stukprijs betaling faktura faktury zamowieni cena_jednostkowa platnos moms ordernummer fakturanummer ordre siparis birim_fiyat kdv odeme 請求 注文 単価 税額 消費税 小計 支払 发票 订单 单价 支付 송장 주문 단가 결제 세액
stock: stock sku stock_quantity inventory warehouse barcode ean gtin upc reorder product_id product_code lagerbestand lager bestand artikelnummer artikelnr artikelbezeichnung entrepot reference_produit almacen existencias codigo_barras magazzino giacenza codice_articolo estoque codigo_produto voorraad magazyn stan_magazynowy kod_produktu lagersaldo varenummer stok urun_kodu 在庫 倉庫 商品コード 品番 库存 仓库 商品编码 재고 창고 상품코드
survey: survey respondent nps questionnaire question how_likely how_satisfied satisfaction response_id umfrage frage zufriedenheit weiterempfehl enquete encuesta pregunta satisfaccion sondaggio domanda soddisfazione pesquisa pergunta satisfacao tevredenheid vraag ankiet pytani zadowoleni undersokning fraga sporgsmal anket soru アンケート 回答 設問 満足度 问卷 满意度 설문 만족도 응답
newsletter: open_rate delivery_rate opens opened opened_at unsubscribe unsubscribed bounced bounces delivered emails_sent sent_emails offnungsrate abmeldung taux_ouverture desabonn tasa_apertura tasso_apertura taxa_abertura openingsratio wskaznik_otwarc 開封率 配信数 打开率 오픈율
staff: employee_id employee_name emp_id staff_id hire_date hired_date date_hired date_joining payroll leave_balance vacation_days line_manager termination_date performance_rating personalnummer eintrittsdatum austrittsdatum urlaubstage matricule date_embauche fecha_contratacion fecha_ingreso matricola data_assunzione data_admissao personeelsnummer datum_indiensttreding data_zatrudnienia numer_pracownika anstallningsnummer anstallningsdatum ansaettelsesdato sicil_no ise_giris 社員番号 入社日 部署 工号 入职日期 部门 사번 입사일 부서 従業員コード 従業員番号
bank: expense receipt merchant debit credit balance bic swift bank_account account_number account_statement transaction_id transaction_type spesen beleg buchung buchungstag kontostand kontonummer verwendungszweck valuta soll haben solde compte_bancaire note_frais bon_depense saldo concepto cuenta_bancaria recibo causale conto_corrente scontrino extrato conta_bancaria rekening tegenrekening rachunek numer_rachunku tytul_przelewu wydatek wydatki kontosaldo hesap_no bakiye 残高 口座 取引日 取引内容 取引金額 領収書 経費 余额 账户 报销 잔액 계좌 지출
meeting: meeting calendar invitee teilnehmer besprechung beginn reunion asistente riunione partecipant reuniao vergadering deelnemer spotkani uczestni mote deltagare toplanti katilimci 会議 参加者 会议 参会 회의 참석자
candidate: candidate bewerber candidat candidato kandidat 応募者 候补人 候选人 지원자
work: isbn issn doi pmid arxiv citation cited_by genre artist album track 著者名 书名 작가
plan: draft geplant planifie programado programmato gepland zaplanowan content_pillar content_calendar schedule_date post_status approval_status 予約投稿 定时发布 예약
hours: hours billable timesheet time_spent stunden arbeitsstunden heures_travaillees horas_trabajadas ore_lavorate gewerkte_uren uren godziny timer 労働時間 工数 工时 근무시간 出勤 退勤 残業 休憩 上班 下班 加班 출근 퇴근 clock_in clock_out overtime uberstunden
log: user_agent useragent status_code http_status request_id request_path response_time log_level ip アクセスログ 日志 로그
property: bedroom bathroom sqft square_feet sq_ft zimmer wohnflache surface_habitable habitaciones dormitorios banos camere kamers woonoppervlakte pokoje 間取り 専有面積 户型 方数
course: student course semester schuler etudiant eleve matiere alumno asignatura studente studenti materia aluno disciplina leerling uczen uczniowie przedmiot 学生 学籍 成績 학생 성적
author/inbox: sender absender expediteur remitente mittente afzender nadawca avsandare avsender afsender odesilatel gonderen отправитель 送信者 发件人 발신자
inbox: inbox folder conversation_title message_id destinataire destinatario 受信者 收件人 수신자
`;
