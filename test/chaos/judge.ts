/**
 * What a round came to, judged by the service's own log: the records that it received, and with which requests.
 * The run folder is read for what the program claims, and every claim is held against that log.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { readRun } from '../../src/journal/read-journal.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { RecordType } from '../../src/model/record.ts';
import { balance } from '../../src/report/run-summary.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { root } from '../support/program.ts';
import { FIELDS, POISON } from './rows.ts';

/** What was under way when the program was killed. */
export interface Kill {
  /** Digests of the batches whose last attempt has no result. */
  readonly inFlight: ReadonlySet<string>;
  /** Requests that the service had seen when the next process began. */
  readonly requests: number;
}

/** Whole lines of a journal. */
async function eventsOf(folder: string): Promise<readonly RunEvent[]> {
  const text = await readFile(path.join(folder, 'journal.ndjson'), 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line): readonly RunEvent[] => (line === '' ? [] : [JSON.parse(line)]));
}

export async function hasBegun(folder: string): Promise<boolean> {
  return (await eventsOf(folder)).length > 0;
}

/** Whether the journal says that the pipe was read to its end. */
export async function hasSpooled(folder: string): Promise<boolean> {
  return (await eventsOf(folder)).some(({ event }) => event === 'source.spooled');
}

/** Folders of runs, oldest first. */
export async function runFolders(cwd: string): Promise<readonly string[]> {
  const runs = path.join(cwd, 'signals-runs');
  const names = (await readdir(runs).catch(() => [])).filter((name) => !name.startsWith('.'));
  const begun = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(runs, name, 'run.json'), 'utf8').catch(() => '{}');
      return { name, at: String(JSON.parse(text).startedAt) };
    }),
  );
  return begun.sort((one, other) => (one.at < other.at ? -1 : 1)).map(({ name }) => path.join(runs, name));
}

/** What the program left behind when it was killed, before anything is mended. Checks the books as they are then. */
export async function judgeKill(there: Sandbox, folder: string, what: string): Promise<Kill> {
  const digests = new Map<string, string>();
  const open = new Set<string>();
  for (const event of await eventsOf(folder)) {
    if (event.event === 'batch.sealed') digests.set(event.batch, event.digest);
    if (event.event === 'batch.split') for (const part of event.parts) digests.set(part.batch, part.digest);
    if (event.event === 'attempt.started') open.add(event.batch);
    if (event.event === 'attempt.failed' || event.event === 'batch.settled') open.delete(event.batch);
  }
  await judgeBooks(there, folder, what);
  const inFlight = new Set([...open].map((batch) => digests.get(batch) ?? ''));
  return { inFlight, requests: there.requests().length };
}

/** Both equations; and of each batch that is said to be delivered the service sent a receipt. */
export async function judgeBooks(there: Sandbox, folder: string, what: string): Promise<void> {
  const answered = new Set(
    there.requests().flatMap(({ processed, status, digest }) => (processed && status === 200 ? [digest] : [])),
  );
  const runState = await readRun(folder, false, (_event, _runState, changes) => {
    for (const { batch, to } of changes) {
      if (to === 'delivered')
        expect(answered.has(batch.digest), `${what}: batch ${batch.batch} is said to be delivered`).toBe(true);
    }
  });
  expect(balance(runState), what).toEqual({ rows: true, batches: true });
}

/** bin/verify-run.py shares no code with the program. Machines without Python go without this judge. */
export function judgeFolder(folder: string, what: string): void {
  const { error, status, stdout } = spawnSync('python3', [path.join(root, 'bin/verify-run.py'), folder], {
    encoding: 'utf8',
  });
  if (error === undefined) expect(status, `${what}: ${stdout}`).toBe(0);
}

interface Received {
  readonly n: number;
  readonly record: Readonly<Record<string, string>>;
}

/** The requests with which each name was received. */
async function received(there: Sandbox, type: RecordType): Promise<ReadonlyMap<string, readonly number[]>> {
  const text = await (await fetch(`${there.url}/sandbox/records`)).text();
  const requests = new Map<string, number[]>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const { n, record }: Received = JSON.parse(line);
    const name = record[FIELDS[type]] ?? '';
    const before = requests.get(name);
    if (before === undefined) requests.set(name, [n]);
    else before.push(n);
  }
  return requests;
}

interface Kept {
  readonly outcome: 'unknown' | 'refused' | 'exhausted';
  readonly payload: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
}

/** Names whose payload a run has kept, by what became of them. */
export async function keptNames(
  folder: string,
  type: RecordType,
): Promise<Readonly<Record<Kept['outcome'], ReadonlySet<string>>>> {
  const text = await readFile(path.join(folder, 'undelivered.ndjson'), 'utf8').catch(() => '');
  const batches = text.split('\n').flatMap((line): readonly Kept[] => (line === '' ? [] : [JSON.parse(line)]));
  const namesOf = (outcome: Kept['outcome']): ReadonlySet<string> =>
    new Set(
      batches
        .filter((batch) => batch.outcome === outcome)
        .flatMap(({ payload }) => Object.values(payload).flat())
        .map((record) => record[FIELDS[type]] ?? ''),
    );
  return { unknown: namesOf('unknown'), refused: namesOf('refused'), exhausted: namesOf('exhausted') };
}

/** How often a request may be repeated: its answer was lost, or it was under way at a kill. */
function excused(there: Sandbox, kills: readonly Kill[]): ReadonlySet<number> {
  const facts = there.requests();
  const lost = facts.flatMap(({ n, status, fault }) =>
    status !== 200 || (fault !== undefined && fault !== 'latency') ? [n] : [],
  );
  const cut = kills.flatMap(({ inFlight, requests }) =>
    [...inFlight].flatMap((digest) => {
      const last = facts.slice(0, requests).findLast((fact) => fact.digest === digest);
      return last === undefined ? [] : [last.n];
    }),
  );
  return new Set([...lost, ...cut]);
}

export interface Verdict {
  readonly missing: number;
  /** Records that were received more than once. */
  readonly twice: number;
  /** Those of them that `--unknown` asked for. */
  readonly asked: number;
}

/** The end of a round: nothing lost, nothing twice but what must be, nothing refused but poison. */
export async function judgeRound(
  there: Sandbox,
  round: {
    readonly type: RecordType;
    readonly valid: readonly string[];
    readonly kills: readonly Kill[];
    readonly kept: Readonly<Record<'unknown' | 'refused' | 'exhausted', ReadonlySet<string>>>;
    /** Events that may have arrived before `--unknown` was given, and how many processes got it. */
    readonly resent?: { readonly names: ReadonlySet<string>; readonly processes: number } | undefined;
  },
  what: string,
): Promise<Verdict> {
  const { type, valid, kills, kept, resent } = round;
  const requests = await received(there, type);
  const missing = valid.filter((name) => !requests.has(name) && !kept.unknown.has(name) && !kept.refused.has(name));
  expect(missing, `${what}: lost`).toEqual([]);
  expect([...kept.exhausted], `${what}: exhausted`).toEqual([]);
  for (const name of kept.refused) expect(name, `${what}: refused`).toContain(POISON);
  const wanted = new Set(valid);
  for (const name of requests.keys()) expect(wanted.has(name), `${what}: ${name} was never in the input`).toBe(true);

  const twice = [...requests].filter(([, times]) => times.length > 1);
  if (type === 'social') {
    const worse = twice.filter(([name, times]) => !resent?.names.has(name) || times.length > 1 + resent.processes);
    expect(worse, `${what}: sent twice`).toEqual([]);
  } else {
    const may = excused(there, kills);
    const worse = twice.filter(([, times]) => times.filter((n) => !may.has(n)).length > 1);
    expect(worse, `${what}: sent twice without need`).toEqual([]);
  }
  const asked = twice.filter(([name]) => resent?.names.has(name)).length;
  return { missing: missing.length, twice: twice.length, asked };
}
