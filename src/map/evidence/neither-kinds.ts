/** Evidence for neither type: records of a business about its own work, and totals instead of events. `what` completes "the rows look like …". */
import type { EvidenceKind, TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

const ofPeople = ({ people }: TableFacts): boolean => people;

/** Totals of posts: with authors, a row is still a person's post. */
const withoutAuthors = ({ authors }: TableFacts): boolean => !authors;

export const KINDS_OF_NEITHER: readonly EvidenceKind[] = [
  {
    what: 'contacts without an event',
    weights: { neither: 3 },
    headers:
      'first name,firstname,last name,lastname,given name,family name,surname,forename,full name,fullname,vorname,nachname,familienname,prenom,nom famille,nombre completo,apellido*,cognome,sobrenome,apelido,voornaam,achternaam,imie,nazwisko,imie nazwisko,fornamn,efternamn,fornavn,efternavn,ad soyad,soyad*,氏名,姓,名前,姓名,이름,성명,=name',
    when: ofPeople,
  },
  {
    what: 'contact data',
    weights: { neither: 1.5 },
    headers:
      'email*,e mail*,phone*,mobile*,cell,telefon*,handy,telephone*,portable,correo*,telefono*,movil,celular,cellulare,telemovel,telefoon*,mobiel,komorka,mobil*,電話*,メール*,邮箱,手机*,电话,전화*,이메일,휴대폰',
    values: values.emails,
  },
  {
    what: 'totals of posts',
    weights: { neither: 2, social: -2 },
    headers:
      'impression*,reach,engagement rate,impressionen,reichweite,portee,alcance,impresiones,impressoes,copertura,bereik,weergaven,wyswietleni*,zasieg*,visningar,rackvidd,visninger,raekkevidde,gosterim*,erisim,インプレッション,リーチ,エンゲージメント率,曝光*,覆盖,노출*,도달*',
    when: withoutAuthors,
  },
  {
    // Companies and persons as accounts: their own posts, not what others did with them.
    what: 'posts of accounts',
    weights: { neither: 3.5, social: -3.5 },
    headers: 'account type',
    check: ({ texts }) =>
      texts.length > 0 && texts.every((text) => /^(?:company|individual|person|page)$/iu.test(text)),
    when: withoutAuthors,
  },
  {
    what: 'totals of clicks',
    weights: { neither: 2, social: -1.5 },
    headers:
      'clicks,=click,link clicks,url clicks,click through rate,ctr,profile visits,profile clicks,klicks,klickrate,clics,taux clic,taux clics,=clicks,clic,tasa clics,cliques,taxa cliques,klikken,kliknieci*,klik,klikrate,tiklama*,クリック*,点击*,클릭*',
    when: withoutAuthors,
  },
  {
    what: 'results of advertising',
    weights: { neither: 3, social: -1 },
    headers:
      'campaign*,ad group,adgroup*,ad set,adset*,ad name,ad id,ad spend,=spend,amount spent,=cost,cost per,cpc,cpm,cpa,roas,kampagne*,anzeigengruppe,anzeige,werbekosten,campagne*,groupe annonces,depense*,campana*,gasto,campagna*,spesa,campanha*,investimento midia,kampania*,koszt*,kampanj*,kampanya*,harcama,キャンペーン,広告*,広告費,広告グループ,广告*,推广*,캠페인,광고*',
    when: withoutAuthors,
  },
  {
    what: 'visits of a website in total',
    weights: { neither: 2.5 },
    headers:
      'sessions,=users,new users,active users,bounce rate,page views,pageviews,unique visitors,=visitors,=visits,conversions,conversion rate,avg session*,sitzungen,absprungrate,seitenaufrufe,besucher,nutzer,pages vues,visiteurs,taux rebond,sesiones,usuarios activos,paginas vistas,porcentaje rebote,tasa rebote,sessioni,utenti,visualizzazioni pagina,sessoes,usuarios,visualizacoes pagina,visualizacoes,taxa rejeicao,sessies,paginaweergaven,bezoekers,sesje,odslony,wspolczynnik odrzucen,sidvisningar,besok*,sidevisninger,oturum*,ziyaret*,セッション*,ページビュー,pv数,訪問者数,直帰率,访问量,浏览量,跳出率,세션,방문자*,페이지뷰,이탈률',
    check: values.counts,
  },
  {
    what: 'telephone calls',
    weights: { neither: 3 },
    headers:
      '=call,call id,call type,call date,call time,call start,call duration,call outcome,call direction,call result,call status,call recording,call disposition,call notes,calls,=caller,caller*,callee*,dialed,recording url,voicemail*,talk time,=duration,=duracion,=duree,=dauer,=durata,=duracao,=duur,anruf*,gesprachsdauer,gesprach*,duree appel,appels,type appel,llamada*,chiamat*,ligacao,ligacoes,chamada*,gesprek*,polaczeni*,rozmow*,samtal*,opkald*,arama*,通話*,架電*,通话*,呼叫*,통화시간,통화일',
  },
  {
    what: 'support tickets',
    weights: { neither: 3 },
    headers:
      'ticket*,issue key,issue type,issue id,case number,case id,case status,incident*,first response*,resolution*,resolved*,=sla,sla*,requester*,support agent,numero ticket,vorgangsnummer,storung*,zgloszeni*,reklamacj*,チケット*,問い合わせ*,問合せ*,工单*,티켓*,문의*',
  },
  {
    what: 'activities of a CRM',
    weights: { neither: 2 },
    headers:
      'activity type,activity date,activity subject,activity owner,=done,aktivitatstyp,aktivitatsart,type activite,tipo actividad,tipo attivita,tipo atividade,typ aktywnosci,活動種別,活动类型,활동유형',
    check: (profile) => !values.reactions(profile),
  },
  {
    what: 'tasks',
    weights: { neither: 2 },
    headers:
      'assignee*,priority,=task,task name,task id,tasks,due date,completed at,prioritat,bearbeiter,zustandig*,aufgabe*,faellig*,fallig*,priorite,echeance,tache*,prioridad,tarea*,vencimiento,priorita,scadenza,prioridade,tarefa*,prioriteit,taak,priorytet,zadani*,prioritet,opgave*,oncelik,優先度,タスク*,期限,优先级,任务,우선순위',
  },
  {
    what: 'invoices or orders',
    weights: { neither: 3 },
    headers:
      'invoice*,bill number,order id,order number,order no,order date,order status,order total,=order,purchase order,po number,quantity,qty,unit price,subtotal,tax,tax amount,vat amount,vat rate,net amount,gross amount,amount due,amount paid,payment*,paid,shipping*,shipment*,discount*,line item*,customer number,customer id,rechnung*,mwst*,ust,nettobetrag,bruttobetrag,netto,brutto,bestell*,kundennummer,kundennr,menge,einzelpreis,gesamtpreis,zahlung*,bezahlt,facture*,montant ht,montant ttc,tva,commande*,quantite,prix unitaire,reglement,paiement*,factura*,=iva,importe total,base imponible,pedido*,cantidad,precio unitario,forma pago,fattura*,fatturazione,imponibile,ordine*,quantita,prezzo unitario,pagamento*,nota fiscal,fatura*,quantidade,preco unitario,valor total,factuur*,btw,bestelling*,=aantal,stukprijs,betaling*,faktura*,faktury,zamowieni*,=ilosc,cena jednostkowa,platnos*,moms,ordernummer,=antal,fakturanummer,ordre*,siparis*,miktar,birim fiyat,kdv,odeme*,請求*,注文*,=数量,単価,税額,消費税,小計,支払*,发票*,订单*,单价,支付*,税额,송장,주문*,=수량,단가,결제*,세액',
    check: (profile) => !values.companyNames(profile),
  },
  {
    what: 'stock of products',
    weights: { neither: 3 },
    headers:
      'sku,stock level,stock quantity,in stock,=stock,inventory*,warehouse*,barcode,=ean,gtin,=upc,reorder*,product id,product code,lagerbestand,lager*,bestand*,artikelnummer,artikelnr,artikelbezeichnung,entrepot*,reference produit,almacen*,existencias,codigo barras,magazzino,giacenza,codice articolo,estoque,codigo produto,voorraad*,artikelnummer,magazyn*,stan magazynowy,kod produktu,lagersaldo,varenummer,stok*,urun kodu,在庫*,倉庫*,商品コード,品番,库存*,仓库*,商品编码,재고*,창고*,상품코드',
  },
  {
    what: 'prices',
    weights: { neither: 1 },
    headers: '=price,list price,=preis,=prix,=precio,=prezzo,=preco,=prijs,=cena,=pris,=fiyat,価格,价格,가격',
  },
  { what: 'answers to a survey', weights: { neither: 3 }, headers: '?', when: ({ asks }) => asks },
  {
    what: 'answers to a survey',
    weights: { neither: 3 },
    headers:
      'respondent*,response id,=nps,nps score,survey*,questionnaire,question*,how satisfied,how likely,satisfaction*,umfrage*,frage*,zufriedenheit*,weiterempfehl*,enquete*,reponse*,encuesta*,pregunta*,respuesta id,satisfaccion*,sondaggio*,domanda*,soddisfazione,pesquisa*,pergunta*,satisfacao,tevredenheid*,vraag*,ankiet*,pytani*,zadowoleni*,undersokning*,fraga*,sporgsmal*,anket*,soru*,アンケート*,回答*,設問*,満足度*,问卷*,满意度*,설문*,만족도*,응답*',
  },
  {
    what: 'results of e-mail campaigns',
    weights: { neither: 3 },
    headers:
      'open rate,=opens,opened,opened at,unsubscribe*,bounced,bounces,delivered,delivery rate,subject line,recipients,emails sent,sent emails,offnungsrate,abmeldung*,taux ouverture,desabonn*,tasa apertura,tasso apertura,taxa abertura,openingsratio,wskaznik otwarc,開封率,配信数,打开率,오픈율',
  },
  {
    what: 'employees of one company',
    weights: { neither: 3, signals: -1 },
    headers:
      'employee id,employee name,employee number,emp id,staff id,hire date,hired date,date hired,date joining,payroll*,leave balance,vacation days,line manager,termination date,performance rating,personalnummer,eintrittsdatum,austrittsdatum,abteilung,urlaubstage,matricule,date embauche,fecha contratacion,fecha ingreso,matricola,data assunzione,data admissao,matricula,personeelsnummer,datum indiensttreding,data zatrudnienia,numer pracownika,anstallningsnummer,anstallningsdatum,ansaettelsesdato,sicil no,ise giris*,社員番号,入社日,部署,工号,入职日期,部门,사번,입사일,부서',
  },
  {
    what: 'payments and expenses',
    weights: { neither: 3 },
    headers:
      'expense*,receipt*,merchant*,spesen,beleg*,note frais,recibo*,scontrino,bon depense,wydatek,wydatki,領収書,経費,报销,지출,debit,credit,=balance,account balance,iban,bic,swift,account number,bank account,transaction id,transaction type,account statement*,kontostand,kontonummer,buchung*,buchungstag,verwendungszweck,valuta,soll,haben,solde,libelle,compte bancaire,saldo,concepto,cuenta bancaria,causale,conto corrente,extrato,conta bancaria,rekening*,tegenrekening,rachunek*,numer rachunku,tytul przelewu,kontosaldo,hesap no,bakiye,残高,取引日,取引内容,取引金額,口座*,余额,交易*,账户,잔액,거래*,계좌*',
  },
  {
    what: 'meetings',
    weights: { neither: 3 },
    headers:
      'attendee*,organizer*,meeting*,start time,end time,=start,=end,calendar*,invitee*,teilnehmer*,besprechung*,=termin,beginn,participants,reunion*,asistente*,riunione*,partecipant*,reuniao,participante*,vergadering*,deelnemer*,spotkani*,uczestni*,=mote,deltagare,toplanti*,katilimci*,会議*,参加者,会议*,参会*,회의*,참석자',
  },
  {
    what: 'candidates for jobs',
    weights: { neither: 3, signals: -1.5 },
    headers:
      'candidate*,=applicant,applicant name,applicant email,applied on,applied date,bewerber*,candidat*,candidato*,kandidat*,応募者,候补人,候选人,지원자',
  },
  {
    what: 'works of science or art',
    weights: { neither: 3, signals: -4 },
    headers: 'isbn*,issn,doi,pmid,arxiv*,citation*,cited by,=genre,genres,=artist,=album,=track,著者名,书名,작가',
  },
  {
    what: 'plans for posts',
    weights: { neither: 2.5, social: -2.5 },
    headers:
      'scheduled*,schedule date,=draft,post status,content pillar,content calendar,approval status,geplant*,planifie*,programado*,programmato,gepland*,zaplanowan*,予約投稿,定时发布,예약',
  },
  {
    what: 'working hours',
    weights: { neither: 2.5 },
    headers:
      '=hours,billable*,hours worked,timesheet*,time spent,stunden,arbeitsstunden,heures travaillees,horas trabajadas,ore lavorate,gewerkte uren,=uren,godziny,timer,労働時間,工数,工时,근무시간',
    check: values.counts,
  },
  {
    what: 'logs of a server',
    weights: { neither: 3 },
    headers:
      'user agent,useragent,status code,http status,request id,request path,response time,log level,=ip,ip address,アクセスログ,日志,로그',
  },
  {
    what: 'property for sale or rent',
    weights: { neither: 3 },
    headers:
      'bedroom*,bathroom*,sqft,square feet,sq ft,zimmer,wohnflache,surface habitable,habitaciones,dormitorios,banos,camere,kamers,woonoppervlakte,pokoje,間取り,専有面積,户型,方数',
  },
  {
    what: 'courses and grades',
    weights: { neither: 3 },
    headers:
      'student*,grade*,course*,semester*,schuler*,klasse,etudiant*,eleve*,matiere,alumno*,asignatura,studente,studenti,materia,aluno*,disciplina,leerling*,uczen,uczniowie,przedmiot,学生*,学籍,成績,成绩,학생*,성적',
  },
  {
    what: 'private messages',
    weights: { neither: 2.5, social: -1 },
    headers:
      'conversation title,sender*,recipient*,=inbox,=folder,message id,thread id email,absender,empfanger,expediteur,destinataire,remitente,destinatario,mittente,afzender,ontvanger,nadawca,odbiorca,送信者,受信者,发件人,收件人,발신자,수신자',
  },
];
