/** Evidence for market signals: what happened to companies. Specific kinds come first, because a column counts once. */
import { KINDS_OF_COMPANIES, ofCompany } from './company-kinds.ts';
import type { EvidenceKind } from './kinds.ts';
import * as values from './value-forms.ts';

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
    what: 'legal notices of companies',
    proposes: { signal_source: 'other' },
    weights: { signals: 2.5 },
    headers:
      'tribunal*,greffe*,amtsgericht,insolven*,bankrupt*,liquidat*,receivership,filing court,redressement*,procedure collective,concurso acreedores,juzgado mercantil,fallimento*,faillissement*,curator,upadlosc*,restrukturyzacj*,konkurs*,likvidat*,borme*,bodacc*,registro mercantil,datos registral*,handelsregister*,倒産,破産,破产,清算,파산,회생',
  },
  {
    what: 'contracts awarded',
    proposes: { signal_source: 'news' },
    weights: { signals: 3.5, neither: -1 },
    headers:
      'award amount,award id,grantee*,grant amount,forder*,zuwendung*,subvention*,beneficiar*,subsid*,dotacj*,補助金,助成金,资助,보조금,awarding agency,recipient name award,tender title,tender id,tender value,tender date,award date,award value,awarded to,awardee,contracting authority,ausschreibung*,vergabe*,auftraggeber,zuschlag*,appel offres,marche public,licitacion*,adjudicat*,beneficjent*,appalto,gara,licitacao,licitacoes,aanbesteding*,przetarg*,zamawiajacy,upphandling*,udbud*,ihale*,入札,落札,招标,中标,입찰,낙찰',
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
      'job posting*,job post*,job opening*,job url,job link,job id,job description,job location,job type,job ad,job category,job board,jobs posted,posting url,posting date,posting title,apply url,apply link,application url,application deadline,openings,open position*,open role*,vacanc*,vacature*,vacante*,stellenanzeige*,stellenausschreibung*,stellentitel,stellenbezeichnung,stellen*,jobtitel,jobbezeichnung,ausschreibung*,bewerbungsfrist,einsatzort,arbeitsort,offre emploi,intitule poste,intitule offre,reference offre,lien offre,description poste,date limite candidature,oferta empleo,oferta trabajo,puesto vacante,annuncio lavoro,offerta lavoro,titolo annuncio,=vaga,vagas,titulo vaga,link vaga,descricao vaga,data vaga,oferta pracy,oferty,ogloszeni*,platsannons,arbetsplats,stillingsopslag,stillingsannonce,jobopslag,is ilani,ilan basligi,求人*,募集*,応募,仕事内容,招聘*,岗位,채용,공고,모집',
    values: values.jobPages,
  },
  {
    what: 'employers',
    proposes: { signal_source: 'job_posting' },
    weights: { signals: 2.5, neither: -2 },
    headers: '=employer,=arbeitgeber,=employeur,=empleador,=empregador,=werkgever,=arbetsgivare,=pracodawca,=isveren',
    when: ofCompany,
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
      'job title,job name,job,position title,position name,role title,=position,=role,=beruf,=stelle,=poste,=puesto,=cargo,=posizione,=functie,functietitel,stanowisk*,tjanst,befattning,stilling*,pozisyon,職種,職位,ポジション,职位,职务,직무,직책,포지션',
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
      'article*,news*,publisher*,=publication,publication name,newspaper*,outlet,media outlet,media name,source name,source domain,story,=artikel,artikel url,artikel link,artikeltitel,artikeltext,nachrichtenquelle,herausgeber,titre article,journal,noticia*,periodico,medio comunicacion,articolo,notizia*,testata,giornale,jornal,veiculo,nieuws*,krant,artykul*,gazeta,wydawca,tytul artykulu,nyhet*,nyhed*,tidning,haber*,gazete,記事,ニュース,新聞,媒体,掲載,新闻,报道,기사,뉴스,언론사,보도',
  },
  {
    what: 'press releases',
    proposes: { signal_source: 'news' },
    weights: { signals: 2.5 },
    headers:
      'press release*,pressemitteilung*,communique*,comunicado prensa,comunicato stampa,persbericht*,komunikat*,プレスリリース,新闻稿,보도자료',
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

export const KINDS_OF_SIGNALS: readonly EvidenceKind[] = [...EVENTS, ...JOBS, ...TEXTS, ...KINDS_OF_COMPANIES];
