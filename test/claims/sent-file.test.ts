/** Files of sent records, compared with a list of them. */
import { mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { mergeSentFiles, type SendingRun, SentFile, writeSentFile } from '../../src/claims/sent-file.ts';
import { openIn } from '../support/files.ts';
import { workspace } from '../support/program.ts';

/** First, second and third word of a key, number of the run, and 1 if it is unknown whether it arrived. */
type Entry = readonly [a: number, b: number, c: number, run: number, unknown: number];

const runOf = (n: number, time = n): SendingRun => ({
  run: `run-${n}`,
  startedAt: '2026-11-20',
  folder: `/tmp/run-${n}`,
  time,
});
const RUNS = [0, 1, 2].map((n) => runOf(n));

const wordsOf = (entries: readonly Entry[]): Uint32Array =>
  Uint32Array.from(entries.flatMap(([a, b, c, run, unknown]) => [a, b, c, run * 2 + unknown]));

function fileOf(file: string, entries: readonly Entry[], runs: readonly SendingRun[] = RUNS): SentFile {
  writeSentFile(file, runs, wordsOf(entries));
  return opened(file);
}

function opened(file: string): SentFile {
  const sent = new SentFile(file);
  onTestFinished(() => sent.close());
  return sent;
}

const word = fc.oneof(fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const few = fc.constantFrom(0, 1, 2 ** 32 - 1);
const entry: fc.Arbitrary<Entry> = fc.tuple(word, few, few, fc.constantFrom(0, 1, 2), fc.constantFrom(0, 1));

test('finds every entry of a key, and no other', async () => {
  const cwd = await workspace();
  // More than a block with the same first word.
  const repeated = Array.from({ length: 600 }, (_, n): Entry => [7, n, n % 3, n % 3, n % 2]);
  let files = 0;
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), fc.boolean(), (some, hasRepeated) => {
      files += 1;
      const entries = hasRepeated ? [...some.slice(0, 20), ...repeated, ...some.slice(20)] : some;
      const file = fileOf(path.join(cwd, `${files}.sent`), entries);
      expect([file.entries, file.runs]).toEqual([entries.length, RUNS]);
      const inOrder = entries.toSorted(([one], [other]) => one - other);
      expect(file.read().join()).toBe(wordsOf(inOrder).join());
      for (const [a, b, c] of [...entries, [7, 600, 0], [8, 0, 0]] as const) {
        const expected = inOrder.flatMap((one) =>
          one[0] === a && one[1] === b && one[2] === c ? [one[3] * 2 + one[4]] : [],
        );
        // At any place of the keys of a batch.
        expect(file.find(Uint32Array.of(9, 9, 9, a, b, c), 3)).toEqual(expected);
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
  expect(statSync(path.join(cwd, '1.sent')).mode & 0o777).toBe(0o600);
});

/** Evenly distributed words. */
function mixed(n: number): number {
  const once = Math.imul(n ^ (n >>> 16), 0x85eb_ca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

const spread = (count: number, run: number, from = 0): readonly Entry[] =>
  Array.from(
    { length: count },
    (_, n): Entry => [mixed(from + n), mixed(~(from + n)), mixed((from + n) << 12), run, 0],
  );

test('reads a block for few of the records that are not in the file', async () => {
  const file = path.join(await workspace(), 'a.sent');
  const known = spread(3000, 0);
  const sent = fileOf(file, known);
  for (const [a, b, c] of known) expect(sent.find(Uint32Array.of(a, b, c), 0)).toEqual([0]);
  writeSync(openSync(file, 'r+'), Buffer.alloc(3000 * 16));
  const reads = spread(3000, 0, 10_000).filter(([a, b, c]) => {
    try {
      return sent.find(Uint32Array.of(a, b, c), 0).length > 0;
    } catch {
      return true;
    }
  });
  expect(() => sent.read()).toThrow('is damaged');
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThan(90);
});

test('joins large files, without the entries of runs that are not wanted', async () => {
  const cwd = await workspace();
  const [first, second] = [spread(60_000, 0), spread(30_000, 0, 40_000)];
  const sameName = { ...runOf(0), startedAt: '2026-11-21' };
  const files = [
    fileOf(path.join(cwd, 'a.sent'), first, [runOf(1, 10), runOf(0), runOf(9)]),
    // The same runs under other numbers.
    fileOf(path.join(cwd, 'b.sent'), second, [runOf(2), runOf(1, 20)]),
    fileOf(path.join(cwd, 'c.sent'), [[5, 5, 5, 0, 0]], [runOf(3)]),
    fileOf(
      path.join(cwd, 'd.sent'),
      [
        [5, 5, 5, 0, 1],
        [5, 5, 6, 2, 1],
      ],
      [runOf(2), runOf(1, 15), sameName],
    ),
  ];
  const target = path.join(cwd, 'new', 'joined.sent');
  mergeSentFiles(files, target, ({ run }) => run !== 'run-3' && run !== 'run-9');
  const joined = opened(target);
  expect(joined.runs).toEqual([runOf(1, 20), runOf(0), runOf(2), sameName]);
  const expected: readonly Entry[] = [
    ...first,
    ...second.map(([a, b, c]): Entry => [a, b, c, 2, 0]),
    [5, 5, 5, 2, 1],
    [5, 5, 6, 3, 1],
  ];
  const inOrder = wordsOf(expected.toSorted(([one], [other]) => one - other));
  // As one text, because a difference of long lists takes minutes to show.
  expect(joined.read().join() === inOrder.join()).toBe(true);
  expect(readdirSync(path.dirname(target))).toEqual(['joined.sent']);
});

test('a file that cannot be written whole leaves nothing', async () => {
  const cwd = await workspace();
  mkdirSync(path.join(cwd, 'a.sent', 'not empty'), { recursive: true });
  expect(() => writeSentFile(path.join(cwd, 'a.sent'), RUNS, Uint32Array.of(1, 2, 3, 0))).toThrow();
  expect(readdirSync(cwd)).toEqual(['a.sent']);
});

test.each([
  ['another program', (bytes: Buffer) => bytes.fill(1, bytes.length - 4)],
  ['nothing', () => Buffer.alloc(0)],
  ['a file with bytes before it', (bytes: Buffer) => Buffer.concat([Buffer.alloc(16), bytes])],
])('does not take what %s has written for a list', async (_what, change) => {
  const cwd = await workspace();
  const file = path.join(cwd, 'a.sent');
  writeSentFile(file, RUNS, Uint32Array.of(1, 2, 3, 0));
  writeFileSync(file, change(readFileSync(file)));
  expect(() => new SentFile(file)).toThrow(expect.objectContaining({ code: 'state.damaged' }));
  expect(openIn(cwd)).toEqual([]);
});
