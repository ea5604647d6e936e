/**
 * The learned scorer: how likely a column is a field, and a table of a type. A linear part weighs the features of each column
 * (features.ts); trees then weigh its result together with the rest of the table (context.ts). Of a table, a second linear part
 * weighs the same and its subjects (subjects.ts). scripts/train-discovery.mjs makes the weights, and docs/mapping.md says how
 * well they do.
 */
import { type Contract, contracts } from '../../contract/index.ts';
import { type Column, columnFacts, columnsIn, type Sample } from './column.ts';
import {
  candidatePairs,
  fieldOdds,
  type Pair,
  pairFacts,
  partsFor,
  type ScoredColumn,
  softmax,
  type Table,
  tableFacts,
} from './context.ts';
import { type Features, featuresOf, fileFeatures, SPACE } from './features.ts';
import { type Reading, readingHints, readingOf } from './readings.ts';
import { subjectFacts } from './subjects.ts';
import trained from './weights.json' with { type: 'json' };

/** What the rows of a table can be called, in the order of the weights. */
export const TABLE_TYPES = ['signals', 'social', 'neither'] as const;

/** The types with their fields, in the order of the weights: the classes of the linear part are the fields of each with "none". */
export const FIELDS = (['signals', 'social'] as const).map((type, index, all) => {
  const before = all.slice(0, index).flatMap((each) => [...contracts[each].fields, 'none']).length;
  return { type, names: contracts[type].fields.map(({ name }) => name), from: before };
});

/** Then come the types. */
const FIELD_CLASSES = FIELDS.reduce((sum, { names }) => sum + names.length + 1, 0);
export const CLASSES = FIELD_CLASSES + TABLE_TYPES.length;

/** Trees whose nodes of one level ask the same question. */
export interface Trees {
  readonly base: number;
  /** Of each tree: fact and limit of each level. */
  readonly splits: readonly (readonly number[])[];
  readonly leaves: readonly (readonly number[])[];
}

export interface Weights {
  /** By place and class; the last row is the bias. */
  readonly linear: Float32Array;
  readonly trees: Trees;
  /** Of each of {@link typeFacts}: its mean, its spread, a weight for each of {@link TABLE_TYPES} and for none. The last is the bias. */
  readonly typeLinear: readonly (readonly number[])[];
  /** Probability from which a column is used, or worth a question, and from which each of {@link TABLE_TYPES} is certain. */
  readonly use: number;
  /** In place of `use`: more for fields that other columns are often taken for. */
  readonly useOf: Readonly<Record<string, number>>;
  readonly ask: number;
  readonly type: readonly number[];
}

let decoded: Weights | undefined;

/** For training, which tries others. */
export function useWeights(encoded: EncodedWeights): void {
  decoded = { ...encoded, linear: decodeLinear(encoded) };
}

/** Decoded at the first use: columns with the names of fields need none. */
export function weights(): Weights {
  decoded ??= { ...trained, linear: decodeLinear(trained) };
  return decoded;
}

/** Whether other columns are often taken for the field. */
export function isOftenMistaken(field: string): boolean {
  const { use, useOf } = weights();
  return (useOf[field] ?? use) > use;
}

/** As in weights.json. */
export type EncodedWeights = Omit<Weights, 'linear'> & EncodedLinear;

interface EncodedLinear {
  /** The places that have weights, each as its distance from the one before. */
  readonly gaps: readonly number[];
  /** One character a weight: its root, by place and class. */
  readonly linear: string;
  /** The greatest weight, by class. */
  readonly scales: readonly number[];
}

/** Characters of {@link EncodedLinear}: the middle one is 0. */
const FIRST = 48;
const MIDDLE = 31;

export function decodeLinear({ gaps, linear, scales }: EncodedLinear): Float32Array {
  const weights = new Float32Array((SPACE + 1) * CLASSES);
  let place = 0;
  gaps.forEach((gap, row) => {
    place += gap;
    for (let each = 0; each < CLASSES; each += 1) {
      const root = (linear.charCodeAt(row * CLASSES + each) - FIRST - MIDDLE) / MIDDLE;
      weights[place * CLASSES + each] = root * Math.abs(root) * (scales[each] ?? 0);
    }
  });
  return weights;
}

/** The contribution of each part of the features to each class. */
function linearScores({ places, values, ends }: Features, linear: Float32Array): readonly Float32Array[] {
  let at = 0;
  return ends.map((end) => {
    const sums = new Float32Array(CLASSES);
    for (; at < end; at += 1) {
      const row = (places[at] ?? 0) * CLASSES;
      const value = values[at] ?? 0;
      for (let each = 0; each < CLASSES; each += 1) sums[each] = (sums[each] ?? 0) + value * (linear[row + each] ?? 0);
    }
    return sums;
  });
}

function treeScore({ base, splits, leaves }: Trees, facts: Float32Array): number {
  let sum = base;
  splits.forEach((split, tree) => {
    let leaf = 0;
    for (let level = 0; 2 * level < split.length; level += 1) {
      if ((facts[split[2 * level] ?? 0] ?? 0) >= (split[2 * level + 1] ?? 0)) leaf |= 1 << level;
    }
    sum += leaves[tree]?.[leaf] ?? 0;
  });
  return sum;
}

function probability(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

/** Scores all columns of a table with the linear part. */
export function scoreTable(
  columns: readonly Column[],
  file: string | undefined,
  { linear }: Pick<Weights, 'linear'>,
): Table {
  const scored = columns.map((column): ScoredColumn => {
    const facts = columnFacts(column.profile);
    return { column, facts, scores: linearScores(featuresOf(column, facts), linear) };
  });
  const bias = linear.subarray(SPACE * CLASSES);
  const byType = FIELDS.map(({ names, from }) => fieldOdds(scored, bias, from, from + names.length + 1));
  const types = Float32Array.from(bias.subarray(FIELD_CLASSES, CLASSES));
  const add = (scores: Float32Array, factor: number): void => {
    TABLE_TYPES.forEach((_, at) => {
      types[at] = (types[at] ?? 0) + factor * (scores[FIELD_CLASSES + at] ?? 0);
    });
  };
  for (const { scores } of scored) for (const part of scores) add(part, 1 / Math.sqrt(scored.length));
  for (const part of linearScores(fileFeatures(file ?? ''), linear)) add(part, 1);
  return { columns: scored, byType, types };
}

export interface Likelihood {
  readonly column: Column;
  readonly field: string;
  readonly reading: Reading;
  /** From 0 to 1. */
  readonly probability: number;
  /** In words, without a full stop. */
  readonly reason: string;
}

/** By columns, and the weights that trainers change. */
const tables = new WeakMap<readonly Column[], { readonly by: Weights; readonly table: Table }>();

export function scoredTable(sample: Sample): Table {
  const columns = columnsIn(sample);
  const known = tables.get(columns);
  if (known?.by === weights()) return known.table;
  const table = scoreTable(columns, sample.name, weights());
  tables.set(columns, { by: weights(), table });
  return table;
}

/** How likely each column is each field whose values it can have; pairs that are certainly wrong are absent. */
export function likelihoods(table: Table, contract: Contract): readonly Likelihood[] {
  const { trees } = weights();
  const index = FIELDS.findIndex(({ type }) => type === contract.type);
  const shared = { type: index, facts: tableFacts(table) };
  return readablePairs(table, index).map(({ pair, reading }) => {
    const score = treeScore(trees, pairFacts(table, shared, pair, reading));
    const [column, field] = [(table.columns[pair[0]] as ScoredColumn).column, FIELDS[index]?.names[pair[1]] ?? ''];
    return { column, field, reading, probability: probability(score), reason: reasonFor(table, index, pair) };
  });
}

interface ReadablePair {
  readonly pair: Pair;
  readonly reading: Reading;
}

/** Pairs that are worth a look, and whose values can be the field's. */
export function readablePairs({ columns, byType }: Table, type: number): readonly ReadablePair[] {
  const [odds, of] = [byType[type], FIELDS[type]];
  if (odds === undefined || of === undefined) return [];
  const hints = readingHints(columns.map(({ column }) => column));
  return candidatePairs(odds).flatMap((pair) => {
    const [column, field] = [columns[pair[0]]?.column, contracts[of.type].fields[pair[1]]];
    const reading = column && field && readingOf(column, field, hints);
    return reading === undefined ? [] : [{ pair, reading }];
  });
}

/** A column that shows what the rows are, and what it seems to contain. */
export interface ColumnEvidence {
  readonly column: string;
  readonly what: string;
}

/** What the type of a table is learned from. */
export function typeFacts(table: Table, file: string | undefined): Float32Array {
  const columns = table.columns.map(({ column }) => column);
  return Float32Array.from([...tableFacts(table), ...subjectFacts(columns, file)]);
}

/** How far a fact that is unlike all others can count. */
const MOST_SPREADS = 5;

/** Facts in spreads from their means, as the linear part of types takes them. */
export function standardised(facts: Float32Array, linear: readonly (readonly number[])[]): readonly number[] {
  return Array.from(facts, (fact, at) => {
    const [mean = 0, spread = 1] = linear[at] ?? [];
    return Math.max(-MOST_SPREADS, Math.min(MOST_SPREADS, (fact - mean) / spread));
  });
}

function typeShares(facts: Float32Array): Float32Array {
  const { typeLinear } = weights();
  const scores = new Float32Array(TABLE_TYPES.length + 1);
  for (const [row, value] of [...standardised(facts, typeLinear), 1].entries()) {
    scores.forEach((score, at) => {
      scores[at] = score + value * (typeLinear[row]?.[2 + at] ?? 0);
    });
  }
  return softmax(scores);
}

/** What a table can be said to be, undefined if that is not certain, and the columns that speak for each type, the strongest first. */
export function judgeTable(sample: Sample) {
  const table = scoredTable(sample);
  // How likely it is right to call the rows one of them. Of some tables, this cannot be known: the fourth share.
  const [signals = 0, social = 0, neither = 0] = typeShares(typeFacts(table, sample.name));
  const odds = { signals, social, neither };
  const [best = 'neither'] = TABLE_TYPES.toSorted((one, other) => odds[other] - odds[one]);
  const verdict = odds[best] >= (weights().type[TABLE_TYPES.indexOf(best)] ?? 1) ? best : undefined;
  return { verdict, odds, evidence: { signals: evidenceFor(table, 0), social: evidenceFor(table, 1) } };
}

/** Columns with a field of the type, those first that speak most for it and least for the others. */
function evidenceFor({ columns, byType }: Table, type: number): readonly ColumnEvidence[] {
  const found = columns.flatMap(({ column, scores }, at) => {
    const by = TABLE_TYPES.map((_, each) => scores.reduce((sum, part) => sum + (part[FIELD_CLASSES + each] ?? 0), 0));
    const gain = 2 * (by[type] ?? 0) - Math.max(...by.filter((_, each) => each !== type));
    const shares = byType[type]?.shares[at];
    const names = FIELDS[type]?.names ?? [];
    const field = names.find((_, each) => (shares?.[each] ?? 0) > 0.3);
    if (field === undefined || (column.profile.texts.length === 0 && column.profile.rows > 0)) return [];
    return [{ column: column.name, what: field.replaceAll('_', ' '), gain }];
  });
  return found.sort((one, other) => other.gain - one.gain).map(({ column, what }) => ({ column, what }));
}

/** What speaks for the field: `header and values`. */
function reasonFor(table: Table, type: number, [column, field]: Pair): string {
  const [words = 0, letters = 0, values = 0] = partsFor(table, type, [column, field]);
  const parts = [...(words + letters > 0 ? ['header'] : []), ...(values > 0 ? ['values'] : [])];
  return parts.join(' and ') || 'no other field fits';
}
