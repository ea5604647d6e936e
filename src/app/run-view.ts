/** A run as `runs`, `runs merge` and `report` describe it: its state, read once, and what its folder says besides. */
import path from 'node:path';
import { type LoadedRun, loadRun } from '../journal/read-journal.ts';
import type { RunFile } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import type { RunFacts, RunReader } from '../model/run-state.ts';
import type { RunContext } from '../report/summary.ts';
import { type FoundRun, factsOf } from '../runs/catalogue.ts';
import { type NamedRow, readExplained } from '../runs/explain-log.ts';
import { nameOfRun } from '../runs/resolve-run.ts';
import type { Surroundings } from './context.ts';
import { suggestAbout } from './foreign-run.ts';
import { rejectsReaders, withUploads } from './rejects-uploads.ts';
import { type ContextParts, contextOf, rejectsOf } from './run-summary.ts';
import { type CommonOptions, runsRoot } from './stored-runs.ts';

export interface RunView extends LoadedRun {
  readonly context: RunContext;
}

/** @param onEvent also receives each event of the run's journal */
export async function viewRun(
  surroundings: Surroundings,
  options: Partial<CommonOptions>,
  folder: RunFolder,
  onEvent?: RunReader,
): Promise<RunView> {
  const run = await loadRun(folder, onEvent);
  const { file, isRunning, runState } = run;
  const suggest = await suggestAbout(surroundings, options, folder, file);
  const name = await nameOfRun(folder, await runsRoot(surroundings, options));
  const readers = await rejectsReaders(path.dirname(path.resolve(folder.path)));
  return {
    ...run,
    context: await storedContext(factsOf(runState), { folder, file, readers }, { suggest, name, isRunning }),
  };
}

/** The context of a run that has ended, or that another process works on. @param readers see {@link rejectsReaders} */
export async function storedContext(
  facts: RunFacts,
  {
    folder,
    file,
    readers,
  }: { readonly folder: RunFolder; readonly file: RunFile; readonly readers: readonly FoundRun[] },
  parts: Pick<ContextParts, 'suggest' | 'name' | 'isRunning'>,
): Promise<RunContext> {
  const explained: readonly NamedRow[] = (await readExplained(folder.path)).rows;
  const rejects = await withUploads(file, rejectsOf(folder.path, file, facts, explained), readers);
  return contextOf(facts, { ...parts, folder: folder.path, runFile: file, rejects, explained: explained.length });
}
