/** Weighs the evidence of a table: what its rows are, and why. */
import type { Column } from './column.ts';
import {
  type ColumnEvidence,
  ENOUGH,
  type EvidenceKind,
  FURTHER,
  KINDS_OF_NEITHER,
  KINDS_OF_SIGNALS,
  KINDS_OF_SOCIAL,
  MARGIN,
  MOST_FURTHER,
  type TableFacts,
  type TypeVerdict,
} from './evidence-kinds.ts';
import { type HeaderMatcher, headerMatcher, meaningsOf } from './header-words.ts';
import { detectTopic } from './table-topic.ts';
import * as values from './value-forms.ts';

export interface Weighed {
  /** Undefined if no verdict has enough evidence, or two have similar evidence. */
  readonly verdict: TypeVerdict | undefined;
  readonly totals: Readonly<Record<TypeVerdict, number>>;
  /** Evidence in favour of each verdict, the strongest first. */
  readonly evidence: Readonly<Record<TypeVerdict, readonly ColumnEvidence[]>>;
}

const KINDS: Readonly<Record<TypeVerdict, readonly EvidenceKind[]>> = {
  signals: KINDS_OF_SIGNALS,
  social: KINDS_OF_SOCIAL,
  neither: KINDS_OF_NEITHER,
};

const VERDICTS = ['signals', 'social', 'neither'] as const;

export interface Evidence {
  readonly column: Column;
  readonly kind: EvidenceKind;
}

/** @param file the input's name: weak evidence */
export function weighTable(all: readonly Column[], file: string): Weighed {
  const totals: Record<TypeVerdict, number> = { signals: 0, social: 0, neither: 0 };
  const evidence: Record<TypeVerdict, readonly ColumnEvidence[]> = { signals: [], social: [], neither: [] };
  const named = fileEvidence(file);
  for (const type of VERDICTS) {
    const found = evidenceFor(type, all);
    const kinds = new Set(found.map((each) => each.kind));
    for (const kind of named !== type && [...kinds].every(({ context }) => context) ? [] : kinds) {
      totals[type] += kind.weight;
      for (const verdict of VERDICTS) totals[verdict] += kind.others?.[verdict] ?? 0;
      const further = found.filter((each) => each.kind === kind).length - 1;
      totals[type] += FURTHER[type] * Math.min(further, MOST_FURTHER);
    }
    evidence[type] = found.map(({ column, kind }) => ({ column: column.name, what: kind.what, weight: kind.weight }));
  }
  if (named !== undefined) totals[named] += 1;
  return { verdict: decide(totals), totals, evidence };
}

function decide(totals: Readonly<Record<TypeVerdict, number>>): TypeVerdict | undefined {
  const [best, second] = [...VERDICTS].sort((one, other) => totals[other] - totals[one]);
  if (best === undefined || second === undefined) return undefined;
  return totals[best] >= ENOUGH[best] && totals[best] - totals[second] >= MARGIN ? best : undefined;
}

/** The columns that are evidence for a verdict, the strongest first. Each column supports the first kind that it fits. */
export function evidenceFor(type: TypeVerdict, all: readonly Column[]): readonly Evidence[] {
  const columns = filledColumns(all);
  const facts = factsOf(columns);
  const free = new Set(withoutCommonMeanings(columns));
  return KINDS[type]
    .filter(({ when }) => when === undefined || when(facts))
    .flatMap((kind) => {
      const those = [...free].filter(showsKind(kind));
      for (const column of those) free.delete(column);
      return those.map((column) => ({ column, kind }));
    })
    .sort((one, other) => other.kind.weight - one.kind.weight);
}

function showsKind({ headers, check, values }: EvidenceKind): (column: Column) => boolean {
  const fits = headers === undefined ? () => false : headerMatcher(headers);
  return ({ profile, meanings }) =>
    values?.(profile) === true ||
    (fits(meanings) && (check === undefined || profile.texts.length === 0 || check(profile)));
}

/** What the name of a file says is weak evidence, because anybody can name a file. */
const FILES: Readonly<Record<TypeVerdict, HeaderMatcher>> = {
  signals: headerMatcher(
    'company, funding, investment, job, news, review, signal, hot, acquisition, layoff, award, insolvency, job_change, tech, alert, exhibitor',
  ),
  social: headerMatcher(
    'tweet, comment, reply, like, reaction, repost, mention !people_of, commenter, liker, sharer, engager, follower',
  ),
  neither: headerMatcher(
    'invoice, ticket, call, contact, stock, survey, advertising, analytics, traffic, staff, meeting, bank, hours',
  ),
};

/** The verdict that the last part of the name suggests; undefined if it suggests none, or several. */
function fileEvidence(file: string): TypeVerdict | undefined {
  const base = file.split(/[/\\:]/u).at(-1) ?? '';
  const name = meaningsOf(base.replace(/(?:\.[a-z]{2,7}){1,2}$/iu, ''));
  const found = VERDICTS.filter((verdict) => FILES[verdict](name));
  return found.length === 1 ? found[0] : undefined;
}

/** The least share of rows that have a value, of a column that is evidence. */
const FILLED = 0.2;

/** A nearly empty column shows what an export can contain, not what this one contains. */
function filledColumns(all: readonly Column[]): readonly Column[] {
  const filled = all.filter(
    ({ profile: { texts, rows, nested } }) => (texts.length > 0 && texts.length >= FILLED * rows) || nested,
  );
  return filled.length === 0 ? all : filled;
}

/** A meaning of most headers counts in the first of them only: of `tweet.id` and `tweet.likes`, the latter are likes. */
function withoutCommonMeanings(columns: readonly Column[]): readonly Column[] {
  const times = new Map<string, number>();
  for (const meaning of columns.flatMap(({ meanings }) => [...meanings.precise])) {
    times.set(meaning, (times.get(meaning) ?? 0) + 1);
  }
  const most = Math.max(2, columns.length / 2);
  const common = new Set([...times].flatMap(([meaning, count]) => (count > most ? [meaning] : [])));
  const seen = new Set<string>();
  return columns.map((column) => {
    const { known, precise, unknown } = column.meanings;
    const isKept = (meaning: string): boolean => !seen.has(meaning);
    const meanings = {
      known: new Set([...known].filter(isKept)),
      precise: new Set([...precise].filter(isKept)),
      unknown,
    };
    for (const meaning of precise) if (common.has(meaning)) seen.add(meaning);
    return { ...column, meanings };
  });
}

const ofAuthors = headerMatcher('author !editor, handle, nickname, =user, user name, commenter, who');

/** 3-sep, 10.09., 2025-09-17, Mon 3/9. */
const DAY = /^(?:\p{L}{2,3}\.? )?\d{1,4}[-./ ](?:\d{1,2}|\p{L}{3,9})\.?(?:[-./ ]\d{1,4})?$/u;

function factsOf(columns: readonly Column[]): TableFacts {
  const isNumber = (text: string): boolean => /^\d{1,6}$/u.test(text);
  const { people, companies } = detectTopic(columns);
  return {
    people,
    companies,
    authors: columns.some(({ meanings, profile }) => ofAuthors(meanings) && !profile.texts.every(isNumber)),
    networks: columns.some(({ profile }) => values.mostlyNetworks(profile)),
    measures: areMeasures(columns),
    days: columns.filter(({ name }) => DAY.test(name)).length > 2,
    asks: columns.filter(({ meanings }) => meanings.precise.has('question')).length > 1,
  };
}

/** The share of columns with numbers in a table of measures. */
const MOSTLY_NUMBERS = 0.6;

/** Apart from numbers and dates, one column can name what is measured. */
function areMeasures(columns: readonly Column[]): boolean {
  const filled = columns.filter(({ profile }) => profile.texts.length > 0);
  const dates = filled.filter(({ profile }) => values.dates(profile)).length;
  const numbers = filled.filter(({ profile }) => values.counts(profile) && !values.dates(profile)).length;
  return filled.length >= 4 && filled.length - dates - numbers <= 1 && numbers >= MOSTLY_NUMBERS * filled.length;
}
