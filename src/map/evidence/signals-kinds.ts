/**
 * Evidence for market signals: companies, and what happened to them. Specific kinds come first, because a column counts
 * once. Columns about a company (`ofCompany`) say nothing about rows that are people: there they describe the employer.
 */
import type { EvidenceKind, TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

const ofCompany = ({ people }: TableFacts): boolean => !people;

const EVENTS: readonly EvidenceKind[] = [
  {
    what: 'funding rounds',
    proposes: { signal_source: 'funding' },
    weights: { signals: 2.5 },
    headers:
      'funding round*,funding type,funding stage,funding date,round type,round size,last round,investment round,investment stage,=round,=series,vc round,finanzierungsrunde*,tour table,tour financement,levee fonds,=tour,ronda*,rodada*,runda*,financieringsronde*,financiering,finansieringsrunda,finansieringsrunde,yatirim turu,ラウンド,調達,融资,轮次,라운드,투자유치',
    values: values.fundingRounds,
    when: ofCompany,
  },
  {
    what: 'amounts raised',
    proposes: { signal_source: 'funding' },
    weights: { signals: 2 },
    fields: ['funding_amount'],
    headers:
      'raised,funding,total funding,funds raised,raised amount,amount raised,valuation,valorisation,finanzierungssumme,finanzierung*,montant leve,recaudad*,levantad*,financiacion,raccolt*,finanziamento,captad*,captacao,opgehaald,finansowani*,dofinansowani*,pozyskan*,kwota inwestycji,kapital pozyskany,資金,評価額,估值,金额 融资,투자금,투자액,kapitalanskaffning,yatirim tutari',
    when: ofCompany,
  },
  {
    what: 'investors',
    proposes: { signal_source: 'funding' },
    weights: { signals: 2 },
    headers:
      'investor*,investisseur*,inversor*,inversionista*,investidor*,investitor*,inwestor*,investerare,yatirimci*,lead vc,backers,vcs,投資家,出資者,投资方,投资机构,投资人,투자자,투자사',
    when: ofCompany,
  },
  {
    what: 'acquisitions',
    proposes: { signal_source: 'news' },
    weights: { signals: 3.5 },
    headers:
      'acquirer*,acquiror*,acquired company,acquired by,acquired at,acquired on,acquired business,acquiring company,acquisition date,acquisition price,acquisition type,acquisition announced,acquiree*,merger*,takeover,target company,ubernahme*,kaufer unternehmen,acquereur*,rachat,rachete*,adquirente*,adquirid*,acquirente*,acquisita,adquirida,overname*,overgenomen,przejeci*,przejmujac*,nabywca,uppkop*,opkob*,devralan,買収*,収购,收购,被收购,인수',
    when: ofCompany,
  },
  {
    // A funding stage beside it describes the company.
    what: 'layoffs',
    proposes: { signal_source: 'news' },
    subject: 'layoffs',
    weights: { signals: 3 },
    headers:
      'laid off,layoff*,lay offs,job cuts,entlassung*,stellenabbau,licenciement*,despidos,licenziament*,demissoes,ontslag*,zwolnieni*,uppsagning*,解雇,人員削減,裁员,해고',
  },
  {
    what: 'contracts awarded',
    proposes: { signal_source: 'news' },
    weights: { signals: 3.5 },
    headers:
      'award amount,award id,awarding agency,recipient name award,tender title,tender id,tender value,tender date,award date,award value,awarded to,awardee,contracting authority,ausschreibung*,vergabe*,auftraggeber,zuschlag*,appel offres,marche public,licitacion*,adjudicat*,appalto,gara,licitacao,licitacoes,aanbesteding*,przetarg*,zamawiajacy,upphandling*,udbud*,ihale*,入札,落札,招标,中标,입찰,낙찰',
  },
  {
    // The person is named, but what happened is the change.
    what: 'changes of jobs',
    proposes: { signal_source: 'linkedin' },
    weights: { signals: 3.5, neither: -3 },
    headers:
      'job change*,new company,new employer,new job,new position,new role,neuer arbeitgeber,nouvelle entreprise,nouvel employeur,nueva empresa,nuova azienda,nova empresa,nieuwe werkgever,nowa firma,転職先,新公司,이직',
  },
  {
    what: 'patents',
    weights: { signals: 2.5, neither: -1 },
    headers: 'patent*,inventor*,erfinder,brevet*,inventeur*,inventor,brevetto,octrooi*,特許*,专利*,특허*',
  },
  {
    what: 'buying intent and signals',
    weights: { signals: 2.5 },
    headers:
      'intent score,intent signal*,intent topic*,intent level,buying intent,buyer intent,buying stage,surge score,surge topic*,composite score,=signal,signal name,signal title,signal type,signal date,signal text,signal category,sales trigger*,trigger event*,buying signal*,kaufsignal*,vertriebssignal*,signal achat,signaux,senal*',
  },
  {
    what: 'events',
    weights: { signals: 1.5 },
    headers:
      '=event,event type,event title,=announcement,what happened,=trigger,=ereignis,=anlass,=evenement,=evento,=gebeurtenis,=zdarzenie,=wydarzenie,=handelse,=haendelse,=olay,イベント,出来事,事件,이벤트',
    when: ofCompany,
  },
];

const JOBS: readonly EvidenceKind[] = [
  {
    what: 'job postings',
    proposes: { signal_source: 'job_posting' },
    weights: { signals: 2.5 },
    headers:
      'job posting*,job post*,job opening*,job url,job link,job id,job description,job location,job type,job ad,job category,job board,jobs posted,posting url,posting date,posting title,apply url,apply link,application url,application deadline,openings,open position*,open role*,vacanc*,vacature*,vacante*,stellenanzeige*,stellenausschreibung*,stellentitel,stellenbezeichnung,stellen*,jobtitel,jobbezeichnung,ausschreibung*,bewerbungsfrist,einsatzort,offre emploi,intitule poste,intitule offre,reference offre,lien offre,description poste,date limite candidature,oferta empleo,oferta trabajo,puesto vacante,annuncio lavoro,offerta lavoro,titolo annuncio,=vaga,vagas,titulo vaga,link vaga,descricao vaga,data vaga,oferta pracy,oferty,ogloszeni*,platsannons,arbetsplats,stillingsopslag,stillingsannonce,jobopslag,is ilani,ilan basligi,求人*,募集*,応募,仕事内容,招聘*,岗位,채용,공고,모집',
    values: values.jobPages,
  },
  {
    what: 'terms of employment',
    proposes: { signal_source: 'job_posting' },
    weights: { signals: 2 },
    headers:
      'salary min*,salary max*,min salary,max salary,salary range,salary estimate,=salary,pay range,pay period,compensation,employment type,contract type,work type,work mode,workplace type,remote*,experience level,seniority level,required skills,job skills,applicants,gehalt*,anstellungsart,beschaftigungsart,arbeitszeit,vertragsart,homeoffice,berufserfahrung,salaire*,remuneration,type contrat,contrat,teletravail,salario*,tipo contrato,modalidad*,jornada,retribuzion*,stipendio,tipo contratto,contratto,modalidade,regime,remuneracao,salaris*,dienstverband,contracttype,uren week,wynagrodzen*,pensja,widelki,rodzaj umowy,typ umowy,wymiar etatu,tryb pracy,anstallningsform,omfattning,lonespann,ansaettelse*,maas,calisma sekli,給与,年収,月給,時給,給料,雇用形態,勤務地,勤務時間,薪资,薪水,工资,学历要求,经验要求,급여,연봉,고용형태,근무지,경력',
    when: ofCompany,
  },
  {
    what: 'job titles',
    proposes: { signal_source: 'job_posting' },
    weights: { signals: 1 },
    headers:
      'job title,job name,job,position title,position name,role title,=position,=role,=stelle,=poste,=puesto,=cargo,=posizione,=functie,functietitel,stanowisk*,tjanst,befattning,stilling*,pozisyon,職種,職位,ポジション,职位,职务,직무,직책,포지션',
    when: ofCompany,
  },
];

const TEXTS: readonly EvidenceKind[] = [
  {
    what: 'reviews',
    proposes: { signal_source: 'review_site' },
    weights: { signals: 2.5, social: -1.5 },
    // Other lists have numbers of reviews.
    check: (profile) => !values.counts(profile),
    headers:
      '=pro,=contra,=vorteile,=nachteile,verbesserungsvorschlag*,points positifs,points negatifs,points forts,points faibles,ventajas,desventajas,pregi,difetti,pontos positivos,pontos negativos,pluspunten,minpunten,zalety,wady,良い点,悪い点,优点,缺点,장점,단점,review*,=pros,=cons,what do you like,bewertungstext,kundenbewertung*,rezension*,avis client,texte avis,titre avis,=avis,resena*,recension*,avaliacao texto,texto avaliacao,avaliacoes,comentario avaliacao,beoordelingstekst,recensie*,opinie,opinia,tresc opinii,anmeldelse*,degerlendirme*,レビュー,口コミ,クチコミ,评价,点评,리뷰,후기',
  },
  {
    what: 'ratings',
    proposes: { signal_source: 'review_site' },
    weights: { signals: 1.5 },
    headers:
      'rating*,star*,review score,bewertung*,sterne,note globale,etoiles,=note,calificacion*,puntuacion,valoracion*,estrellas,valutazion*,punteggio,avaliacao,nota,estrelas,beoordeling*,sterren,ocena*,gwiazdk*,betyg,stjerner,puan,評価,星,评分,星级,평점,별점',
    check: values.counts,
  },
  {
    // Of any event, so that it suggests no source.
    what: 'headlines',
    weights: { signals: 2.5 },
    headers: 'headline*,schlagzeile*,uberschrift,titular,manchete,koptekst,naglowek,rubrik,overskrift,見出し',
    when: ofCompany,
  },
  {
    what: 'news',
    proposes: { signal_source: 'news' },
    weights: { signals: 2.5 },
    when: ofCompany,
    headers:
      'article*,news*,publisher*,=publication,publication name,newspaper*,outlet,media outlet,media name,source name,source domain,press release*,story,=artikel,artikel url,artikel link,artikeltitel,artikeltext,nachrichtenquelle,pressemitteilung*,herausgeber,titre article,journal,communique*,noticia*,periodico,medio comunicacion,articolo,notizia*,testata,giornale,jornal,veiculo,nieuws*,krant,artykul*,gazeta,wydawca,tytul artykulu,nyhet*,nyhed*,tidning,haber*,gazete,記事,ニュース,新聞,媒体,掲載,新闻,报道,기사,뉴스,언론사,보도',
  },
  {
    what: 'entries of a news feed',
    proposes: { signal_source: 'news' },
    weights: { signals: 2.5 },
    headers: 'pub date,pubdate,iso date,guid,feed title,feed url,feed name,rss*,atom*',
  },
  {
    what: 'excerpts of articles',
    proposes: { signal_source: 'news' },
    weights: { signals: 1 },
    headers:
      'opening text,hit sentence,=content,full text,excerpt,snippet,lead text,abstract,=summary,publication date,date publication,published date,published at,veroffentlichungsdatum,erscheinungsdatum,extrait,chapo,fecha publicacion,data pubblicazione,data publicacao,publicatiedatum,data publikacji,掲載日,公開日,发布时间,게재일',
  },
];

const COMPANIES: readonly EvidenceKind[] = [
  {
    what: 'headcounts',
    weights: { signals: 2 },
    fields: ['employee_count'],
    headers:
      'employees,employee count,employee range,employee size,number employees,num employees,headcount,head count,company size,team size,org size,mitarbeiterzahl,mitarbeitende*,mitarbeiter,anzahl mitarbeiter,unternehmensgrosse,beschaftigte,effectif*,nombre salaries,taille entreprise,empleados,plantilla,tamano empresa,dipendenti,addetti,dimensione azienda,funcionarios,colaboradores,tamanho empresa,medewerkers,werknemers,bedrijfsgrootte,liczba pracownikow,wielkosc firmy,zatrudnieni*,antal anstallda,anstallda,ansatte,calisan sayisi,従業員数,社員数,従業員,员工人数,员工数,公司规模,企业规模,직원수,직원 수,사원수,종업원,기업규모',
    when: ofCompany,
  },
  {
    what: 'company pages',
    weights: { signals: 2 },
    headers:
      'linkedin company,company linkedin,linkedin unternehmen,crunchbase*,pitchbook*,dealroom*,cb rank,company url,company page,company id,employer id',
    values: values.companyPages,
    when: ofCompany,
  },
  {
    what: 'industries',
    weights: { signals: 1.5 },
    fields: ['industry'],
    headers:
      'industr*,vertical*,=sector,sectors,market segment,branche*,wirtschaftszweig,secteur*,sector actividad,sector economico,rubro,giro,settore*,industria,setor*,segmento,ramo,bedrijfstak,branza*,sektor*,bransch*,sektor,faaliyet alani,業種,業界,事業内容,行业,所属行业,赛道,업종,산업,분야',
    when: ofCompany,
  },
  {
    what: 'years of foundation',
    weights: { signals: 1.5 },
    headers:
      'founded*,founding*,foundation year,year founded,incorporat*,established,grundung*,gegrundet,grundungsjahr,annee creation,fondee,fondation,fundacion,fundada,ano creacion,ano fundacion,anno fondazione,fondata,costituzione,fundacao,ano fundacao,opgericht*,oprichting*,rok zalozenia,data zalozenia,zalozona,grundat,grundades,stiftet,stiftelsesar,kurulus*,設立*,創業,创立,成立时间,成立日期,설립일,설립*,창립',
    when: ofCompany,
  },
  {
    what: 'founders and managers',
    weights: { signals: 1.5 },
    headers:
      'founder*,co founder*,cofounder*,=ceo,ceo name,grunder*,geschaftsfuhr*,fondateur*,dirigeant*,gerant,fundador*,fondator*,amministratore,socio,socios,oprichter*,bestuurder*,zalozyciel*,prezes*,grundare,stiftere,kurucu*,代表者,代表取締役,創業者,创始人,法人代表,法定代表人,대표자,대표이사,대표',
    when: ofCompany,
  },
  {
    what: 'technologies',
    proposes: { signal_source: 'tech_install' },
    weights: { signals: 2 },
    headers:
      'technolog*,tech stack,techstack,tech spend,tech used,=cms,first detected,last detected,tecnolog*,tecnologias,eingesetzte software,technologie*,使用技術,導入技術,技術スタック,技术栈,기술스택',
    when: ofCompany,
  },
  {
    what: 'visits of companies',
    proposes: { signal_source: 'web_visit' },
    weights: { signals: 1.5 },
    headers:
      'last visit*,first visit*,landing page*,visited page*,pages visited,recent page*,visitor company,letzter besuch,derniere visite,ultima visita,laatste bezoek,ostatnia wizyta',
    when: ofCompany,
  },
  {
    what: 'deals',
    // A deal is with a company, even if the contact's name is in the same row.
    weights: { signals: 2, neither: -2.5 },
    headers:
      'opportunity name,deal name,deal title,deal stage,deal size,deal type,deal date,deal value,=opportunity,verkaufschance*,oportunidad,oportunidade,opportunita,szansa sprzedazy,商談*,商机,영업기회',
  },
  {
    what: 'stages',
    weights: { signals: 1 },
    headers:
      '=stage,=pipeline,growth stage,company stage,close date,forecast*,operating status,sales stage,phase,entwicklungsphase,stade,etapa,fase,etap,ステージ,阶段',
  },
  {
    what: 'business models',
    weights: { signals: 1 },
    headers:
      'business model,geschaftsmodell,modele economique,modelo negocio,modello business,model biznesowy,one liner,tagline,elevator pitch,slogan,target market,zielgruppe,client type,ownership,company type,=batch,accelerator,batch year,事業,业务模式,主营业务,サービス内容,비즈니스모델',
    when: ofCompany,
  },
  {
    what: 'revenues of companies',
    weights: { signals: 1 },
    headers:
      'annual revenue,revenue range,company revenue,turnover,=revenue,sales revenue,umsatz*,chiffre affaires,facturacion anual,ingresos anuales,fatturato,faturamento,omzet,przychod*,omsattning,omsaetning,ciro,売上高,資本金,营业收入,注册资本,매출액,매출,자본금',
    when: ofCompany,
  },
  {
    what: 'registers of companies',
    weights: { signals: 1.5 },
    headers:
      '=cik,form type,filing date,filings,date filed,siren,siret,company number,registration number,registry number,handelsregister*,registergericht,hrb,rechtsform,gesellschaftsform,nature juridique,forme juridique,forma juridica,natureza juridica,forma giuridica,rechtsvorm,forma prawna,legal form,cnpj,cnae,cnaes,kvk,kvk nummer,krs,regon,=nip,organisationsnummer,orgnr,=cvr,=cif,partita iva,codice ateco,ateco,code ape,code naf,sic code*,naics*,sbi code,pkd,vergi no,法人番号,统一社会信用代码,사업자등록번호,ticker*,stock symbol,=duns,=lei',
    when: ofCompany,
  },
  {
    what: 'headquarters',
    weights: { signals: 1 },
    headers:
      'headquarter*,hq,=hq country,company location,company city,company country,firmensitz,hauptsitz,unternehmenssitz,=standort,siege*,ciudad sede,=sede,vestigingsplaats,hoofdkantoor,siedziba,huvudkontor,sate,hovedkontor,hovedsaede,merkez,本社*,所在地,总部*,본사*,소재지',
    when: ofCompany,
  },
  {
    what: 'websites',
    weights: { signals: 1.5 },
    headers:
      'website*,web site,=domain,company domain,domain name,homepage,home page,=url company,webseite*,internetseite,firmenwebseite,site web,site internet,sitio web,pagina web,=web,sito web,sito internet,dominio,domaine,strona www,strona internetowa,=www,hemsida,webbplats,webbsida,hjemmeside,web sitesi,internet sitesi,ホームページ,ウェブサイト,webサイト,公式サイト,企業url,会社url,官网,网站,网址,홈페이지,웹사이트',
    values: values.companySites,
    when: ofCompany,
  },
  {
    what: 'companies',
    weights: { signals: 2 },
    fields: ['company_name'],
    headers:
      'exhibitor*,aussteller*,exposant*,expositor*,espositor*,exposanten,wystawc*,出展社,出展者,参展商,참가업체,company*,companies,organization*,organisation*,startup*,start up,employer*,portfolio company,firmenname,=firma,firmen,unternehmen*,arbeitgeber*,entreprise*,=societe,raison sociale,denomination*,employeur*,empresa*,compania*,razon social,empleador,azienda*,=societa,impresa,ragione sociale,denominazione,companhia*,razao social,nome fantasia,empregador,bedrijf*,onderneming,werkgever*,firmy,spolka*,pracodawca*,przedsiebiorstw*,foretag*,bolag*,arbetsgivare*,virksomhed*,firmanavn,arbejdsgiver*,sirket*,firma adi,isveren*,会社*,企業*,社名,法人名,スタートアップ,公司*,企业*,회사*,기업*,업체*,스타트업',
    values: values.companyNames,
    when: ofCompany,
  },
];

export const KINDS_OF_SIGNALS: readonly EvidenceKind[] = [...EVENTS, ...JOBS, ...TEXTS, ...COMPANIES];
