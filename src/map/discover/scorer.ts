/**
 * The learned scorer: how likely a column is a field, and a table of a type. A linear part weighs the features of each column
 * (features.ts); trees then weigh its result together with the rest of the table (context.ts). Of a table, a second linear part
 * weighs the same and its subjects (subjects.ts). scripts/train-discovery.mjs makes the weights, and docs/mapping.md says how
 * well they do.
 */
import { type Contract, contracts } from '../../contract/index.ts';
import { once } from '../../lib/resources.ts';
import { type Column, columnFacts, columnsIn, type Sample } from './column.ts';
import {
  candidatePairs,
  type FieldOdds,
  fieldOdds,
  pairFacts,
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

/** As in weights.json. */
export interface Weights {
  /** The places that have weights, each as its distance from the one before. The last is the bias. */
  readonly gaps: readonly number[];
  /** One character a weight: its root, by place and class. */
  readonly linear: string;
  /** The greatest weight, by class. */
  readonly scales: readonly number[];
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

let used: Weights = trained;

/** Decoded at the first use: columns with the names of fields need none. */
let linear = once(() => decodeLinear(used));

let tables = new WeakMap<readonly Column[], Table>();

/** For training, which tries others. */
export function useWeights(others: Weights): void {
  used = { ...others };
  linear = once(() => decodeLinear(used));
  tables = new WeakMap();
}

export function weights(): Weights {
  return used;
}

/** Whether other columns are often taken for the field. */
export function isOftenMistaken(field: string): boolean {
  return (used.useOf[field] ?? used.use) > used.use;
}

/** Characters of {@link Weights.linear}: the middle one is 0. */
const FIRST = 48;
const MIDDLE = 31;

/** Weights by place and class. */
export function decodeLinear({ gaps, linear, scales }: Pick<Weights, 'gaps' | 'linear' | 'scales'>): Float32Array {
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

/** The contribution of features to each class. */
function linearScores({ places, values }: Features, linear: Float32Array): Float32Array {
  const sums = new Float32Array(CLASSES);
  places.forEach((place, at) => {
    const row = place * CLASSES;
    const value = values[at] ?? 0;
    for (let each = 0; each < CLASSES; each += 1) sums[each] = (sums[each] ?? 0) + value * (linear[row + each] ?? 0);
  });
  return sums;
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

/** Scores all columns of a table with the linear part. */
export function scoreTable(columns: readonly Column[], file: string | undefined, linear: Float32Array): Table {
  const scored = columns.map((column): ScoredColumn => {
    const facts = columnFacts(column.profile);
    return { column, facts, scores: featuresOf(column, facts).map((part) => linearScores(part, linear)) };
  });
  const bias = linear.subarray(SPACE * CLASSES);
  const byType = FIELDS.map(({ names, from }) => fieldOdds(scored, bias.subarray(from, from + names.length + 1), from));
  const ofFile = linearScores(fileFeatures(file ?? ''), linear);
  const types = bias.slice(FIELD_CLASSES).map((own, at) => {
    const ofColumns = scored.reduce((sum, { scores }) => sum + sumOf(scores, FIELD_CLASSES + at), 0);
    return own + ofColumns / Math.sqrt(scored.length || 1) + (ofFile[FIELD_CLASSES + at] ?? 0);
  });
  return { columns: scored, byType, facts: tableFacts(byType, types) };
}

function sumOf(scores: readonly Float32Array[], at: number): number {
  return scores.reduce((sum, part) => sum + (part[at] ?? 0), 0);
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

export function scoredTable(sample: Sample): Table {
  const columns = columnsIn(sample);
  const table = tables.get(columns) ?? scoreTable(columns, sample.name, linear());
  tables.set(columns, table);
  return table;
}

/** How likely each column is each field whose values it can have; pairs that are certainly wrong are absent. */
export function likelihoods(table: Table, contract: Contract): readonly Likelihood[] {
  const index = FIELDS.findIndex(({ type }) => type === contract.type);
  return readablePairs(table, index).map(({ facts, parts, ...pair }) => {
    return { ...pair, probability: 1 / (1 + Math.exp(-treeScore(used.trees, facts))), reason: reasonFor(parts) };
  });
}

/** Pairs that are worth a look, and whose values can be the field's. */
export function readablePairs(table: Table, type: number) {
  const { names = [], from = 0 } = FIELDS[type] ?? {};
  const hints = readingHints(table.columns.map(({ column }) => column));
  return candidatePairs(table.byType[type] as FieldOdds).flatMap((pair) => {
    const [{ column, scores }, name = ''] = [table.columns[pair[0]] as ScoredColumn, names[pair[1]]];
    const field = FIELDS[type] && contracts[FIELDS[type].type].field(name);
    const reading = field && readingOf(column, field, hints);
    if (reading === undefined) return [];
    // What header words, letters and values say for the field.
    const parts = scores.map((part) => (part[from + pair[1]] ?? 0) - (part[from + names.length] ?? 0));
    return [{ column, field: name, reading, parts, facts: pairFacts(table, type, pair, { reading, parts }) }];
  });
}

/** A column that shows what the rows are, and what it seems to contain. */
export interface ColumnEvidence {
  readonly column: string;
  readonly what: string;
}

/** What the type of a table is learned from. */
export function typeFacts({ columns, facts }: Table, file: string | undefined): Float32Array {
  const found = columns.map(({ column }) => column);
  return Float32Array.from([...facts, ...subjectFacts(found, file)]);
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
  const { typeLinear } = used;
  const values = [...standardised(facts, typeLinear), 1];
  const scores = Float32Array.from([...TABLE_TYPES, 'none'], (_, at) =>
    values.reduce((sum, value, row) => sum + value * (typeLinear[row]?.[2 + at] ?? 0), 0),
  );
  return softmax(scores);
}

/** What a table can be said to be, undefined if that is not certain, and the columns that speak for each type, the strongest first. */
export function judgeTable(sample: Sample) {
  const table = scoredTable(sample);
  // How likely it is right to call the rows one of them. Of some tables, this cannot be known: the fourth share.
  const [signals = 0, social = 0, neither = 0] = typeShares(typeFacts(table, sample.name));
  const odds = { signals, social, neither };
  const [best = 'neither'] = TABLE_TYPES.toSorted((one, other) => odds[other] - odds[one]);
  const verdict = odds[best] >= (used.type[TABLE_TYPES.indexOf(best)] ?? 1) ? best : undefined;
  return { verdict, odds, evidence: { signals: evidenceFor(table, 0), social: evidenceFor(table, 1) } };
}

/** Columns with a field of the type, those first that speak most for it and least for the others. */
function evidenceFor({ columns, byType }: Table, type: number): readonly ColumnEvidence[] {
  const found = columns.flatMap(({ column, scores }, at) => {
    const by = TABLE_TYPES.map((_, each) => sumOf(scores, FIELD_CLASSES + each));
    const gain = 2 * (by[type] ?? 0) - Math.max(...by.filter((_, each) => each !== type));
    const field = FIELDS[type]?.names.find((_, each) => (byType[type]?.shares[at]?.[each] ?? 0) > 0.3);
    if (field === undefined || (column.profile.texts.length === 0 && column.profile.rows > 0)) return [];
    return [{ column: column.name, what: field.replaceAll('_', ' '), gain }];
  });
  return found.sort((one, other) => other.gain - one.gain);
}

/** What speaks for the field: `header and values`. */
function reasonFor([words = 0, letters = 0, values = 0]: readonly number[]): string {
  const parts = [...(words + letters > 0 ? ['header'] : []), ...(values > 0 ? ['values'] : [])];
  return parts.join(' and ') || 'no other field fits';
}
