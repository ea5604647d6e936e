/** Headers of real exports (fixtures/headers), and how well discovery maps them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contracts } from '../../../src/contract/index.ts';
import { judgeTable, likelihoods, scoredTable } from '../../../src/map/discover/scorer.ts';
import { detectType, discoverMapping, type FieldMapping, type Sample } from '../../../src/map/index.ts';
import type { RecordType } from '../../../src/model/record.ts';
import { sampleOf } from './sample-of.ts';

export interface Headers {
  /** The tool, site or maker. Tables of one are alike: what is learned from one must not be measured on another. */
  readonly origin: string;
  readonly name: string;
  readonly tool: string;
  readonly basis: string;
  /** When and how the table was labelled. */
  readonly set: string;
  /** The name of the exported file, which is evidence for the type; in the set 2026. */
  readonly file?: string;
  /** The source of the header; absent for general knowledge. */
  readonly source?: string;
  /** The type according to the columns; null if they do not decide; `neither` if the table is not for this API. */
  readonly type: RecordType | 'neither' | null;
  /** The type that the user gives, if the columns do not decide. */
  readonly told?: RecordType;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a careful person maps without asking. */
  readonly mapping: Readonly<Record<string, FieldMapping>>;
  /** Fields about which a careful person asks (in the set 2026 with the columns in question): using a column is wrong. */
  readonly ask?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** Columns about which a careful person asks, for whatever field: using one is wrong. In the sets from 2026-52 on. */
  readonly plausible?: readonly string[];
  /** Why a label differs from the one that was given. */
  readonly note?: string;
  /** Columns that can be used or not: both are right. In the set 2026 also a list of columns. */
  readonly either?: Readonly<Record<string, string | readonly string[]>>;
}

const FOLDER = path.join(import.meta.dirname, '../../../fixtures/headers');

function linesOf(file: string): readonly string[] {
  return readFileSync(path.join(FOLDER, file), 'utf8').trimEnd().split('\n');
}

/** A real table of a public repository, masked, whose labels two or three readers gave who saw neither code nor proposals. */
export interface Collected extends Headers {
  /** One of the third of the sources that are never trained on. */
  readonly heldOut?: boolean;
  /** Columns that no careful person uses or asks about. */
  readonly never?: readonly string[];
  /** Other types that it can be called. */
  readonly typeEither?: readonly string[];
}

/** Tables to learn from, one a line. Those that are held out are not among them: {@link heldOutTables} alone reads these. */
export function headerTables(file: string): readonly Collected[] {
  return tablesIn(file).filter(({ heldOut }) => heldOut !== true);
}

/** For evaluate-discovery.mjs and collected.test.ts, which print figures: no one else may read their labels. */
export function heldOutTables(): readonly Collected[] {
  return tablesIn('collected.ndjson').filter(({ heldOut }) => heldOut === true);
}

function tablesIn(file: string): readonly Collected[] {
  return linesOf(file).map((line) => JSON.parse(line));
}

/** Invented tables in the form of real exports, with the type that a careful person sees; null if one asks. */
export function typedTables(): readonly Collected[] {
  return linesOf('types.ndjson').map((line) => {
    const { type, about, columns, ...table } = JSON.parse(line);
    const more = { name: table.origin, tool: about, basis: 'invented', set: 'types', mapping: {} };
    return { ...table, ...more, ...sampleOf(...columns), type: type === 'unknown' ? null : type };
  });
}

/**
 * What weights.json was trained from: the tables, the training, and what its weights make of a third of the collected tables that
 * it knows, which also changes with the code of features and readings.
 */
export function trainedFrom(): string {
  const hash = createHash('sha256');
  const scripts = ['train-discovery.mjs', 'learning.mjs'].map((name) => path.join('../../scripts', name));
  for (const file of [...readdirSync(FOLDER).filter((name) => name.endsWith('.ndjson')), ...scripts])
    hash.update(readFileSync(path.join(FOLDER, file)));
  const tables = headerTables('collected.ndjson').filter((_, at) => at % 3 === 0);
  for (const { columns, rows, file, ...table } of tables) {
    const sample = { columns, rows, name: file };
    const type = typeOfFields({ columns, rows, ...table });
    const pairs = type === undefined ? [] : likelihoods(scoredTable(sample), contracts[type]);
    const said = pairs.map(({ column, field, probability }) => [column.name, field, probability.toFixed(4)]);
    hash.update(JSON.stringify([judgeTable(sample).odds, said]));
  }
  return hash.digest('hex');
}

/** The type whose fields the labels name. */
export function typeOfFields({ type, told }: Headers): RecordType | undefined {
  return type === 'signals' || type === 'social' ? type : told;
}

export interface Judgement {
  /** Mapped fields; a template counts twice. */
  readonly wanted: number;
  readonly found: number;
  /** Wanted fields that are not used, but asked about with the right column or value among the options. */
  readonly asked: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
  /** The used columns, and whether they are right: for curves. */
  readonly used: readonly { readonly field: string; readonly confidence: number; readonly isRight: boolean }[];
}

/** Compares the columns that discovery uses and asks about with those of the careful mapping, given the right type. */
export function judge(headers: Headers): Judgement {
  const { columns, rows, mapping, either = {}, file } = headers;
  const type = typeOfFields(headers);
  if (type === undefined) return { wanted: 0, found: 0, asked: 0, missed: [], wrong: [], used: [] };
  // Under one variant, no question is asked about fields of the other one.
  const {
    document,
    questions,
    used: proposals,
  } = discoverMapping({ columns, rows, name: file }, contracts[type], undefined, 'both');
  const missed: string[] = [];
  const wrong: string[] = [];
  const sums = { wanted: 0, found: 0, asked: 0 };
  for (const [field, careful] of Object.entries(mapping)) {
    const weight = 'template' in careful ? 2 : 1;
    sums.wanted += weight;
    if (same(document.fields[field], careful, field)) {
      sums.found += weight;
    } else {
      const question = questions.find((each) => each.field === field);
      if (question?.options.some((option) => sameColumns(option.mapping, careful)) === true) sums.asked += weight;
      missed.push(`${field} from ${JSON.stringify(careful)}`);
    }
  }
  const used = Object.entries(document.fields).flatMap(([field, way]) => {
    const isRight = same(way, mapping[field], field);
    if (!isRight && 'column' in way && [either[field]].flat().includes(way.column)) return [];
    if (!isRight) wrong.push(`${field} from ${JSON.stringify(way)}`);
    const confidence = proposals.find((each) => each.field === field)?.confidence ?? 1;
    return [{ field, confidence, isRight }];
  });
  return { ...sums, missed, wrong, used };
}

/**
 * `right`; `undecided`, which is a question; `wrong`. Where a careful person cannot know, any answer but a type is right, and
 * where readers disagree, each of their types.
 */
export function judgeType(headers: Collected): 'right' | 'undecided' | 'wrong' {
  const found = typeOf(headers, headers.file);
  if (headers.type === null) {
    return found === undefined || found === 'neither' || headers.typeEither?.includes(found) ? 'right' : 'wrong';
  }
  if (found === headers.type) return 'right';
  return found === undefined ? 'undecided' : 'wrong';
}

function same(used: FieldMapping | undefined, careful: FieldMapping | undefined, field: string): boolean {
  if (used === undefined || careful === undefined) return false;
  if (sorted(used) === sorted(careful)) return true;
  if (!('column' in careful)) return false;
  // One kind a column: all as numbers, or all as text.
  const isNumeric = ['funding_amount', 'employee_count'].includes(field) && !('as' in careful);
  // Also with the column of its currency.
  if (isNumeric && 'template' in used) return used.template.startsWith(`{${careful.column}}`);
  if (!('column' in used) || used.column !== careful.column) return false;
  if (isNumeric && 'as' in used && used.as === 'number') return used.scale === undefined;
  if ('values' in used) {
    // The careful table also has values of other rows; without one, values of an open list are sent as they are.
    const table = 'values' in careful ? careful.values : {};
    return Object.entries(used.values).every(([value, sent]) => (table[value] ?? sent) === sent);
  }
  const changed = 'as' in used ? used.as : undefined;
  // A plain domain stays as it is. A label that names only a column leaves the format of its dates to the program, which uses
  // one only if no other reads them.
  return !('as' in careful) && changed === (field === 'company_domain' ? 'domain' : 'date');
}

/** Of an option the user still chooses how the column's values are read. */
function sameColumns(one: FieldMapping, other: FieldMapping): boolean {
  return 'column' in one && 'column' in other ? one.column === other.column : sorted(one) === sorted(other);
}

function sorted(mapping: FieldMapping): string {
  // `dd.MM.yyyy` reads what `d.M.yyyy` reads.
  const { format, ...rest } = { format: undefined, ...mapping };
  const short = typeof format === 'string' ? format.replace('MM', 'M').replace('dd', 'd') : format;
  return JSON.stringify(Object.entries({ ...rest, format: short }).sort(([a], [b]) => a.localeCompare(b)));
}

/** The detected type of an automatic mapping; undefined if it is undecided. */
export function typeOf({ columns, rows }: Sample, file = 'export.csv'): RecordType | 'neither' | undefined {
  const detected = detectType({ columns, rows, name: file }, { fields: {} });
  if (detected.kind === 'type') return detected.type;
  return detected.isNeither ? 'neither' : undefined;
}
