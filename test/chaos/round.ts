/** One round: kill -9, go on, and again, until the run is complete; then the judge. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { RecordType } from '../../src/model/record.ts';
import { generator } from '../../src/sandbox/fault.ts';
import { at, type Ended, start, summaryOf, workspace } from '../support/program.ts';
import {
  hasBegun,
  hasSpooled,
  judgeBooks,
  judgeFolder,
  judgeKill,
  judgeRound,
  type Kill,
  keptNames,
  runFolders,
} from './judge.ts';
import type { Kind, Scene } from './kinds.ts';
import { between } from './random.ts';
import { createWorld } from './world.ts';

/** Requests at once. */
const CONCURRENCY = 4;
const OPTIONS = ['--concurrency', String(CONCURRENCY), '--setting', 'retries=30', '--setting', 'isolate=yes', '--json'];
/** Between a kill and the next process: what was on its way then arrives. */
const SETTLE_MS = 120;

export interface Round {
  readonly kills: number;
  readonly requests: number;
  /** Records that were neither received nor listed as unknown or refused. */
  readonly missing: number;
  /** Events that were received more than once, besides the next. */
  readonly socialTwice: number;
  /** Events that were received once more because `--unknown` asked for it. */
  readonly asked: number;
  /** Signals that were received more than once: each was under way at a kill, or its answer was lost. */
  readonly signalsTwice: number;
}

/** @param most kills at the most; fewer where the run is over before */
export async function playRound(
  kind: Kind,
  type: RecordType,
  { seed, number, most }: { readonly seed: number; readonly number: number; readonly most: number },
): Promise<Round> {
  const random = generator(seed + number * 7919);
  const what = `seed ${seed}, round ${number}: ${kind.name} (${type})`;
  const cwd = await workspace();
  const world = await createWorld(random, kind.chances);
  const scene: Scene = { name: kind.name, cwd, world, random, type };
  const play = await kind.prepare(scene, OPTIONS);
  const { there } = world;
  const { cwd: place = cwd } = play;
  const others = new Set((await runFolders(place)).filter((one) => one !== play.folder));
  /** The folder of the run that is tortured, once its journal has begun. */
  const tortured = async (): Promise<string | undefined> => {
    for (const folder of (await runFolders(place)).toReversed()) {
      if (!others.has(folder) && (await hasBegun(folder))) return folder;
    }
    return undefined;
  };

  const kills: Kill[] = [...(play.kills ?? [])];
  let folder: string | undefined;
  let ended: Ended | undefined;
  let resends = 0;
  const planned = between(random, 1, most);
  for (let process = 1; ended === undefined; process += 1) {
    const isFirst = folder === undefined;
    const args =
      folder === undefined ? play.first : ['resume', path.basename(folder), ...(play.selection ?? []), ...OPTIONS];
    if (args.includes('--unknown')) resends += 1;
    const running = start(place, args, {
      env: at(there),
      ...(isFirst && play.feed !== undefined ? { input: 'open' as const } : {}),
    });
    const fed = isFirst ? play.feed?.(running.child) : undefined;
    const killed =
      process <= planned &&
      (await Promise.race([
        running.ended.then(() => false),
        kind.moment(scene).then(() => running.child.kill('SIGKILL')),
      ]));
    const result = await running.ended;
    await fed;
    if (!killed) ended = result;
    await sleep(killed ? SETTLE_MS : 0);
    folder = await tortured();
    if (killed && folder !== undefined) kills.push(await judgeKill(there, folder, what));
    else if (killed) kills.push({ inFlight: new Set(), requests: there.requests().length });
  }
  if (folder === undefined) throw new Error(`${what}: no run came of it: ${ended.stderr}`);

  for (const other of (await play.endOthers?.()) ?? []) others.add(other);
  const isCut = play.feed !== undefined && !(await hasSpooled(folder));
  expect(isCut ? [6] : [0, 3, 4], `${what}: ${ended.stdout}${ended.stderr}`).toContain(ended.code);
  const valid = await play.valid(folder);
  if (ended.stdout.startsWith('{')) {
    const summary = summaryOf(ended);
    expect(summary, what).toMatchObject({ balanced: true, state: isCut ? 'stopped' : 'complete' });
    expect(summary.rows, what).toMatchObject({ pending: 0, exhausted: 0 });
    if (play.rows !== undefined) expect(summary.rows['read'], what).toBe(play.rows);
  }
  await judgeBooks(there, folder, what);
  judgeFolder(folder, what);
  const kept = await keptNames(folder, type);
  const resent = play.unknown && { names: play.unknown, processes: resends };
  const all = [...new Set([...valid, ...(play.others ?? [])])];
  const verdict = await judgeRound(there, { type, valid: all, kills, kept: await withOthers(kept), resent }, what);
  await judgeRejects(folder, kept.refused.size);
  await play.atEnd?.();
  return {
    kills: kills.length,
    requests: there.requests().length,
    missing: verdict.missing,
    socialTwice: type === 'social' ? verdict.twice - verdict.asked : 0,
    asked: verdict.asked,
    signalsTwice: type === 'signals' ? verdict.twice : 0,
  };

  /** What an earlier run has left unknown, a later one skips. */
  async function withOthers(own: typeof kept): Promise<typeof kept> {
    const unknown = new Set(own.unknown);
    const refused = new Set(own.refused);
    for (const other of others) {
      const left = await keptNames(other, type);
      for (const name of left.unknown) unknown.add(name);
      for (const name of left.refused) refused.add(name);
    }
    return { ...own, unknown, refused };
  }

  /** Each row once in the rejects files, the refused ones too. */
  async function judgeRejects(run: string, refused: number): Promise<void> {
    if (play.rows === undefined) return;
    const files = await readdir(path.join(run, 'rejects')).catch(() => []);
    let rows = 0;
    for (const file of files) {
      const text = await readFile(path.join(run, 'rejects', file), 'utf8');
      const lines = file.endsWith('.csv') ? text.trimEnd().split('\r\n').slice(1) : text.trimEnd().split('\n');
      // Titles and names are numbered. The elements of an array may share a line of the input.
      expect(new Set(lines).size, `${what}: ${file} lists a row twice`).toBe(lines.length);
      rows += lines.length;
    }
    expect(rows, `${what}: each reject once`).toBe(play.rows - valid.length + refused);
  }
}
