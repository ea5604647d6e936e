/** Evidence for market signals: properties of companies. Specific kinds come first, because a column counts once. */
import type { EvidenceKind, TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

/** What a list of people says about companies is about their employers. */
export const ofCompany = ({ people }: TableFacts): boolean => !people;

export const KINDS_OF_COMPANIES: readonly EvidenceKind[] = [
  {
    what: 'headcounts',
    weights: { signals: 2 },
    fields: ['employee_count'],
    headers:
      'employees,employee count,employee range,employee size,number employees,headcount,head count,company size,team size,organization size,mitarbeiterzahl,mitarbeitende*,mitarbeiter,anzahl mitarbeiter,unternehmensgrosse,beschaftigte,effectif*,nombre salaries,taille entreprise,empleados,plantilla,tamano empresa,dipendenti,addetti,dimensione azienda,funcionarios,colaboradores,tamanho empresa,medewerkers,werknemers,bedrijfsgrootte,liczba pracownikow,wielkosc firmy,zatrudnieni*,antal anstallda,anstallda,ansatte,calisan sayisi,従業員数,社員数,従業員,员工人数,员工数,公司规模,企业规模,직원수,직원 수,사원수,종업원,기업규모',
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
