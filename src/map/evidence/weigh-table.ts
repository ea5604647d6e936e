/** Weighs the evidence of a table: what its rows are, and why. */
import { contracts } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import type { Column } from '../discover/column.ts';
import { candidateByHeader } from '../discover/score.ts';
import { fileEvidence } from './file-words.ts';
import { phraseMatcher } from './header-phrases.ts';
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
import { factsOf, type Known, knownColumns } from './known-columns.ts';
import { measures } from './measures.ts';
import { KINDS_OF_NEITHER } from './neither-kinds.ts';
import { KINDS_OF_SIGNALS } from './signals-kinds.ts';
import { KINDS_OF_SOCIAL } from './social-kinds.ts';

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
  neither: KINDS_OF_NEITHER,
};

const VERDICTS = ['signals', 'social', 'neither'] as const;

export interface Evidence {
  readonly column: Column;
  readonly kind: EvidenceKind;
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

function showsKind({ headers, fields = [], check, values }: EvidenceKind): (known: Known) => boolean {
  const inHeader = headers === undefined ? undefined : phraseMatcher(headers);
  const all = Object.values(contracts);
  return ({ column, header }) => {
    if (values?.(column.profile) === true) return true;
    if (inHeader?.(header) === true) {
      if (check === undefined || column.profile.texts.length === 0 || check(column.profile)) return true;
    }
    return all.some((contract) =>
      fields.some((name) => {
        const field = contract.field(name);
        const candidate = field === undefined ? undefined : candidateByHeader(column, field, contract.type);
        return candidate !== undefined && candidate.confidence >= TRUSTED;
      }),
    );
  };
}
