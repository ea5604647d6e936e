/**
 * Header synonyms for each field, from CRMs, funding databases, job boards, review sites, news monitors and social tools, in
 * English, German, French, Spanish, Italian, Portuguese and Dutch.
 *
 * A header matches only if it has all words of a phrase and no other ("Company Name for Emails" is not a company name). The
 * number is the trust in the header alone, from 0 to 1; values then lower it (score.ts).
 */

import { once } from '../../lib/once.ts';
import type { RecordType } from '../../model/record.ts';
import { bag, runTogether } from './header-words.ts';

/** Phrases by trust, the highest first. */
type Synonyms = Readonly<Record<number, string>>;
type SynonymsByField = Readonly<Record<string, Synonyms>>;

/** `{company}` in a phrase is replaced with each of these. Commas separate phrases. */
const CLASSES: Readonly<Record<string, string>> = {
  company:
    'company,organization,organisation,account,business,firm,employer,startup,unternehmen,firma,arbeitgeber,entreprise,societe,employeur,empresa,compania,organizacion,azienda,societa,impresa,companhia,organizacao,bedrijf,organisatie,onderneming,werkgever',
  person:
    'engager,author,commenter,liker,reactor,user,person,lead,contact,member,prospect,profile owner,sharer,autor,auteur,autore,nutzer,kommentator',
  item: 'article,news,story,job,posting,job posting,job post,job ad,vacancy,review,press release,announcement,source,event,signal,funding round,round,transaction,transaction name,artikel,quelle,nachricht,stelle,stellenanzeige,noticia,oferta,fuente,vacante,noticia,vaga,fonte,articolo,notizia,annuncio,offerta,bron,nieuws,bericht,vacature,annonce,actualite,offre,g2 page',
  link: 'url,link,permalink,href,lien,enlace,collegamento,weblink',
  name: 'name,nom,nombre,nome,naam',
  happened:
    'announced,announcement,published,publication,publish,posted,posting,post,detected,detection,discovered,event,signal,funding,funded,round,deal,review,news,article,visit,install,veroffentlichung,bekanntgabe,ereignis,meldung,annonce,parution,anuncio,publicacion,pubblicazione,annuncio,publicacao,publicatie,aankondiging,last funding,latest funding,recent funding,last round,latest round,job posted,listed,found',
  date: 'date,datum,fecha,data,time',
};

const companyDomain: Synonyms = {
  0.97: 'company domain,{company} domain,{company} domain name,{company} website,{company} website url,{company} website domain,website,website url,web site,website domain,root domain,primary domain',
  0.93: 'domain,domain name,homepage,home page,webseite,internetseite,internetadresse,site web,site internet,sitio web,pagina web,sito web,sito internet,{company} web,{company} homepage,{company} webseite,{company} site,company url direct,dominio,domaine',
  0.85: '{company} url,url {company},site,web,sito,web address,hostname,host,website link',
  0.82: 'url,link',
  0.65: 'email,e mail,work email,business email,{company} email,email address,contact email,corporate email,correo electronico,correo,adresse email,courriel,e mail adresse',
};

const signals: SynonymsByField = {
  company_name: {
    0.97: '{company} {name},company names,firmenname,unternehmensname,firmenbezeichnung,raison sociale,razon social,ragione sociale,razao social,denominazione,denominacion,denomination,bedrijfsnaam,organisatienaam',
    0.93: 'company,companies,organization,organisation,unternehmen,firma,entreprise,societe,empresa,azienda,societa,bedrijf,onderneming,deal organization,deal organisation,associated company,associated organization,primary company,portfolio company,target company,issuer',
    0.88: 'account,employer,startup,compania,impresa,arbeitgeber,employeur,werkgever,organisatie,brand name',
    0.6: 'business,firm,{company} legal name,legal name,brand,customer,client,customer name,client name,prospect,kunde,cliente,klant',
    0.55: 'name,nom,nombre,nome,naam',
  },
  company_domain: companyDomain,
  signal_title: {
    0.97: 'headline,signal,signal title,signal name,event title,event name,news title,news headline,article title,story title,job title,job name,posting title,job posting title,vacancy title,review title,review headline,announcement title,transaction name,funding round name,trigger event,uberschrift,schlagzeile,ereignis,stellenbezeichnung,stellentitel,jobtitel,stelle,intitule poste,titre article,titre offre,titre annonce,titular,titulo noticia,titulo puesto,puesto vacante,titolo articolo,titolo annuncio,titulo vaga,koptekst,functietitel,titel artikel,vacaturetitel',
    0.9: 'title,titel,titre,titulo,titolo,event,announcement,vacancy,vacante,vaga,vacature,poste,offre,intitule,what happened,open position,open role',
    0.7: 'deal title,deal name,opportunity name,subject,betreff,objet,asunto,oggetto,assunto,onderwerp,position,role,puesto,cargo,posizione,functie,job,news,trigger,occasion',
  },
  signal_source: {
    0.9: 'signal source,source type,source category,type source,signalquelle,quellenart,type bron',
    0.75: 'source,kind,channel,signal type,type signal,signal kind,quelle,fuente,fonte,bron,kanal,canal,canale,kanaal,art,origin,lead source,event type,trigger type',
    0.6: 'type,typ,tipo,category,kategorie,categorie,categoria',
  },
  description: {
    0.95: 'description,job description,job summary,article summary,news summary,review text,review body,review content,event description,signal description,beschreibung,stellenbeschreibung,descripcion,descrizione,descricao,omschrijving,beschrijving,description poste,description offre',
    0.9: 'summary,short description,long description,abstract,details,zusammenfassung,resumen,resumo,riassunto,samenvatting,sommario,kurzbeschreibung',
    0.7: 'about,full description,{company} description,content,body,text,opening text,snippet,excerpt,inhalt,contenu,contenido,contenuto,conteudo,inhoud,resume,overview,tagline,comments,anmerkung,bemerkung',
  },
  source_url: {
    0.97: 'source url,source link,{item} {link}',
    0.88: 'link,permalink,enlace,lien,collegamento,weblink,web link',
    0.85: 'url',
    0.84: 'source,quelle,fuente,fonte,bron',
    0.6: 'page url,landing page,reference,evidence,application url,apply url',
  },
  detected_at: {
    0.96: '{happened} {date},{happened},date {happened},first detected,first detected date,published at,posted at,detected at,discovered at,announced on,published on,posted on,detected on,listed time,listed at,last visit,last visit date,last visited,last seen,last seen at,visited at,veroffentlichungsdatum,veroffentlicht,erkannt,angekundigt,publie,publiee,publicado,pubblicato,gepubliceerd,geplaatst,publicatiedatum,erscheinungsdatum,occurred at,event time,date annonce,date publication,last raised at,last raised',
    0.84: 'date,datum,fecha,data',
    0.65: 'timestamp,time,created at,date added,added,date created,zeitstempel,zeit,hora,heure,last found,first visit',
  },
  signal_family: {
    0.95: 'signal family,signalfamilie',
    0.7: 'family,signal category,signal group,signal type,event category,trigger category,event type,trigger type',
    0.5: 'category,topic,theme,kategorie,categorie,categoria,thema,tema',
  },
  industry: {
    0.95: 'industry,industries,{company} industry,{company} industries,primary industry,primary industry sector,industry sector,vertical,industry vertical,branche,industrie,secteur activite,sector actividad,industria,settore attivita,setor atividade,wirtschaftszweig,bedrijfstak,ramo atividade',
    0.9: 'sector,secteur,settore,setor,sektor,branchen,{company} sector,{company} branche,rubro',
    0.6: 'market,segment,industry group,industry tags,markt,marche,mercado,mercato,sub industry',
  },
  funding_amount: {
    0.95: 'funding amount,amount raised,money raised,raised amount,funds raised,capital raised,round size,round amount,deal size,last funding amount,latest funding amount,recent funding amount,total funding amount,total funding,total raised,total amount raised,investment amount,funding,raised,funding raised,montant leve,montant levee,importo raccolto,importe recaudado,monto levantado,monto recaudado,capital recaudado,valor captado,valor levantado,finanzierungssumme,finanzierungsbetrag,opgehaald bedrag,financieringsbedrag,last round amount,last round size',
    0.6: 'amount,betrag,montant,importo,importe,monto,valor,bedrag,investment,finanzierung,finanziamento,financiacion,financiamento,investering,levee',
  },
  employee_count: {
    0.97: 'employees,number employees,employee count,employees count,headcount,{company} headcount,{company} employees,{company} employee count,{company} number employees,{company} num employees,num employees,no employees,staff count,estimated employees,total employees,mitarbeiter,mitarbeiterzahl,anzahl mitarbeiter,mitarbeiteranzahl,beschaftigte,effectif,effectifs,nombre employes,nombre salaries,salaries,empleados,numero empleados,plantilla,dipendenti,numero dipendenti,addetti,funcionarios,numero funcionarios,colaboradores,medewerkers,aantal medewerkers,aantal werknemers,werknemers,personeelsleden',
    0.86: '{company} size,employee range,employees range,employee size,staff,size employees,unternehmensgrosse,taille entreprise,tamano empresa,dimensione azienda,tamanho empresa,bedrijfsgrootte,team size,fte',
    0.6: 'size,personnel,workforce,grosse,taille,tamano,dimensione,tamanho,personal',
  },
  location: {
    0.96: 'location,{company} location,hq location,headquarters location,location hq,headquarters,standort,firmensitz,hauptsitz,localisation,siege social,ubicacion,sede,localizacao,locatie,vestigingsplaats,hoofdkantoor,job location,sitz,lieu',
    0.84: 'city,{company} city,hq city,ort,stadt,ville,ciudad,citta,localita,cidade,plaats,stad,locations,hq,siege,city state,city country,city location',
    0.82: 'country,{company} country,hq country,country region,land,pays,pais,paese,billing country,state,state province,billing city,region,bundesland',
  },
  hotness_score: {
    0.95: 'hotness,hotness score,heat score,signal score,signal strength,intent score,buying intent score,buyer intent score',
    0.6: 'score,lead score,temperature,priority score,heat,punkte,puntuacion,punteggio,pontuacao',
  },
};

const social: SynonymsByField = {
  platform: {
    0.95: 'platform,social platform,network,social network,netzwerk,soziales netzwerk,plattform,reseau,reseau social,plateforme,plataforma,red social,piattaforma,rede social,netwerk,social media',
    0.8: 'channel,site,source,kanal,canal,canale,kanaal,social channel,media type',
  },
  engagement_type: {
    0.96: 'engagement type,type engagement,engagement,interaction,interaction type,reaction,reaction type,engagement action,interaktion,interaktionsart,reaktion,type interaction,tipo interaccion,interaccion,reaccion,interazione,tipo interazione,reazione,interacao,tipo interacao,reacao,interactie,reactie type',
    0.82: 'action,activity type,event type,activity,action type,aktion,accion,azione,acao,actie',
    0.65: 'type,event,typ,tipo,kind',
  },
  engager_profile_url: {
    0.96: 'profile url,profile link,{person} profile url,{person} profile link,{person} profile,{person} linkedin url,{person} linkedin profile,{person} linkedin profile url,linkedin profile url,linkedin profile,linkedin profile link,linkedin url,user profile url,public profile url,{person} url,{person} link,profil url,profil link,url profil,lien profil,url perfil,enlace perfil,link perfil,url profilo,link profilo,profiel url,profiel link,profil linkedin,perfil linkedin,profilo linkedin,linkedin profiel,twitter profile url,x profile url',
    0.85: 'profile,profil,perfil,profilo,profiel,linkedin,{person} linkedin',
    0.5: 'url,link',
  },
  company_domain: { ...companyDomain, 0.95: '{person} company domain,{person} company website,{person} website' },
  warmth_hint: {
    0.96: 'warmth,warmth score,warmth hint,lead warmth,warme,chaleur,calor,calore,warmte',
    0.6: 'engagement score,heat,heat score,score,lead score,intent score',
  },
  engager_name: {
    0.96: 'full name,{person} name,{person} full name,contact name,display name,name surname,vollstandiger name,nom complet,nombre completo,nome completo,volledige naam,nom prenom,vorname nachname,nombre apellido,nombre apellidos,nome cognome',
    0.88: 'name,naam,engager,commenter,liker,reactor',
    0.84: 'author,autor,auteur,autore,nom,nome,nombre,person,user,member',
    0.5: 'username,user name,screen name,handle,account',
  },
  engager_title: {
    0.97: 'job title,{person} job title,{person} title,{person} position,{person} occupation,position title,current title,current position,current position title,berufsbezeichnung,jobtitel,position,poste,fonction,intitule poste,puesto,cargo,posizione,ruolo,qualifica,functie,functietitel',
    0.94: 'title,occupation,role,beruf,titel',
    0.86: 'headline,{person} headline,linkedin headline,tagline',
  },
  engager_company: {
    0.97: '{company} {name},{person} company,{person} company name,{person} organization,current company,current company name,employer,works at,firmenname,unternehmensname,bedrijfsnaam,raison sociale,razon social,ragione sociale,razao social',
    0.93: '{company}',
  },
  engagement_content: {
    0.96: 'comment,comment text,comment content,comment body,commentary,reply,reply text,engagement text,mention text,kommentar,kommentartext,commentaire,texte commentaire,comentario,texto comentario,commento,testo commento,opmerking',
    0.82: 'message,nachricht,mensaje,messaggio,mensagem,bericht',
    0.6: 'text,content,body,texte,texto,testo,tekst,inhalt,contenu',
  },
  post_content: {
    0.96: 'post content,post text,post body,post message,tweet text,tweet content,update text,original post text,beitragstext,text beitrag,texte post,texte publication,contenu post,texto publicacion,contenido publicacion,testo post,contenuto post,texto post,conteudo post,tekst bericht,tekst post',
    0.84: 'post,tweet,post title,original post,update title,beitrag',
    0.5: 'text,content',
  },
  post_url: {
    0.97: 'post {link},tweet {link},update {link},original post {link},linkedin post {link},status {link},activity {link},beitrag {link},beitragslink,publication {link},publicacion {link},publicacao {link},content {link},engaged post {link}',
    0.86: 'permalink,post,tweet',
    0.6: 'url,link',
  },
  engagement_date: {
    0.96: 'engagement {date},engaged at,engaged,comment {date},commented at,commented,reaction {date},reacted at,reacted,interaction {date},like {date},liked at,mention {date},mentioned at,repost {date},kommentiert,commentaire date,fecha comentario,fecha interaccion,data commento,data interazione,data interacao',
    0.86: 'date,datum,fecha,data,published at,published,created at,occurred at',
    0.5: 'timestamp,time,created date,post date,posted at',
  },
};

/** Headers of the two parts of a person's name. */
export const firstNames = once(() =>
  index({ 1: 'first name,given name,forename,vorname,prenom,primer nombre,nome proprio,voornaam,{person} first name' }),
);
export const lastNames = once(() =>
  index({
    1: 'last name,family name,surname,nachname,familienname,nom famille,apellido,apellidos,cognome,sobrenome,apelido,achternaam,{person} last name',
  }),
);

const SYNONYMS: Readonly<Record<RecordType, SynonymsByField>> = { signals, social };

/** Built for one field at a time: none is needed if the columns have the names of fields. */
const indexes: Readonly<Record<RecordType, Map<string, ReadonlyMap<string, number>>>> = {
  signals: new Map(),
  social: new Map(),
};

/** The trust in each phrase, by bag of words. Empty for a field without phrases. */
export function synonymsOf(type: RecordType, field: string): ReadonlyMap<string, number> {
  const known = indexes[type].get(field);
  if (known !== undefined) return known;
  const made = index(SYNONYMS[type][field] ?? {});
  indexes[type].set(field, made);
  return made;
}

function index(synonyms: Synonyms): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  for (const [trust, phrases] of Object.entries(synonyms)) {
    for (const phrase of phrases.split(',').flatMap(expand)) {
      for (const key of [bag(phrase), runTogether(phrase)]) {
        // The first entry has the highest trust.
        if (key !== '' && !result.has(key)) result.set(key, Number(trust));
      }
    }
  }
  return result;
}

function expand(phrase: string): readonly string[] {
  const found = /\{(\w+)\}/.exec(phrase);
  const list = found?.[1] === undefined ? undefined : CLASSES[found[1]];
  if (found === null || list === undefined) return [phrase];
  return list.split(',').flatMap((word) => expand(phrase.replace(found[0], word)));
}
