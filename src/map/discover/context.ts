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

/** By column: log-odds of each field of one type against "none", and a softmax over them and "none", which comes last. */
export interface FieldOdds {
  readonly odds: readonly Float32Array[];
  readonly shares: readonly Float32Array[];
}

export interface Table {
  readonly columns: readonly ScoredColumn[];
  /** By type, in the order of the model. */
  readonly byType: readonly FieldOdds[];
  /** What all pairs of the table have in common. */
  readonly facts: readonly number[];
}

/** @param bias of the classes of the type, of which `from` is the first */
export function fieldOdds(columns: readonly ScoredColumn[], bias: Float32Array, from: number): FieldOdds {
  const sums = columns.map(({ scores }) =>
    bias.map((own, at) => scores.reduce((sum, part) => sum + (part[from + at] ?? 0), own)),
  );
  const odds = sums.map((each) => each.map((score) => score - (each.at(-1) ?? 0)).subarray(0, -1));
  return { odds, shares: sums.map(softmax) };
}

export function softmax(scores: Float32Array): Float32Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

export type Pair = readonly [column: number, field: number];

/** Pairs of a column and a field that are worth a look. */
export function candidatePairs({ odds, shares }: FieldOdds): readonly Pair[] {
  return Array.from(odds[0] ?? [], (_, field) => {
    const best = Math.max(...shares.map((share) => share[field] ?? 0));
    return shares.flatMap((share, column): readonly Pair[] => {
      const own = share[field] ?? 0;
      return own >= 0.02 || (own === best && own >= 0.004) ? [[column, field]] : [];
    });
  }).flat();
}

/** @param types scores for the types of tables */
export function tableFacts(byType: readonly FieldOdds[], types: Float32Array): readonly number[] {
  const count = byType[0]?.shares.length ?? 0;
  const best = byType.flatMap(({ odds, shares }) =>
    Array.from(odds[0] ?? [], (_, field) => Math.max(...shares.map((share) => share[field] ?? 0))),
  );
  // How many columns are some field.
  const filled = byType.map(({ shares }) => shares.reduce((sum, share) => sum + 1 - (share.at(-1) ?? 1), 0));
  return [...types, Math.log2(1 + count), ...filled, ...filled.map((sum) => sum / count), ...best];
}

/** How the values of a pair are read, and what header words, letters and values say for its field. */
interface PairReading {
  readonly reading: Reading;
  readonly parts: readonly number[];
}

/** What the trees weigh. */
export function pairFacts(table: Table, type: number, pair: Pair, { reading, parts }: PairReading): Float32Array {
  const [column, field] = pair;
  const { odds, shares } = table.byType[type] as FieldOdds;
  const own = table.columns[column] as ScoredColumn;
  const share = (at: number): number => shares[at]?.[field] ?? 0;
  const z = odds[column]?.[field] ?? 0;
  const others = table.columns.map((_, at) => at).filter((at) => at !== column);
  const [rival] = others.toSorted((one, other) => share(other) - share(one));
  const { known, unknown } = own.column.meanings;
  return Float32Array.from([
    share(column),
    z,
    ...parts,
    z - Math.max(-20, ...(odds[column]?.filter((_, at) => at !== field) ?? [])),
    rival === undefined ? 0 : share(rival),
    z - (rival === undefined ? -20 : (odds[rival]?.[field] ?? 0)),
    others.filter((at) => share(at) > 0.2).length,
    column / table.columns.length,
    shares[column]?.at(-1) ?? 0,
    known.size,
    unknown.length,
    Number(reading.ways.length > 1 || reading.doubt !== undefined),
    ...own.facts,
    ...table.facts,
  ]);
}
