/**
 * The learned scorer: how likely a column is a field, and a table of a type. One regression weighs the features of each column
 * (features.ts); another one weighs its result together with the rest of the table (context.ts), and a third one does the same for
 * the type, with the table's subjects (subjects.ts). scripts/train-discovery.mjs makes the weights, and docs/internals/discovery.md
 * says how well they do.
 */
import { type Contract, contracts } from '../../contract/index.ts';
import { once } from '../../lib/resources.ts';
import { type Column, columnFacts, columnsIn, type Sample } from './column.ts';
import { pairFacts, type ScoredColumn, softmax, type Table, tableFacts } from './context.ts';
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

/** Of each fact its mean, its spread and a weight by class. The last row is the bias. */
type Regression = readonly (readonly number[])[];

/** As in weights.json. */
export interface Weights {
  /** The places that have weights, each as its distance from the one before. The last is the bias. */
  readonly gaps: readonly number[];
  /** One character a weight: its root, by place and class. */
  readonly linear: string;
  /** The greatest weight, by class. */
  readonly scales: readonly number[];
  /** Whether a pair of a column and a field is right, and whether it is not. */
  readonly pairs: Regression;
  /** Each of {@link TABLE_TYPES}, and none. */
  readonly types: Regression;
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

/** Scores all columns of a table with the linear part. */
export function scoreTable(columns: readonly Column[], file: string | undefined, linear: Float32Array): Table {
  const scored = columns.map((column): ScoredColumn => {
    const facts = columnFacts(column.profile);
    return { column, facts, scores: featuresOf(column, facts).map((part) => linearScores(part, linear)) };
  });
  const bias = linear.subarray(SPACE * CLASSES);
  const shares = FIELDS.map(({ names, from }) =>
    scored.map(({ scores }) => {
      const own = bias.subarray(from, from + names.length + 1);
      return softmax(own.map((score, at) => scores.reduce((sum, part) => sum + (part[from + at] ?? 0), score)));
    }),
  );
  const ofFile = linearScores(fileFeatures(file ?? ''), linear);
  const types = bias.slice(FIELD_CLASSES).map((own, at) => {
    const parts = scored.flatMap(({ scores }) => scores.map((part) => part[FIELD_CLASSES + at] ?? 0));
    const ofColumns = parts.reduce((sum, part) => sum + part, 0) / Math.sqrt(scored.length || 1);
    return own + ofColumns + (ofFile[FIELD_CLASSES + at] ?? 0);
  });
  return { columns: scored, shares, facts: [...types, ...tableFacts(shares)] };
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
    const [header = 0, values = 0] = parts;
    const strong = [header > 0 ? 'header' : '', values > 0 ? 'values' : ''].filter(Boolean);
    const reason = strong.join(' and ') || 'no other field fits';
    return { ...pair, probability: classShares(facts, used.pairs)[0] ?? 0, reason };
  });
}

/** A smaller share of the linear part is not worth a look. */
const LEAST = 0.01;

/** Pairs that are worth a look, and whose values can be the field's. */
export function readablePairs(table: Table, type: number) {
  const { type: name = 'signals', names = [], from = 0 } = FIELDS[type] ?? {};
  const hints = readingHints(table.columns.map(({ column }) => column));
  return contracts[name].fields.flatMap((own, field) =>
    table.columns.flatMap(({ column, scores }, at) => {
      const isLikely = (table.shares[type]?.[at]?.[field] ?? 0) >= LEAST;
      const reading = isLikely ? readingOf(column, own, hints) : undefined;
      if (reading === undefined) return [];
      // What the header and the values say for the field.
      const parts = scores.map((part) => (part[from + field] ?? 0) - (part[from + names.length] ?? 0));
      const facts = pairFacts(table, type, { column: at, field, reading, parts });
      return [{ column, field: own.name, reading, parts, facts }];
    }),
  );
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

/** Facts in spreads from their means, as a regression takes them. */
export function standardised(facts: Float32Array, rows: Regression): readonly number[] {
  return Array.from(facts, (fact, at) => {
    const [mean = 0, spread = 1] = rows[at] ?? [];
    return Math.max(-MOST_SPREADS, Math.min(MOST_SPREADS, (fact - mean) / spread));
  });
}

function classShares(facts: Float32Array, rows: Regression): Float32Array {
  const values = [...standardised(facts, rows), 1];
  const [, , ...classes] = rows[0] ?? [];
  return softmax(
    Float32Array.from(classes, (_, at) =>
      values.reduce((sum, value, row) => sum + value * (rows[row]?.[2 + at] ?? 0), 0),
    ),
  );
}

/** What a table can be said to be, undefined if that is not certain, and the columns that speak for each type, the strongest first. */
export function judgeTable(sample: Sample) {
  const table = scoredTable(sample);
  // How likely it is right to call the rows one of them. Of some tables, this cannot be known: the fourth share.
  const [signals = 0, social = 0, neither = 0] = classShares(typeFacts(table, sample.name), used.types);
  const odds = { signals, social, neither };
  const [best = 'neither'] = TABLE_TYPES.toSorted((one, other) => odds[other] - odds[one]);
  const verdict = odds[best] >= (used.type[TABLE_TYPES.indexOf(best)] ?? 1) ? best : undefined;
  return { verdict, odds, evidence: { signals: evidenceFor(table, 0), social: evidenceFor(table, 1) } };
}

/** Columns with a field of the type, those first that are one for sure, and none of the other type. */
function evidenceFor({ columns, shares }: Table, type: number): readonly ColumnEvidence[] {
  const found = columns.flatMap(({ column: { name, profile } }, at) => {
    const [own = 0, other = 0] = [type, 1 - type].map((each) => 1 - (shares[each]?.[at]?.at(-1) ?? 1));
    const field = FIELDS[type]?.names.find((_, each) => (shares[type]?.[at]?.[each] ?? 0) > 0.3);
    if (field === undefined || (profile.texts.length === 0 && profile.rows > 0)) return [];
    return [{ column: name, what: field.replaceAll('_', ' '), gain: 2 * own - other }];
  });
  return found.sort((one, other) => other.gain - one.gain);
}

/** What speaks for the field: `header and values`. */
