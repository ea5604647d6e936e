/** What a column and a field are in the context of their table: rivals, the other columns, the file. The trees weigh it. */
import type { Column } from './column.ts';
import type { Reading } from './readings.ts';

/** A column with its facts and the scores of the linear part. */
export interface ScoredColumn {
  readonly column: Column;
  readonly facts: Float32Array;
  /** By part and class: the contribution of header words, of letters and of values. */
  readonly scores: readonly Float32Array[];
}

/** A softmax over the fields of one type and "none", which comes last. */
export interface FieldOdds {
  /** The first class of the type. */
  readonly from: number;
  /** By column, then by class. */
  readonly odds: readonly Float32Array[];
  readonly shares: readonly Float32Array[];
}

export interface Table {
  readonly columns: readonly ScoredColumn[];
  /** By type, in the order of the model. */
  readonly byType: readonly FieldOdds[];
  /** Scores for the types of tables. */
  readonly types: Float32Array;
}

export function fieldOdds(columns: readonly ScoredColumn[], bias: Float32Array, from: number, to: number): FieldOdds {
  const odds = columns.map(({ scores }) => {
    const sums = bias.slice(from, to);
    for (const part of scores)
      for (let at = from; at < to; at += 1) sums[at - from] = (sums[at - from] ?? 0) + (part[at] ?? 0);
    return sums;
  });
  return { from, odds, shares: odds.map(softmax) };
}

export function softmax(scores: Float32Array): Float32Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

export type Pair = readonly [column: number, field: number];

/** Pairs of a column and a field that are worth a look. */
export function candidatePairs({ shares }: FieldOdds): readonly Pair[] {
  const pairs: Pair[] = [];
  const fields = (shares[0]?.length ?? 1) - 1;
  for (let field = 0; field < fields; field += 1) {
    const best = Math.max(0, ...shares.map((share) => share[field] ?? 0));
    shares.forEach((share, column) => {
      const own = share[field] ?? 0;
      if (own >= 0.02 || (own === best && own >= 0.004)) pairs.push([column, field]);
    });
  }
  return pairs;
}

/** Facts of the table that all its pairs share. */
export function tableFacts(table: Table): readonly number[] {
  const { columns, byType, types } = table;
  const best = byType.flatMap(({ shares }) => {
    const fields = (shares[0]?.length ?? 1) - 1;
    return Array.from({ length: fields }, (_, field) => Math.max(0, ...shares.map((share) => share[field] ?? 0)));
  });
  // How many columns are some field.
  const filled = byType.map(({ shares }) => shares.reduce((sum, share) => sum + 1 - (share.at(-1) ?? 1), 0));
  return [...types, Math.log2(1 + columns.length), ...filled, ...filled.map((sum) => sum / columns.length), ...best];
}

/** What header words, letters and values say for the field. */
export function partsFor({ columns, byType }: Table, type: number, [column, field]: Pair): readonly number[] {
  const { from = 0, odds = [] } = byType[type] ?? {};
  const none = from + (odds[column]?.length ?? 1) - 1;
  return (columns[column]?.scores ?? []).map((part) => (part[from + field] ?? 0) - (part[none] ?? 0));
}

/** What all pairs of a table and a type have in common. */
export interface SharedFacts {
  /** Index of the type in the model. */
  readonly type: number;
  /** Of {@link tableFacts}. */
  readonly facts: readonly number[];
}

export function pairFacts(
  table: Table,
  { type, facts: shared }: SharedFacts,
  [column, field]: Pair,
  { ways, doubt }: Reading,
): Float32Array {
  const { odds, shares } = table.byType[type] as FieldOdds;
  const own = table.columns[column] as ScoredColumn;
  const ownOdds = odds[column] as Float32Array;
  const ownShares = shares[column] as Float32Array;
  const none = ownOdds.length - 1;
  const z = (ownOdds[field] ?? 0) - (ownOdds[none] ?? 0);
  const other = Math.max(
    -20,
    ...ownOdds.map((each, at) => (at === field || at === none ? -20 : each - (ownOdds[none] ?? 0))),
  );
  const others = shares.flatMap((share, index) => (index === column ? [] : [{ index, share: share[field] ?? 0 }]));
  const rival = others.reduce((best, each) => (each.share > best.share ? each : best), { index: -1, share: -1 });
  const theirs = odds[rival.index];
  const rivalOdds = theirs === undefined ? -20 : (theirs[field] ?? 0) - (theirs[none] ?? 0);
  const numbers = [
    ownShares[field] ?? 0,
    z,
    ...partsFor(table, type, [column, field]),
    z - other,
    Math.max(0, rival.share),
    z - rivalOdds,
    others.filter(({ share }) => share > 0.2).length,
    column / table.columns.length,
    ownShares[none] ?? 0,
    own.column.meanings.known.size,
    own.column.meanings.unknown.length,
    Number(ways.length > 1 || doubt !== undefined),
  ];
  return Float32Array.from([...numbers, ...own.facts, ...shared]);
}
