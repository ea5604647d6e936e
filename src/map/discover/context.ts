/** What a column and a field are in the context of their table: rivals, and the other columns. The scorer weighs it. */
import type { Column } from './column.ts';
import type { Reading } from './readings.ts';

/** A column with its facts and the scores of the linear part. */
export interface ScoredColumn {
  readonly column: Column;
  readonly facts: Float32Array;
  /** By part and class: the contribution of the header and of the values. */
  readonly scores: readonly Float32Array[];
}

export interface Table {
  readonly columns: readonly ScoredColumn[];
  /** By type and column: the share of each field, and last that of none. */
  readonly shares: readonly (readonly Float32Array[])[];
  /** What all pairs of the table have in common. */
  readonly facts: readonly number[];
}

export function softmax(scores: Float32Array): Float32Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** How many columns there are, how many are some field, and how much the best one is each field. */
export function tableFacts(byType: Table['shares']): readonly number[] {
  const count = byType[0]?.length ?? 0;
  const filled = byType.map((shares) => shares.reduce((sum, share) => sum + 1 - (share.at(-1) ?? 1), 0));
  const best = byType.flatMap((shares) =>
    Array.from(shares[0]?.subarray(1) ?? [], (_, field) => Math.max(...shares.map((share) => share[field] ?? 0))),
  );
  return [Math.log2(1 + count), ...filled, ...filled.map((sum) => sum / count), ...best];
}

/** A column and a field of the table, how its values are read, and what the header and the values say for it. */
export interface Pair {
  readonly column: number;
  readonly field: number;
  readonly reading: Reading;
  readonly parts: readonly number[];
}

/** What the scorer weighs. */
export function pairFacts(table: Table, type: number, { column, field, reading, parts }: Pair): Float32Array {
  const own = table.columns[column] as ScoredColumn;
  const all = table.shares[type] ?? [];
  const shares = all[column] ?? new Float32Array();
  const [share = 0, none = 0] = [shares[field], shares.at(-1)];
  const otherField = Math.max(0, ...shares.filter((_, at) => at !== field && at < shares.length - 1));
  const rivals = all.map((each) => each[field] ?? 0).filter((_, at) => at !== column);
  const rival = Math.max(0, ...rivals);
  const { known, unknown } = own.column.meanings;
  return Float32Array.from([
    share,
    share * (1 - rival),
    logOdds(share, none),
    ...parts,
    logOdds(share, otherField),
    rival,
    logOdds(share, rival),
    rivals.filter((each) => each > 0.2).length,
    column / all.length,
    none,
    known.size,
    unknown.length,
    Number(reading.ways.length > 1 || reading.doubt !== undefined),
    ...own.facts,
    ...table.facts,
  ]);
}

function logOdds(one: number, other: number): number {
  return Math.max(-20, Math.min(20, Math.log(one / other)));
}
