/** The files of a new run in a temporary folder, for one CSV input. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/deliver/index.ts';
import { createRunFolder } from '../../src/journal/run-folder.ts';
import type { RejectsOrigin } from '../../src/run/rejects-folder.ts';
import { openRunFiles, type RunFiles } from '../../src/run/run-files.ts';
import { workspace } from './program.ts';

/** Stands still. */
export const STILL: Clock = {
  now: () => 0,
  date: () => Date.parse(TIME),
  random: () => 0,
  sleep: async () => undefined,
};

export const TIME = '2026-11-20T09:15:00.000Z';

export const ORIGIN: RejectsOrigin = { inputs: [{ source: 'in.csv', format: 'csv', columns: ['a'] }], decode: {} };

/** @param prepare changes the run folder before its files are opened */
export async function runFilesInTemp(
  prepare?: (folder: string) => Promise<void>,
  options?: Partial<Parameters<typeof openRunFiles>[2]>,
): Promise<RunFiles> {
  const root = path.join(await workspace(), 'runs');
  await mkdir(root);
  const folder = createRunFolder(root, 'run');
  await prepare?.(folder.path);
  const runFiles = await openRunFiles(folder, ORIGIN, { fsync: false, ...options });
  onTestFinished(() => runFiles.close());
  return runFiles;
}
