/** Weighs the evidence of a table: what its rows are, and why. */
import { contracts } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import type { Column } from '../discover/column.ts';
import { candidateFor } from '../discover/score.ts';
import { detectTopic } from '../discover/table-topic.ts';
import { fileEvidence } from './file-words.ts';
import { type Header, headerOf, phraseMatcher } from './header-phrases.ts';
import {
  type ColumnEvidence,
  ENOUGH,
  type EvidenceKind,
  FURTHER,
  MARGIN,
  MOST_FURTHER,
  type TableFacts,
  type Verdict,
} from './kinds.ts';
import { measures } from './measures.ts';
import { NEITHER_KINDS } from './neither-kinds.ts';
import { KINDS_OF_SIGNALS } from './signals-kinds.ts';
import { KINDS_OF_SOCIAL } from './social-kinds.ts';
import { personalEmails } from './value-forms.ts';

/** A field's header that is trusted this far is evidence of what the field is. */
const TRUSTED = 0.82;

export interface Weighed {
  /** Undefined if no verdict has enough evidence, or two have similar evidence. */
  readonly verdict: Verdict | undefined;
  readonly totals: Readonly<Record<Verdict, number>>;
  /** Evidence in favour of each verdict, the strongest first. */
  readonly evidence: Readonly<Record<Verdict, readonly ColumnEvidence[]>>;
}

const KINDS: Readonly<Record<Verdict, readonly EvidenceKind[]>> = {
  signals: KINDS_OF_SIGNALS,
  social: KINDS_OF_SOCIAL,
  neither: NEITHER_KINDS,
};

const VERDICTS = ['signals', 'social', 'neither'] as const;

export interface Evidence {
  readonly column: Column;
  readonly kind: EvidenceKind;
}

interface Known {
  readonly column: Column;
  readonly header: Header;
  /** Without the words that most headers have: of `tweet.like_count`, only `like count`. */
  readonly own: Header;
}

/** @param file the input's name: weak evidence */
export function weighTable(all: readonly Column[], file: string): Weighed {
  const columns = knownColumns(all);
  const facts = factsOf(columns);
  const totals: Record<Verdict, number> = { signals: 0, social: 0, neither: 0 };
  const evidence: Record<Verdict, readonly ColumnEvidence[]> = { signals: [], social: [], neither: [] };
  for (const type of VERDICTS) {
    const found = evidenceIn(KINDS[type], columns, facts);
    const kinds = new Set(found.map((each) => each.kind));
    for (const kind of [...kinds].every(({ context }) => context) ? [] : kinds) {
      for (const verdict of VERDICTS) totals[verdict] += kind.weights[verdict] ?? 0;
      const further = found.filter((each) => each.kind === kind).length - 1;
      totals[type] += FURTHER[type] * Math.min(further, MOST_FURTHER);
    }
    evidence[type] = found
      .filter(({ column }, index) => found.findIndex((each) => each.column === column) === index)
      .map(({ column, kind }) => ({ column: column.name, what: kind.what, weight: kind.weights[type] ?? 0 }));
  }
  const measured = measures(columns.map(({ column }) => column));
  totals.neither += measured[0]?.weight ?? 0;
  evidence.neither = [...evidence.neither, ...measured];
  const named = fileEvidence(file);
  if (named !== undefined) totals[named] += 1;
  for (const verdict of VERDICTS) {
    evidence[verdict] = [...evidence[verdict]].sort((one, other) => other.weight - one.weight);
  }
  return { verdict: decide(totals), totals, evidence };
}

/** The columns that are evidence for a type, the strongest first. */
export function evidenceFor(type: RecordType, all: readonly Column[]): readonly Evidence[] {
  const columns = knownColumns(all);
  const weightOf = ({ kind }: Evidence): number => kind.weights[type] ?? 0;
  return [...evidenceIn(KINDS[type], columns, factsOf(columns))].sort((one, other) => weightOf(other) - weightOf(one));
}

/** An empty column shows what an export can contain, not what this one contains. */
function knownColumns(all: readonly Column[]): readonly Known[] {
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

function factsOf(columns: readonly Known[]): TableFacts {
  return { people: rowsArePeople(columns), authors: columns.some(isAuthor) };
}

function decide(totals: Readonly<Record<Verdict, number>>): Verdict | undefined {
  const [best, second] = [...VERDICTS].sort((one, other) => totals[other] - totals[one]);
  if (best === undefined || second === undefined) return undefined;
  return totals[best] >= ENOUGH[best] && totals[best] - totals[second] >= MARGIN ? best : undefined;
}

/** Each column supports the first kind that it fits, apart from kinds that it fits only by the words of most headers. */
function evidenceIn(kinds: readonly EvidenceKind[], columns: readonly Known[], facts: TableFacts): readonly Evidence[] {
  const used = new Set<Known>();
  return kinds
    .filter(({ when }) => when === undefined || when(facts))
    .flatMap((kind) => {
      const shows = showsKind(kind);
      const those = columns.filter((column) => !used.has(column) && shows(column));
      for (const known of those) {
        if (known.own === known.header || shows({ ...known, header: known.own })) used.add(known);
      }
      return those.map(({ column }) => ({ column, kind }));
    });
}

const matchers = new Map<string, (header: Header) => boolean>();

function matcherOf(phrases: string): (header: Header) => boolean {
  const known = matchers.get(phrases) ?? phraseMatcher(phrases);
  matchers.set(phrases, known);
  return known;
}

function showsKind({ headers, fields = [], check, values }: EvidenceKind): (known: Known) => boolean {
  const inHeader = headers === undefined ? undefined : matcherOf(headers);
  const all = Object.values(contracts);
  return ({ column, header }) => {
    if (values?.(column.profile) === true) return true;
    if (inHeader?.(header) === true) {
      if (check === undefined || column.profile.texts.length === 0 || check(column.profile)) return true;
    }
    return all.some((contract) =>
      fields.some((name) => {
        const field = contract.field(name);
        const candidate = field === undefined ? undefined : candidateFor(column, field, contract.type);
        return candidate !== undefined && candidate.confidence >= TRUSTED;
      }),
    );
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
  const ofRoles = matcherOf(ROLES);
  const own = columns.filter(({ header }) => !ofRoles(header));
  const has = (headers: string): boolean => own.some(({ header }) => matcherOf(headers)(header));
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
  return matcherOf(AUTHORS)(header) && !column.profile.texts.every((text) => /^\d{1,6}$/u.test(text));
}
