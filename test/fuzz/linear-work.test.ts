/** Hostile cells and headers: the work for a text must grow with its length, never with the square of it. */
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { nameColumns } from '../../src/input/header-row.ts';
import { trim } from '../../src/map/column-values.ts';
import { toDomain } from '../../src/map/domain.ts';
import { columnsOfObjects, compileMapping, discoverMapping, loadScorer, sampleCells } from '../../src/map/index.ts';
import { dateConverter } from '../../src/map/parse-date.ts';
import { numberConverter } from '../../src/map/parse-number.ts';
import { createRecordReader } from '../../src/prepare/record.ts';

await loadScorer();

const MAX_BYTES = 2 ** 20;
/** Below this, the clock and the garbage collector say more than the work. */
const NEGLIGIBLE_MS = 150;

/** Processor time, which other programs on the machine do not change; the least of several runs. */
function millisecondsOf(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > NEGLIGIBLE_MS; run += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * The size at which the work is no longer linear; undefined up to 1 MiB. For four times the size, linear work takes four times
 * as long and quadratic work sixteen times.
 */
function sizeWithQuadraticWork(make: (size: number) => () => unknown): number | undefined {
  for (let size = 2 ** 14; size <= MAX_BYTES; size *= 4) {
    const [quarter, whole] = [make(size / 4), make(size)];
    const isQuadratic = (): boolean => {
      const time = millisecondsOf(whole);
      return time > NEGLIGIBLE_MS && time > 9 * millisecondsOf(quarter);
    };
    if (isQuadratic() && isQuadratic()) return size;
  }
  return undefined;
}

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
    const found = TEXTS.map(([start, unit, end]) => [
      filled(start, unit, end, 20),
      sizeWithQuadraticWork((size) => {
        const text = filled(start, unit, end, size);
        return () => work(text);
      }),
    ]);
    expect(found.filter(([, size]) => size !== undefined)).toEqual([]);
  });

  it.each(['signals', 'social'] as const)('detecting columns of %s', (type) => {
    const columns = contracts[type].fields.map(({ name }) => name.replaceAll('_', ' '));
    const names = [...columns, 'Employees', 'Amount raised', 'Website', 'Contact', 'First name', 'Date', 'Link'];
    const found = TEXTS.map(([start, unit, end]) => [
      filled(start, unit, end, 20),
      sizeWithQuadraticWork((size) => {
        const text = filled(start, unit, end, size);
        return () => discoverMapping({ columns: names, rows: [names.map(() => text)] }, contracts[type]);
      }),
    ]);
    expect(found.filter(([, size]) => size !== undefined)).toEqual([]);
  });
});

describe('the work grows with the length of a header', () => {
  it.each([
    ['repeated names', () => 'x'],
    [
      'names that differ in punctuation',
      (index: number) => `Name${'.'.repeat(index % 7)}${index % 3 === 0 ? ' ' : ''}`,
    ],
    ['names with numbers', (index: number) => (index % 2 === 0 ? 'x' : `x (${index})`)],
    ['empty names', () => ''],
  ])('naming %s', (_name, cell) => {
    const size = sizeWithQuadraticWork((bytes) => {
      const cells = Array.from({ length: bytes / 8 }, (_, index) => cell(index));
      return () => nameColumns(cells);
    });
    expect(size).toBeUndefined();
  });

  it('detecting many columns', () => {
    const size = sizeWithQuadraticWork((bytes) => {
      const columns = Array.from(
        { length: bytes / 256 },
        (_, index) => `Company Name${'.'.repeat(index % 50)}${index}`,
      );
      return () => discoverMapping({ columns, rows: [columns.map(() => 'Acme')] }, contracts.signals);
    });
    expect(size).toBeUndefined();
  });

  it.each([
    ['nested objects', (text: string) => [...text].reduce<unknown>((value) => ({ a: value }), 1)],
    ['dots', (text: string) => ({ [text]: 1 })],
  ])('reading paths of many %s', (_name, make) => {
    const contents = [make('.'.repeat(30)), make('.'.repeat(1000))].map((each) => ({ content: Object(each) }));
    const columns = columnsOfObjects(contents);
    expect(columns).toHaveLength(1);
    const before = performance.now();
    expect(sampleCells(columns, contents)[0]).toEqual([1]);
    expect(performance.now() - before).toBeLessThan(1000);
  });
});
