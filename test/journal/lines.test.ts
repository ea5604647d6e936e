import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLine, encodeLine, type Line, linesIfExists, linesIn } from '../../src/journal/lines.ts';
import type { BatchSettled } from '../../src/model/event.ts';
import { settled as settledBatch } from '../support/run-states.ts';

const receipt = { batchId: 'Größe "7" \u2028', accepted: 100, deduplicated: 0, rejected: 0 };
const event = settledBatch('12', { receipt });

test('a line decodes to the event that was encoded', () => {
  const line = encodeLine(event);
  expect(line.split('\n')).toHaveLength(2);
  expect(decodeLine(line.trimEnd())).toEqual(event);
});

test('a line that was cut anywhere is not decoded', () => {
  const line = encodeLine(event).trimEnd();
  for (let length = 0; length < line.length; length += 1) expect(decodeLine(line.slice(0, length))).toBeUndefined();
});

test('a line in which any bit was flipped is not decoded', () => {
  const line = Buffer.from(encodeLine(event).trimEnd());
  for (let at = 0; at < line.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Buffer.from(line);
      flipped[at] = (line[at] ?? 0) ^ (1 << bit);
      expect(decodeLine(flipped.toString('utf8')), `bit ${bit} of byte ${at}`).toBeUndefined();
    }
  }
});

const count = fc.nat();
const text = fc.string({ unit: 'binary' });
const settled: fc.Arbitrary<BatchSettled> = fc.record(
  {
    event: fc.constant('batch.settled'),
    time: fc.constant('2026-11-20T09:15:00.000Z'),
    batch: fc.stringMatching(/^[1-9]\d{0,6}(\.[12]){0,3}$/),
    outcome: fc.constantFrom('delivered', 'refused', 'exhausted', 'unknown'),
    attempts: count,
    ms: count,
    status: count,
    receipt: fc.record({ batchId: text, accepted: count }, { requiredKeys: ['batchId'] }),
    unaccounted: fc.integer(),
    error: text,
  },
  { requiredKeys: ['event', 'time', 'batch', 'outcome', 'attempts', 'ms', 'unaccounted'] },
);

test('any text survives the way into a line and back', () => {
  fc.assert(
    fc.property(settled, (one) => {
      const line = encodeLine(one);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(decodeLine(line.trimEnd())).toEqual(JSON.parse(JSON.stringify(one)));
    }),
  );
});

async function texts(lines: AsyncIterable<Line>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { text, whole } of lines) all.push(whole ? text : `${text}…`);
  return all;
}

async function* bytesOf(...chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

test('a line may reach over several chunks, and the last one may be incomplete', async () => {
  expect(await texts(linesIn(bytesOf('\na\nb', 'c', 'd\n\ne', 'f')))).toEqual(['', 'a', 'bcd', '', 'ef…']);
  expect(await texts(linesIn(bytesOf('a\n', 'b\n')))).toEqual(['a', 'b']);
  expect(await texts(linesIfExists(`${import.meta.filename}.none`))).toEqual([]);
  await expect(texts(linesIfExists(import.meta.dirname))).rejects.toThrow('EISDIR');
});
