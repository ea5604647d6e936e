import { expect, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/journal/line.ts';
import type { RunEvent } from '../../src/model/event.ts';

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
