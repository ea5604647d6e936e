/**
 * A journal that was cut at every byte, and one in which every byte was flipped. What is read from it is held
 * against what stands in its whole lines: nothing may be claimed that they do not say.
 */
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readJournal, readRun } from '../../src/journal/read-journal.ts';
import type { RunEvent, SealedPart } from '../../src/model/event.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { InjectedFault, SandboxServerOptions } from '../../src/sandbox/index.ts';
import { flow, rowOf } from '../support/flow.ts';
import { service } from '../support/program.ts';

/** `npm run fuzz:journal` tries every byte. */
const EVERY = Number(process.env['SIGNALS_EVERY_BYTE'] ?? 7);

type Incoming = Parameters<NonNullable<SandboxServerOptions['injectFault']>>[0];

/** Every kind of end is in it: delivered, retried, split, refused, unknown, and a batch that a stop left pending. */
function misbehaving(): (incoming: Incoming) => InjectedFault | undefined {
  let failed = false;
  return ({ elements }) => {
    const text = JSON.stringify(elements);
    if (text.includes('"Name 2"')) return { status: 422 };
    if (text.includes('Name 7')) return { status: 200, body: 'no receipt' };
    if (text.includes('Name 11')) return { status: 401 };
    if (failed || !text.includes('Name 8')) return undefined;
    failed = true;
    return { status: 500 };
  };
}

async function journalOf(type: 'signals' | 'social'): Promise<Buffer> {
  const there = await service({ injectFault: misbehaving() });
  const { lines, balanced } = await flow({
    type,
    url: there.url,
    rows: 12,
    batchSize: 3,
    row: (n) => (n === 5 ? ',,,' : rowOf(type, n)),
    delivery: { isolate: true },
  });
  expect(balanced).toBe(true);
  return Buffer.from((await lines('journal.ndjson')).map((line) => `${line}\n`).join(''));
}

/** A run folder with nothing in it but a journal, which the test cuts and flips. */
async function folderWith(journal: Buffer): Promise<{ readonly folder: string; readonly file: string }> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'damage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'journal.ndjson');
  await writeFile(file, journal);
  return { folder, file };
}

/** What may be said of each batch on the evidence of these events alone. Written apart from what it judges. */
function truthOf(events: readonly RunEvent[]): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  const perhaps = new Set<string>();
  const seal = ({ batch }: SealedPart): void => void states.set(batch, 'pending');
  for (const event of events) {
    if (event.event === 'batch.sealed') seal(event);
    if (event.event === 'batch.split') {
      states.delete(event.batch);
      perhaps.delete(event.batch);
      event.parts.forEach(seal);
    }
    if (event.event === 'attempt.started') perhaps.add(event.batch);
    if (event.event === 'attempt.failed' && !event.maybeProcessed) perhaps.delete(event.batch);
    if (event.event === 'batch.settled') {
      states.set(event.batch, event.outcome);
      perhaps.delete(event.batch);
    }
  }
  for (const batch of perhaps) states.set(batch, 'unknown');
  return states;
}

async function claimsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const claims = new Map<string, string>();
  const runState = await readRun(folder, false, (_event, _soFar, changes) => {
    for (const { batch, to } of changes) if (to === 'delivered') claims.set(batch.batch, to);
  });
  for (const { batch, state } of runState.undelivered.values()) claims.set(batch, state);
  const { rows } = runState;
  const { read, invalid, skipped, duplicate, ...settled } = rows;
  const sum = Object.values(settled).reduce((total, count) => total + count, 0);
  expect(read).toBe(invalid + skipped + duplicate + sum);
  const { sealed, ...outcomes } = runState.batches;
  expect(sealed).toBe(Object.values(outcomes).reduce((total, count) => total + count, 0));
  return claims;
}

const sorted = (states: ReadonlyMap<string, string>): readonly string[] =>
  [...states].map(([batch, state]) => `${batch} ${state}`).toSorted();

test.each(['signals', 'social'] as const)(
  'a journal of %s that was cut at any byte says what its whole lines say, and no more',
  { timeout: 240_000 },
  async (type) => {
    const journal = await journalOf(type);
    const text = journal.toString('utf8');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line): RunEvent => JSON.parse(line));
    expect(new Set(truthOf(events).values())).toEqual(new Set(['delivered', 'refused', 'unknown', 'pending']));
    const { folder, file } = await folderWith(journal);
    const handle = await open(file, 'r+');
    onTestFinished(() => handle.close());
    for (let length = journal.length; length >= 0; length -= EVERY) {
      await handle.truncate(length);
      const prefix = journal.subarray(0, length);
      const whole = prefix.lastIndexOf(0x0a) + 1;
      if (whole === 0) {
        await expect(readJournal(folder)).rejects.toMatchObject({ problems: [{ code: 'journal.empty' }] });
        continue;
      }
      const lines = prefix.subarray(0, whole).toString('utf8').trimEnd().split('\n').length;
      const truth = truthOf(events.slice(0, lines));
      const what = `cut at byte ${length} of ${journal.length}`;
      expect(sorted(await claimsOf(folder)), what).toEqual(sorted(truth));

      const { runState, bytes } = await readJournal(folder);
      expect(bytes, what).toBe(whole);
      // What a resume may send: everything that was not delivered, and nothing else.
      const open = [...runState.undelivered.keys()].toSorted();
      const left = [...truth].flatMap(([batch, state]) => (state === 'delivered' ? [] : [batch]));
      expect(open, what).toEqual(left.toSorted());
      for (const { batch, maybeProcessed, state } of runState.undelivered.values()) {
        if (truth.get(batch) !== 'unknown') expect(maybeProcessed, what).toBe(false);
        else expect(maybeProcessed || state === 'unknown', what).toBe(true);
      }
    }
  },
);

test('a journal in which any byte was changed is not believed, and the line is named', {
  timeout: 240_000,
}, async () => {
  const journal = await journalOf('signals');
  const { folder, file } = await folderWith(journal);
  const handle = await open(file, 'r+');
  onTestFinished(() => handle.close());
  let line = 1;
  for (const [offset, byte] of journal.entries()) {
    if (byte === 0x0a) line += 1;
    if (offset % EVERY !== 0) continue;
    // One bit, the bit of upper case, the bit that makes no text, all bits, and the byte that ends a line.
    const masks = [1 << (offset % 8), 0x20, 0x80, 0xff, 0x0a ^ byte];
    const mask = masks[offset % masks.length] || 1;
    await handle.write(Buffer.of(byte ^ mask), 0, 1, offset);
    const what = `byte ${offset}, ${byte} to ${byte ^ mask}`;
    const fault = await readJournal(folder).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(fault, what).toBeInstanceOf(ProblemError);
    expect(fault, what).toMatchObject({
      problems: [{ code: 'journal.damaged', where: `${file}:${byte === 0x0a ? line - 1 : line}` }],
    });
    await handle.write(Buffer.of(byte), 0, 1, offset);
  }
  expect(await readFile(file)).toEqual(journal);
});
