/** The fast reader alone: what it evaluates, what it caches, and its limits. */
import { describe, expect, test } from 'vitest';
import { createFastReader } from '../../src/fast/index.ts';
import type { EvaluatedField, FastRead, FieldPlan, ReadPlan, RecordChunk } from '../../src/model/fast-reader.ts';
import { cellAt, twoColumns } from '../support/cells.ts';

const START = { rows: 0, line: 1, byte: 0 };
const NO_NOTES = { notes: [] };

const text = (name: string, column: number): FieldPlan => ({
  names: [name],
  columns: [column],
  shape: 'text',
  leftOutNotes: [],
  evaluate: (row) => ({ value: cellAt(row, column), ...NO_NOTES }),
});

/** A field that is always evaluated, and the cells that were. */
function asked(evaluate: (cell: string) => EvaluatedField | undefined): {
  field: FieldPlan;
  cells: string[];
} {
  const cells: string[] = [];
  const field: FieldPlan = {
    names: ['word'],
    columns: [1],
    shape: 'other',
    leftOutNotes: [],
    evaluate(row) {
      const cell = cellAt(row, 1);
      if (cell === '') return { value: undefined, ...NO_NOTES };
      cells.push(cell);
      return evaluate(cell);
    },
  };
  return { field, cells };
}

/** A plan of two columns: `id`, and the one that `fields` are made from. */
const planOf = (...fields: FieldPlan[]): ReadPlan => ({
  source: 0,
  form: twoColumns,
  maxRowBytes: 2 ** 24,
  emptyWords: [],
  fields: [text('id', 0), ...fields],
});

interface Read {
  readonly records: unknown[];
  readonly notes: Map<string, number>;
  readonly runs: number[];
  readonly taken: FastRead | undefined;
}

function read(
  plan: ReadPlan,
  csv: string,
  most = Number.POSITIVE_INFINITY,
  onJson: (json: string) => void = () => undefined,
): Read {
  const records: unknown[] = [];
  const notes = new Map<string, number>();
  const runs: number[] = [];
  const reader = createFastReader(
    plan,
    {
      maxRecordBytes: 2 ** 24,
      recordsLeft: () => 100,
      bytesLeft: () => 2 ** 24,
      put({ json, count, notes: lists }: RecordChunk) {
        runs.push(count);
        const text = Buffer.from(json).toString();
        onJson(text);
        records.push(...JSON.parse(`[${text}]`));
        for (const { list, times } of lists) {
          for (const note of list) notes.set(note, (notes.get(note) ?? 0) + times);
        }
      },
    },
    () => most,
  );
  return { records, notes, runs, taken: reader?.read(Buffer.from(csv), 0, START) };
}

const same = (cell: string): EvaluatedField => ({ value: cell, ...NO_NOTES });

describe('the fast reader', () => {
  test('never confuses cells, even with more than the cache takes', () => {
    const { field, cells } = asked(same);
    // Of many lengths; only their last bytes differ.
    const words = Array.from({ length: 200_000 }, (_, n) => `${'x'.repeat(n % 33)}${n}`);
    const twice = words.flatMap((word) => [word, word]);
    const { records } = read(planOf(field), twice.map((word, n) => `${n},${word}\n`).join(''));
    expect(records).toEqual(twice.map((word, n) => ({ id: String(n), word })));
    expect(cells).toEqual(words);
  });

  test('evaluates none of a hundred thousand cells again, until long ones have filled the memory', () => {
    const { field, cells } = asked(same);
    const words = Array.from({ length: 100_000 }, (_, n) => `word ${n}`);
    const long = Array.from({ length: 100_000 }, (_, n) => `${'x'.repeat(80)}${n}`);
    const all = [...words, ...words, ...long, ...words.slice(0, 10)];
    const { records } = read(planOf(field), all.map((word, n) => `${n},${word}\n`).join(''));
    expect(records.map((record) => Object(record).word)).toEqual(all);
    expect(cells).toEqual([...words, ...long, ...words.slice(0, 10)]);
  });

  test('caches cells and values of up to 96 bytes, and evaluates longer ones every time', () => {
    const times = (cell: number, value: number): number => {
      const { field, cells } = asked(() => ({ value: 'v'.repeat(value - 2), ...NO_NOTES }));
      const { records } = read(planOf(field), `1,${'c'.repeat(cell)}\n`.repeat(10));
      expect(records).toHaveLength(10);
      return cells.length;
    };
    expect([times(96, 96), times(97, 96), times(96, 97), times(96, 10_000)]).toEqual([1, 10, 10, 10]);
  });

  test('writes each value as JSON.stringify does', () => {
    const values = [
      '',
      'a',
      '"',
      '\\',
      'a\u001f',
      '\u007f',
      'é',
      '\u2028',
      '\ud83d\ude00',
      '\ud83d',
      'v'.repeat(97),
      -1.5,
    ];
    const { field } = asked((cell) => ({ value: values[Number(cell)], ...NO_NOTES }));
    const written: string[] = [];
    read(planOf(field), values.map((_, n) => `${n},${n}\n`).join(''), undefined, (json) => written.push(json));
    expect(written.join(',')).toBe(values.map((value, n) => `{"id":"${n}","word":${JSON.stringify(value)}}`).join(','));
  });

  test('caches notes with a value, and absent fields', () => {
    const { field, cells } = asked((cell) => ({
      value: cell === 'none' ? undefined : 'x',
      notes: [`mapped:${cell}`, 'judged'],
    }));
    const { records, notes } = read(planOf(field), '1,none\n2,some\n3,none\n4,some\n5,\n');
    expect(records).toEqual([{ id: '1' }, { id: '2', word: 'x' }, { id: '3' }, { id: '4', word: 'x' }, { id: '5' }]);
    expect(Object.fromEntries(notes)).toEqual({ 'mapped:none': 2, 'mapped:some': 2, judged: 4 });
    expect(cells).toEqual(['none', 'some']);
  });

  test('leaves a row to the reference path if there are more different notes than numbers', () => {
    const { field } = asked((cell) => ({ value: 'x', notes: [`open:${cell}`] }));
    const { records, taken } = read(
      planOf(field),
      Array.from({ length: 6000 }, (_, n) => `${n},family ${n}\n`).join(''),
    );
    expect(records).toHaveLength(4096);
    expect(taken).toMatchObject({ rows: 4096, line: 4097, needsMoreBytes: false });
  });

  test('reads the rows before a row whose field cannot be evaluated', () => {
    const { field } = asked((cell) => (cell === 'bad' ? undefined : same(cell)));
    const { records, taken } = read(planOf(field), '1,good\n\n2,bad\n3,good\n');
    expect(records).toEqual([{ id: '1', word: 'good' }]);
    expect(taken).toEqual({ rows: 1, line: 3, byte: '1,good\n\n'.length, needsMoreBytes: false });
  });

  test('reads more bytes than the kernel takes at once, and more rows than a batch has', () => {
    const { field } = asked(same);
    const rows = Array.from({ length: 3000 }, (_, n) => ({ id: `${n} ${'y'.repeat(700)}`, word: 'w' }));
    const csv = rows.map(({ id, word }) => `${id},${word}\n`).join('');
    const { records, runs, taken } = read(planOf(field), `${csv}tail`);
    expect(records).toEqual(rows);
    expect(Math.max(...runs)).toBe(100);
    expect(taken).toEqual({ rows: 3000, line: 3001, byte: csv.length, needsMoreBytes: true });
  });

  test('leaves a row that is longer than the window, and asks for more bytes if a row does not end', () => {
    const { field } = asked(same);
    const long = `1,"${'z\n'.repeat(300_000)}"\n`;
    expect(read(planOf(field), long).taken).toEqual({ ...START, needsMoreBytes: false });
    expect(read(planOf(field), long.slice(0, 1000)).taken).toEqual({ ...START, needsMoreBytes: true });
  });

  test('reads no row after bytes that are not UTF-8', () => {
    const { field } = asked(same);
    const plan = planOf(field);
    const reader = createFastReader(
      plan,
      { maxRecordBytes: 1000, recordsLeft: () => 100, bytesLeft: () => 1000, put: () => undefined },
      () => 100,
    );
    const bytes = Buffer.concat([Buffer.from('1,a\n2,b\n'), Buffer.from([0xff]), Buffer.from(',c\n4,d\n')]);
    let place: FastRead = { ...START, needsMoreBytes: false };
    // Repeated calls reach the row before those bytes and stop there.
    for (let step = 0; step < 5; step += 1) place = reader?.read(bytes, place.byte, place) ?? place;
    expect(place.rows).toBeLessThanOrEqual(2);
    expect(place.needsMoreBytes).toBe(false);
  });
});
