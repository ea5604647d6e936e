/** The files of a new run in a temporary folder, for one CSV input. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createRunFolder } from '../../src/journal/run-folder.ts';
import type { RejectsInput } from '../../src/run/rejects-folder.ts';
import { openRunFiles, type RunFiles } from '../../src/run/run-files.ts';
import { workspace } from './program.ts';

export const REJECTS_INPUT: RejectsInput = {
  name: 'in.csv',
  form: { format: 'csv', columns: ['a'], delimiter: ',' },
};

/** @param prepare changes the run folder before its files are opened */
export async function runFilesInTemp(
  prepare?: (folder: string) => Promise<void>,
  options?: Partial<Parameters<typeof openRunFiles>[2]>,
): Promise<RunFiles> {
  const root = path.join(await workspace(), 'runs');
  await mkdir(root);
  const folder = createRunFolder(root, 'run');
  await prepare?.(folder.path);
  const runFiles = await openRunFiles(folder, [REJECTS_INPUT], { fsync: false, ...options });
  onTestFinished(() => runFiles.close());
  return runFiles;
}
