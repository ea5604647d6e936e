/** Hostile cells and headers: the work for a text must grow with its length, never with the square of it. */
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { nameColumns } from '../../src/input/header-row.ts';
import { trim } from '../../src/map/column-values.ts';
import { toDomain } from '../../src/map/domain.ts';
import { compileMapping, discoverMapping, sampleCells } from '../../src/map/index.ts';
import { dateConverter } from '../../src/map/parse-date.ts';
import { numberConverter } from '../../src/map/parse-number.ts';
import { columnsOfObjects } from '../../src/plan/row-function-worker.ts';
import { createRecordReader } from '../../src/prepare/record.ts';

/** Linear work on so many bytes takes milliseconds; quadratic work takes many minutes, and the test is then given up. */
const BYTES = 2 ** 20;

/** Repeats a unit between a start and an end, to `size` bytes. */
function filled(start: string, unit: string, end: string, size: number): string {
  return start + unit.repeat(Math.max(1, Math.floor((size - start.length - end.length) / unit.length))) + end;
}

/** What regular expressions for numbers, dates, names and addresses might read in more than one way. */
const TEXTS: readonly (readonly [start: string, unit: string, end: string])[] = [
  ['', '1', 'e'],
  ['', '1', 'x'],
  ['1', ',111', 'x'],
  ['', '1 ', 'x'],
  ['$', '1', '.'],
  ['a', ' ', 'b\u0085'],
  ['\u0085', ' ', 'b'],
  ['', '\u0085 ', 'b'],
  ['a', ' \u0085', ''],
  ['', 'a', '1'],
  ['', 'a ', '1'],
  ['a@', '.', '@'],
  ['a@', 'a.', ''],
  ['', 'a.', '-'],
  ['1', ' ', 'k'],
  ['', ' k', '!'],
  ['https://a.example/', '/', ' x'],
  ['2026-11-20T', '0', ''],
  ['2026-11-20T09:15:00.', '0', 'x'],
  ['', 'März ', '2026'],
  ['', 'Job-_ ', 'Posting'],
  ['', '"', ''],
];

const numbers = numberConverter({});
const commas = numberConverter({ decimal: ',' });
const dates = ['iso', 'excel', 'M/d/yyyy h:mm a', 'd. MMMM yyyy'].map((format) =>
  dateConverter({ format, zone: 'Europe/Berlin', locale: format.includes('MMM') ? 'de' : undefined }),
);
const signals = createRecordReader(contracts.signals, 'b', (field) => field);
const social = createRecordReader(contracts.social, undefined, (field) => field);
const mapped = compileMapping(
  { fields: { platform: { column: 'a.b' }, engagement_type: { template: '{a.b} {c}' } }, empty: ['N/A'] },
  { contract: contracts.social, variant: undefined, columns: ['a.b', 'c'], rowForm: 'ndjson', inputName: 'in.ndjson' },
);

const table = compileMapping(
  {
    fields: {
      platform: { column: 'a', values: { 'Series A': 'funding', Jobs: 'job_posting' } },
      engagement_type: { value: 'like' },
    },
  },
  { contract: contracts.social, variant: undefined, columns: ['a'], rowForm: 'csv', inputName: 'in.csv' },
);

const CELL_WORK: Readonly<Record<string, (text: string) => unknown>> = {
  'trimming a cell': trim,
  'as: number': numbers,
  'as: number with a decimal comma': commas,
  'as: domain': toDomain,
  'as: date': (text) => dates.map((convert) => convert(text)),
  'a table of values': (text) => table.apply({ content: [text] }),
  'mapping a row': (text) => mapped.apply({ content: { 'a.b': text, c: text } }),
  'validating a signal': (text) => signals(candidateOf('signals', text)),
  'validating an event': (text) => social(candidateOf('social', text)),
};

function candidateOf(type: 'signals' | 'social', text: string): Parameters<typeof signals>[0] {
  const candidate: Record<string, string> =
    type === 'signals'
      ? { signal_source: text, hotness_score: text, detected_at: text }
      : { platform: text, warmth_hint: text };
  return { candidate, issues: [], notes: [] };
}

describe('the work grows with the length of a cell', () => {
  it.each(Object.entries(CELL_WORK))('%s', (_name, work) => {
    for (const [start, unit, end] of TEXTS) work(filled(start, unit, end, BYTES));
  });

  it.each(['signals', 'social'] as const)('detecting columns of %s', (type) => {
    const columns = contracts[type].fields.map(({ name }) => name.replaceAll('_', ' '));
    const names = [...columns, 'Employees', 'Amount raised', 'Website', 'Contact', 'First name', 'Date', 'Link'];
    for (const [start, unit, end] of TEXTS) {
      const text = filled(start, unit, end, BYTES);
      discoverMapping({ columns: names, rows: [names.map(() => text)] }, contracts[type]);
    }
  });
});

describe('the work grows with the length of a header', () => {
  const indexes = Array.from({ length: BYTES / 8 }, (_, index) => index);

  it.each<[string, (index: number) => string]>([
    ['repeated names', () => 'x'],
    ['names that differ in punctuation', (index) => `Name${'.'.repeat(index % 7)}${index % 3 === 0 ? ' ' : ''}`],
    ['names with numbers', (index) => (index % 2 === 0 ? 'x' : `x (${index})`)],
    ['empty names', () => ''],
  ])('naming %s', (_name, cell) => {
    expect(nameColumns(indexes.map(cell))).toHaveLength(indexes.length);
  });

  it('detecting many columns', () => {
    const columns = indexes.slice(0, BYTES / 256).map((index) => `Company Name${'.'.repeat(index % 50)}${index}`);
    discoverMapping({ columns, rows: [columns.map(() => 'Acme')] }, contracts.signals);
  });

  it.each([
    ['nested objects', (text: string) => [...text].reduce<unknown>((value) => ({ a: value }), 1)],
    ['dots', (text: string) => ({ [text]: 1 })],
  ])('reading paths of many %s', (_name, make) => {
    const contents = [make('.'.repeat(30)), make('.'.repeat(1000))].map((each) => ({ content: Object(each) }));
    const columns = columnsOfObjects(contents);
    expect(columns).toHaveLength(1);
    expect(sampleCells(columns, contents)[0]).toEqual([1]);
  });
});
