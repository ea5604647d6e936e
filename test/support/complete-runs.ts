/** Creates folders of runs for tests of run lists. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { encodeLine } from '../../src/journal/lines.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { runFileOf } from './run-file.ts';

const TIME = '2026-11-20T09:15:02Z';

/** A folder of complete runs without rows, from one input. */
export async function folderOfRuns(...ids: readonly string[]): Promise<string> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, 'run-index-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [n, id] of ids.entries()) await makeRun(root, id, n);
  return root;
}

async function makeRun(root: string, run: string, n: number): Promise<void> {
  const folder = path.join(root, run);
  await mkdir(folder);
  const startedAt = new Date(Date.parse(TIME) + n).toISOString();
  const runFile = runFileOf({
    run,
    startedAt,
    inputs: [{ source: 'in.csv', path: '/in.csv', bytes: 7, format: 'csv', columns: ['a'], head: 'abc' }],
  });
  await writeFile(path.join(folder, 'run.json'), JSON.stringify(runFile));
  const events: readonly RunEvent[] = [
    { event: 'run.started', v: 1, time: TIME, run, type: 'signals', inputs: [{ name: 'in.csv' }] },
    { event: 'run.ended', time: TIME, state: 'complete', putBack: [] },
  ];
  await writeFile(path.join(folder, 'journal.ndjson'), events.map(encodeLine).join(''));
}
