import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/journal/event-line.ts';
import type { AttemptStarted, BatchSealed, BatchSettled, RunEvent } from '../../src/model/event.ts';

const event: RunEvent = {
  event: 'batch.settled',
  time: '2026-11-20T09:15:00.000Z',
  batch: '12',
  outcome: 'delivered',
  attempts: 1,
  ms: 20,
  unaccounted: 0,
  receipt: { batchId: 'Größe "7" \u2028', accepted: 100, deduplicated: 0, rejected: 0 },
};

test('gives an event back as it was', () => {
  const line = encodeLine(event);
  expect(line.split('\n')).toHaveLength(2);
  expect(decodeLine(line.trimEnd())).toEqual(event);
});

test('is not believed when it was cut anywhere', () => {
  const line = encodeLine(event).trimEnd();
  for (let length = 0; length < line.length; length += 1)
    expect(decodeLine(line.slice(0, length))).toBeUndefined();
});

test('is not believed when any one bit of it was flipped', () => {
  const line = Buffer.from(encodeLine(event).trimEnd());
  for (let at = 0; at < line.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Buffer.from(line);
      flipped[at] = (line[at] ?? 0) ^ (1 << bit);
      expect(decodeLine(flipped.toString('utf8')), `bit ${bit} of byte ${at}`).toBeUndefined();
    }
  }
});

/** Every key that an event can have, so that a new one cannot be left out of a line that is put together by hand. */
type Whole<Event> = { readonly [Key in keyof Event]-?: fc.Arbitrary<NonNullable<Event[Key]>> };

const whole = fc.nat();
const id = fc.stringMatching(/^[1-9]\d{0,6}(\.[12]){0,3}$/);
const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map((date) => {
  return date.toISOString();
});
const place = { source: whole, rows: whole, line: whole, byte: whole };
const range = fc.record(
  {
    ...{ source: whole, firstRow: whole, lastRow: whole, firstLine: whole, lastLine: whole },
    ...{ start: whole, end: whole, spans: fc.array(fc.tuple(whole, whole, whole), { maxLength: 3 }) },
  },
  { requiredKeys: ['source', 'firstRow', 'lastRow', 'firstLine', 'lastLine', 'start', 'end'] },
);
const counts = fc.dictionary(fc.string({ unit: 'binary' }), whole, { noNullPrototype: true });

const sealed: Whole<BatchSealed> = {
  event: fc.constant('batch.sealed'),
  batch: id,
  digest: fc.stringMatching(/^[\da-f]{64}$/),
  records: whole,
  bytes: whole,
  ranges: fc.array(range, { maxLength: 3 }),
  rejects: fc.dictionary(whole.map(String), whole, { noNullPrototype: true }),
  maybeProcessed: fc.constant(true),
  keys: fc.base64String(),
  cursors: fc.array(fc.record(place), { maxLength: 3 }),
  dropped: fc.record({ invalid: whole, skipped: whole, duplicate: whole }),
  notes: counts,
  sentBefore: fc.array(
    fc.record({ run: fc.string(), state: fc.constantFrom('delivered', 'unknown'), rows: whole }),
    { maxLength: 2 },
  ),
};
const started: Whole<AttemptStarted> = {
  event: fc.constant('attempt.started'),
  time,
  batch: id,
  attempt: whole,
  bytes: whole,
};
const settled: Whole<BatchSettled> = {
  event: fc.constant('batch.settled'),
  time,
  batch: id,
  outcome: fc.constantFrom('delivered', 'refused', 'exhausted', 'unknown'),
  attempts: whole,
  ms: whole,
  status: whole,
  receipt: fc.record(
    {
      ...{ batchId: fc.string({ unit: 'binary' }), accepted: whole, deduplicated: whole },
      ...{ rejected: whole, promoted: whole },
    },
    { requiredKeys: ['batchId'] },
  ),
  unaccounted: fc.integer(),
  error: fc.string({ unit: 'binary' }),
};
const frequent = fc.oneof(
  fc.record(sealed, {
    requiredKeys: [
      'event',
      'batch',
      'digest',
      'records',
      'bytes',
      'ranges',
      'rejects',
      'cursors',
      'dropped',
      'notes',
    ],
  }),
  fc.record(started),
  fc.record(settled, {
    requiredKeys: ['event', 'time', 'batch', 'outcome', 'attempts', 'ms', 'unaccounted'],
  }),
);

test('says of the events that every batch has what JSON.stringify says', () => {
  fc.assert(
    fc.property(frequent, (one) => {
      const body = encodeLine(one).replace(/,"crc":"[\da-f]{8}"\}\n$/, '}');
      expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(one)));
      expect(body).toHaveLength(JSON.stringify(one).length);
    }),
  );
});
