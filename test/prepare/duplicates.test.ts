import { describe, expect, test } from 'vitest';
import { hashKey } from '../../src/lib/key-map.ts';
import { Duplicates } from '../../src/prepare/duplicates.ts';

const at = (line: number, source = 0) => ({ source, line });

describe('within one run', () => {
  test('the first of two equal records is taken, and the second is told with the line of the first', () => {
    const { find } = new Duplicates();
    expect(find('{"n":1}', at(2))).toBeUndefined();
    expect(find('{"n":2}', at(3))).toBeUndefined();
    expect(find('{"n":1}', at(9))).toEqual(at(2));
    expect(find('{"n":1}', at(10))).toEqual(at(2));
  });

  test('the first one may stand in another input', () => {
    const { find } = new Duplicates();
    find('{"n":1}', at(500, 0));
    find('{"n":2}', at(2, 1));
    find('{"n":3}', at(2, 3));
    expect(find('{"n":1}', at(3, 3))).toEqual(at(500, 0));
    expect(find('{"n":2}', at(4, 3))).toEqual(at(2, 1));
    expect(find('{"n":3}', at(5, 3))).toEqual(at(2, 3));
  });

  test('text and bytes of a record are the same record', () => {
    const { find } = new Duplicates();
    find('{"n":"é"}', at(2));
    expect(find(Buffer.from('{"n":"é"}'), at(3))).toEqual(at(2));
  });

  test('what an earlier part of the run has sealed is known, and new rows are told as before', () => {
    const whole = new Duplicates();
    const rows = [1, 2, 1, 3, 2, 4].map((n) => `{"n":${n}}`);
    const answers = rows.map((json, index) => whole.find(json, at(index + 2)));
    const second = new Duplicates();
    // The rows on lines 2, 3 and 5 are in sealed batches; line 4 was dropped.
    for (const line of [2, 3, 5]) second.addSealed(hashKey(rows[line - 2] ?? ''), at(line));
    expect([4, 5].map((index) => second.find(rows[index] ?? '', at(index + 2)))).toEqual(answers.slice(4));
  });

  test('the records of sealed batches are known by the rows of their ranges', () => {
    const duplicates = new Duplicates();
    const rows = [1, 2, 3].map((n) => `{"n":${n}}`);
    const keys = Buffer.from(rows.map(hashKey).join(''), 'latin1').toString('base64');
    const range = { source: 1, firstRow: 1, lastRow: 3, firstLine: 2, lastLine: 5, start: 0, end: 9 };
    const spans = [
      [1, 2, 1],
      [3, 5, 1],
    ] as const;
    // The third key has no row.
    duplicates.addBatch({ keys, ranges: [{ ...range, spans }] });
    duplicates.addBatch({ keys: undefined, ranges: [range] });
    expect(rows.map((json) => duplicates.find(json, at(9, 1)))).toEqual([at(2, 1), at(5, 1), undefined]);
  });

  test('lines beyond the highest number share it', () => {
    const { find } = new Duplicates();
    find('{"n":1}', at(2 ** 32 + 5));
    expect(find('{"n":1}', at(2 ** 32 + 9))).toEqual(at(2 ** 32 - 2));
  });
});
