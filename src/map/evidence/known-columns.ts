/** The columns of a table as evidence sees them, and the facts about the whole table. */
import type { Column } from '../discover/column.ts';
import { detectTopic } from '../discover/table-topic.ts';
import { type Header, headerOf, phraseMatcher } from './header-phrases.ts';
import type { TableFacts } from './kinds.ts';
import { personalEmails } from './value-forms.ts';

export interface Known {
  readonly column: Column;
  readonly header: Header;
  /** Without the words that most headers have: of `tweet.like_count`, only `like count`. */
  readonly own: Header;
}

/** An empty column shows what an export can contain, not what this one contains. */
export function knownColumns(all: readonly Column[]): readonly Known[] {
  const filled = all.filter(({ profile }) => profile.texts.length > 0 || profile.nested);
  const shown = (filled.length === 0 ? all : filled).map((column) => ({ column, header: headerOf(column.name) }));
  const common = commonWords(shown.map(({ header }) => header));
  return shown.map(({ column, header }) => ({
    column,
    header,
    own: common.size === 0 ? header : headerOf(column.name, common),
  }));
}

/** Words of more than half of the headers. */
function commonWords(headers: readonly Header[]): ReadonlySet<string> {
  const counted = new Map<string, number>();
  for (const word of headers.flatMap((header) => [...new Set(header.words)])) {
    counted.set(word, (counted.get(word) ?? 0) + 1);
  }
  return new Set([...counted].flatMap(([word, times]) => (times >= 3 && times > headers.length / 2 ? [word] : [])));
}

export function factsOf(columns: readonly Known[]): TableFacts {
  return {
    people: rowsArePeople(columns),
    authors: columns.some(isAuthor),
    asks: columns.filter(({ header }) => header.question).length > 1,
  };
}

/** Headers of people that a table of companies also has: its contacts. */
const ROLES =
  'founder*,ceo*,contact*,owner,recruiter*,hiring*,manager*,decision*,investor*,lead investor,grunder*,geschaftsfuhr*,ansprechpartner,fondateur*,dirigeant*,responsable,fundador*,contacto,fondator*,referente,socio*,oprichter*,zalozyciel*,prezes*,代表*,創業者,创始人,대표*';
const PARTS_OF_NAMES =
  'first name,firstname,last name,lastname,given name,surname,full name,fullname,vorname,nachname,prenom,nom famille,nombre completo,apellido*,cognome,sobrenome,apelido,voornaam,achternaam,imie,nazwisko,fornamn,efternamn,fornavn,efternavn,soyad*,氏名,姓名,名前,성명';

const BARE_NAMES = '=name,=nom,=nombre,=nome,=naam,=navn,=namn,=isim,=ad,=姓名,=名前,=이름,=full name';
const JOBS_OF_PEOPLE =
  'job title,=title,=titel,=position,=role,=poste,=fonction,=puesto,=cargo,=ruolo,=qualifica,=functie,=stanowisko,役職,职位,직책';

function rowsArePeople(columns: readonly Known[]): boolean {
  const ofRoles = phraseMatcher(ROLES);
  const own = columns.filter(({ header }) => !ofRoles(header));
  const has = (headers: string): boolean => own.some(({ header }) => phraseMatcher(headers)(header));
  // Names of people are too many to be listed, but their addresses differ from those of companies.
  const addressed = own.some(({ column }) => personalEmails(column.profile));
  return (
    has(PARTS_OF_NAMES) ||
    (addressed && has(BARE_NAMES) && has(JOBS_OF_PEOPLE)) ||
    detectTopic(own.map(({ column }) => column)).people
  );
}

const AUTHORS =
  'author*,=user,user name,=username,user username,userscreenname,user handle,screen name,screenname,handle,from user,commenter*,display name,autor*,auteur*,autore*,usuario,utente,nutzer*,benutzer*,utilisateur,pseudo,gebruiker*,uzytkownik*,anvandare,bruger*,kullanici*,ユーザー*,投稿者,アカウント名,用户*,作者,昵称,博主,사용자*,작성자,닉네임';

function isAuthor({ header, column }: Known): boolean {
  return phraseMatcher(AUTHORS)(header) && !column.profile.texts.every((text) => /^\d{1,6}$/u.test(text));
}
