/** Headers of real exports (fixtures/headers), and how well discovery maps them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contracts } from '../../../src/contract/index.ts';
import { detectType, discoverMapping, type FieldMapping, type Sample } from '../../../src/map/index.ts';
import type { RecordType } from '../../../src/model/record.ts';

export interface Headers {
  readonly name: string;
  readonly tool: string;
  readonly basis: string;
  readonly set: 'tune' | 'check' | 'held-out' | 'second' | 'third';
  /** The source of the header; absent for general knowledge. */
  readonly source?: string;
  /** The type according to the columns; null if they do not decide. */
  readonly type: RecordType | null;
  /** The type that the user gives, if the columns do not decide. */
  readonly told?: RecordType;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a careful person maps without asking. */
  readonly mapping: Readonly<Record<string, FieldMapping>>;
  /** Fields about which a careful person asks: using a column is wrong. */
  readonly ask?: readonly string[];
  /** Columns that can be used or not: both are right. */
  readonly either?: Readonly<Record<string, string>>;
}

const FOLDER = path.join(import.meta.dirname, '../../../fixtures/headers');

export function headerRows(): readonly Headers[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      name: name.replace('.json', ''),
      ...JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')),
    }));
}

export interface Judgement {
  readonly wanted: number;
  readonly found: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Compares the columns that discovery uses without asking with those of the careful mapping. */
export function judge(headers: Headers): Judgement {
  const { columns, rows, mapping, either = {} } = headers;
  const type = headers.type ?? headers.told ?? 'signals';
  const { document } = discoverMapping({ columns, rows }, contracts[type]);
  const missed: string[] = [];
  const wrong: string[] = [];
  let wanted = 0;
  let found = 0;
  for (const [field, careful] of Object.entries(mapping)) {
    const weight = 'template' in careful ? 2 : 1;
    wanted += weight;
    if (same(document.fields[field], careful)) found += weight;
    else missed.push(`${field} from ${JSON.stringify(careful)}`);
  }
  for (const [field, used] of Object.entries(document.fields)) {
    if (same(used, mapping[field])) continue;
    if ('column' in used && either[field] === used.column) continue;
    wrong.push(`${field} from ${JSON.stringify(used)}`);
  }
  return { wanted, found, missed, wrong };
}

function same(one: FieldMapping | undefined, other: FieldMapping | undefined): boolean {
  return one !== undefined && other !== undefined && sorted(one) === sorted(other);
}

function sorted(mapping: FieldMapping): string {
  return JSON.stringify(Object.entries(mapping).sort(([a], [b]) => a.localeCompare(b)));
}

/** The detected type of an automatic mapping; undefined if it is undecided. */
export function typeOf({ columns, rows }: Sample): RecordType | undefined {
  const detected = detectType({ columns, rows }, { fields: {} });
  return detected.kind === 'type' ? detected.type : undefined;
}
