/** Weighs the evidence of a table: what its rows are, and why. */
import type { RecordType } from '../../model/record.ts';
import type { Column } from '../discover/column.ts';
import { type HeaderMatcher, headerMatcher } from '../discover/header-matcher.ts';
import { meaningsOf } from '../discover/header-words.ts';
import {
  type ColumnEvidence,
  ENOUGH,
  type EvidenceKind,
  FURTHER,
  MARGIN,
  MOST_FURTHER,
  type Verdict,
} from './kinds.ts';
import { factsOf, filledColumns, withoutCommonMeanings } from './known-columns.ts';
import { KINDS_OF_NEITHER } from './neither-kinds.ts';
import { KINDS_OF_SIGNALS } from './signals-kinds.ts';
import { KINDS_OF_SOCIAL } from './social-kinds.ts';
import * as values from './value-forms.ts';

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
  neither: KINDS_OF_NEITHER,
};

const VERDICTS = ['signals', 'social', 'neither'] as const;

export interface Evidence {
  readonly column: Column;
  readonly kind: EvidenceKind;
}

/** @param file the input's name: weak evidence */
export function weighTable(all: readonly Column[], file: string): Weighed {
  const columns = filledColumns(all);
  const totals: Record<Verdict, number> = { signals: 0, social: 0, neither: 0 };
  const evidence: Record<Verdict, readonly ColumnEvidence[]> = { signals: [], social: [], neither: [] };
  const named = fileEvidence(file);
  for (const type of VERDICTS) {
    const found = evidenceIn(type, columns);
    const kinds = new Set(found.map((each) => each.kind));
    for (const kind of named !== type && [...kinds].every(({ context }) => context) ? [] : kinds) {
      totals[type] += kind.weight;
      for (const verdict of VERDICTS) totals[verdict] += kind.others?.[verdict] ?? 0;
      const further = found.filter((each) => each.kind === kind).length - 1;
      totals[type] += FURTHER[type] * Math.min(further, MOST_FURTHER);
    }
    evidence[type] = found.map(({ column, kind }) => ({ column: column.name, what: kind.what, weight: kind.weight }));
  }
  const measured = measures(columns);
  totals.neither += measured[0]?.weight ?? 0;
  evidence.neither = [...evidence.neither, ...measured];
  if (named !== undefined) totals[named] += 1;
  for (const verdict of VERDICTS) {
    evidence[verdict] = [...evidence[verdict]].sort((one, other) => other.weight - one.weight);
  }
  return { verdict: decide(totals), totals, evidence };
}

/** The columns that are evidence for a type, the strongest first. */
export function evidenceFor(type: RecordType, all: readonly Column[]): readonly Evidence[] {
  return [...evidenceIn(type, filledColumns(all))].sort((one, other) => other.kind.weight - one.kind.weight);
}

function decide(totals: Readonly<Record<Verdict, number>>): Verdict | undefined {
  const [best, second] = [...VERDICTS].sort((one, other) => totals[other] - totals[one]);
  if (best === undefined || second === undefined) return undefined;
  return totals[best] >= ENOUGH[best] && totals[best] - totals[second] >= MARGIN ? best : undefined;
}

/** Each column supports the first kind that it fits. */
function evidenceIn(type: Verdict, columns: readonly Column[]): readonly Evidence[] {
  const facts = factsOf(columns);
  const free = new Set(withoutCommonMeanings(columns));
  return KINDS[type]
    .filter(({ when }) => when === undefined || when(facts))
    .flatMap((kind) => {
      const those = [...free].filter(showsKind(kind));
      for (const column of those) free.delete(column);
      return those.map((column) => ({ column, kind }));
    });
}

function showsKind({ headers, check, values }: EvidenceKind): (column: Column) => boolean {
  const fits = headers === undefined ? () => false : headerMatcher(headers);
  return ({ profile, meanings }) =>
    values?.(profile) === true ||
    (fits(meanings) && (check === undefined || profile.texts.length === 0 || check(profile)));
}

/** What the name of a file says is weak evidence, because anybody can name a file. */
const FILES: Readonly<Record<Verdict, HeaderMatcher>> = {
  signals: headerMatcher(
    'company, funding, investment, job, news, review, signal, hot, acquisition, layoff, award, insolvency, job_change, tech',
  ),
  social: headerMatcher('tweet, comment, reply, like, reaction, repost, mention !people_of, commenter, liker, engager'),
  neither: headerMatcher(
    'invoice, ticket, call, contact, stock, survey, advertising, analytics, traffic, staff, meeting, bank',
  ),
};

/** The verdict that the last part of the name suggests; undefined if it suggests none, or several. */
function fileEvidence(file: string): Verdict | undefined {
  const base = file.split(/[/\\:]/u).at(-1) ?? '';
  const name = meaningsOf(base.replace(/(?:\.[a-z]{2,7}){1,2}$/iu, ''));
  const found = VERDICTS.filter((verdict) => FILES[verdict](name));
  return found.length === 1 ? found[0] : undefined;
}

/** The share of columns with numbers in a table of measures. */
const MOSTLY_NUMBERS = 0.6;

/** Tables of measures have a date or a name in each row, and numbers for everything else. Totals per day weigh more. */
function measures(columns: readonly Column[]): readonly ColumnEvidence[] {
  const filled = columns.filter(({ profile }) => profile.texts.length > 0);
  const dates = filled.filter(({ profile }) => values.dates(profile));
  const numbers = filled.filter((column) => values.counts(column.profile) && !dates.includes(column));
  const others = filled.length - dates.length - numbers.length;
  // One column can name what is measured.
  if (filled.length < 4 || others > 1 || numbers.length < MOSTLY_NUMBERS * filled.length) return [];
  const weight = dates.length > 0 ? 3 : 2;
  return numbers.map(({ name }) => ({ column: name, what: 'totals, not events', weight }));
}
