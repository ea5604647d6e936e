import { describe, expect, test } from 'vitest';
import { SentRecords } from '../../src/history/sent-records.ts';
import { hashKey } from '../../src/lib/key-map.ts';

const at = (line: number, source = 0) => ({ source, line });

describe('within one run', () => {
  test('the first of two equal records is taken, and the second is told with the line of the first', () => {
    const { filter } = new SentRecords({ dedupe: true });
    expect(filter('{"n":1}', at(2))).toBeUndefined();
    expect(filter('{"n":2}', at(3))).toBeUndefined();
    expect(filter('{"n":1}', at(9))).toEqual({ kind: 'duplicate', of: at(2) });
    expect(filter('{"n":1}', at(10))).toEqual({ kind: 'duplicate', of: at(2) });
  });

  test('the first one may stand in another input', () => {
    const { filter } = new SentRecords({ dedupe: true });
    filter('{"n":1}', at(500, 0));
    filter('{"n":2}', at(2, 1));
    filter('{"n":3}', at(2, 3));
    expect(filter('{"n":1}', at(3, 3))).toEqual({ kind: 'duplicate', of: at(500, 0) });
    expect(filter('{"n":2}', at(4, 3))).toEqual({ kind: 'duplicate', of: at(2, 1) });
    expect(filter('{"n":3}', at(5, 3))).toEqual({ kind: 'duplicate', of: at(2, 3) });
  });

  test('text and bytes of a record are the same record', () => {
    const { filter } = new SentRecords({ dedupe: true });
    filter('{"n":"é"}', at(2));
    expect(filter(Buffer.from('{"n":"é"}'), at(3))).toEqual({ kind: 'duplicate', of: at(2) });
  });

  test('what an earlier part of the run has sealed is known, and new rows are told as before', () => {
    const whole = new SentRecords({ dedupe: true });
    const rows = [1, 2, 1, 3, 2, 4].map((n) => `{"n":${n}}`);
    const answers = rows.map((json, index) => whole.filter(json, at(index + 2)));
    const second = new SentRecords({ dedupe: true });
    // The rows on lines 2, 3 and 5 are in sealed batches; line 4 was dropped.
    for (const line of [2, 3, 5]) second.addSealed(hashKey(rows[line - 2] ?? ''), at(line));
    expect([4, 5].map((index) => second.filter(rows[index] ?? '', at(index + 2)))).toEqual(answers.slice(4));
  });

  test('nothing is a duplicate where nobody asked', () => {
    const { filter } = new SentRecords({ dedupe: false });
    filter('{"n":1}', at(2));
    expect(filter('{"n":1}', at(3))).toBeUndefined();
  });
});

describe('across runs', () => {
  test('a record is told with the run that delivered it, before it is looked for in the same run', () => {
    const seen = new SentRecords({ dedupe: true });
    seen.addSent([hashKey('{"n":1}')], { state: 'delivered', run: 'one' });
    seen.addSent([hashKey('{"n":2}')], { state: 'unknown', run: 'two' });
    expect(seen.filter('{"n":1}', at(2))).toEqual({
      kind: 'sent',
      by: { state: 'delivered', run: 'one' },
    });
    expect(seen.filter('{"n":2}', at(3))).toMatchObject({ by: { state: 'unknown', run: 'two' } });
    expect(seen.filter('{"n":1}', at(4))).toMatchObject({ kind: 'sent' });
    expect(seen.filter('{"n":3}', at(5))).toBeUndefined();
    expect(seen.size).toBe(2);
  });

  test('what was delivered by one run and left unknown by another was delivered', () => {
    const seen = new SentRecords({ dedupe: false });
    const keys = [hashKey('{"n":1}')];
    seen.addSent(keys, { state: 'unknown', run: 'one' });
    seen.addSent(keys, { state: 'delivered', run: 'two' });
    seen.addSent(keys, { state: 'unknown', run: 'three' });
    expect(seen.filter('{"n":1}', at(2))).toMatchObject({ by: { state: 'delivered', run: 'two' } });
  });
});
