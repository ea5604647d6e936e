/**
 * The catalogue of the runs of a folder, `.catalogue.ndjson`: what each run was asked to do and how it ended, so that not every
 * journal has to be read. It can be deleted: it is derived from the folders of the runs and made again from them.
 *
 * A process appends a line when it begins to write to a run and another one when it ends. The last line of a run counts, and only
 * while its journal has the size and the modification time in that line. Several processes can append at the same time.
 */
import { appendFileSync, closeSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { noRows } from '../journal/apply-event.ts';
import { fileNamesIn, removeFile } from '../journal/file-system.ts';
import { decodeLine, encodeLine, isIntact } from '../journal/lines.ts';
import { lockHolder } from '../journal/lock.ts';
import { readRun } from '../journal/read-journal.ts';
import { type RunFile, readRunFile, type StoredRun } from '../journal/run-file.ts';
import { type JournalStats, journalSize, journalStats, type RunFolder } from '../journal/run-folder.ts';
import { once } from '../lib/resources.ts';
import { attempt } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import { hasSentNothing, isRestLost } from '../report/next-step.ts';
import { reportOf } from '../report/problem-text.ts';
import { unreadRows } from '../report/run-summary.ts';

/** The part of a run.json that a list of runs shows. */
export interface RunIdentity extends Pick<RunFile, 'run' | 'startedAt' | 'type' | 'variant' | 'sandbox'> {
  readonly inputs: readonly Pick<RunFile['inputs'][number], 'source'>[];
}

export interface CataloguedRun extends RunFacts, Pick<FoundRun, 'folder' | 'journal'> {
  readonly file: RunIdentity;
  /** Reads the folder when it is first called. */
  readonly isRunning: () => boolean;
}

/** A run with an unreadable run.json or journal. */
export interface UnreadableFolder extends Pick<FoundRun, 'folder' | 'journal'> {
  readonly problem: ProblemError;
}

/** A folder with a journal. */
export interface FoundRun {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  /** Absent if run.json is unreadable. */
  readonly file?: RunIdentity | undefined;
  readonly facts?: RunFacts | undefined;
}

/** While a process works on the run, without the rest. */
interface CatalogueLine extends Partial<Pick<FoundRun, 'journal' | 'file' | 'facts'>> {
  readonly v: 6;
  readonly id: string;
  readonly state: RunState['state'];
}

const FILE_NAME = '.catalogue.ndjson';

/** Of a run whose journal is empty. */
const NO_FACTS: RunFacts = { state: 'running', rows: noRows(), service: { rejected: 0, unaccounted: 0 } };

export function factsOf(runState: RunState): RunFacts {
  const { state, stop, rows, service, handedOver, baseUrl } = runState;
  const unread = unreadRows(runState);
  const { rejected, unaccounted } = service;
  return {
    state,
    rows,
    service: { rejected, unaccounted },
    stop,
    handedOver,
    baseUrl,
    isRestLost: isRestLost(runState),
    hasSentNothing: hasSentNothing(runState),
    unread: unread === 0 ? undefined : (unread ?? null),
    rejectsRows: countRejects(runState),
  };
}

/** Invalid rows, and rows that were refused one by one: the end of a run lists these. */
function countRejects({ rejects, undelivered }: RunState): RunFacts['rejectsRows'] {
  const rows: Record<number, number> = { ...rejects.rows };
  for (const { isRejected, ranges } of rejects.listed === undefined ? [] : undelivered.values()) {
    if (isRejected === true) for (const { source } of ranges) rows[source] = (rows[source] ?? 0) + 1;
  }
  return rows;
}

/** The runs of a folder, oldest first, also those that another process is about to start. Reads no journals. */
export async function listRuns(root: string, ids = runNames(root)): Promise<readonly FoundRun[]> {
  const lines = lastLines(root, ids, decode);
  const runs: { readonly run: FoundRun; readonly key: string }[] = [];
  for (const id of ids) {
    const folder = { id, path: path.join(root, id) };
    const journal = journalStats(folder.path);
    // A run exists only once its journal has a line.
    if (journal === undefined || (journal.bytes === 0 && lockHolder(folder.path) === undefined)) continue;
    const line = lines.get(id);
    const isCurrent = line?.journal?.bytes === journal.bytes && line.journal.mtimeMs === journal.mtimeMs;
    const known = isCurrent ? line : undefined;
    const file = known?.file ?? (await readRunFile(folder.path).catch(() => undefined));
    // To the millisecond: two runs can start in one second, and an id from `--run-id` has no time.
    const time = file?.startedAt.replace(/[-:.]/g, '') ?? TIMED.exec(id)?.[1] ?? '';
    runs.push({ run: { folder, journal, file, facts: known?.facts }, key: `${time} ${id}` });
  }
  return runs.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ run }) => run);
}

/** An id that {@link runId} has made, with the second in which the run began. */
const TIMED = /^(\d{8}T\d{6})Z-.+-[0-9a-f]{4}(?:-\d+of\d+)?$/;

/** The run that began last. Reads only the runs whose ids do not say that they began earlier. */
export async function lastRun(root: string): Promise<RunFolder | undefined> {
  const ids = runNames(root).toSorted();
  const hasBegun = (id: string): boolean => journalSize(path.join(root, id)) > 0;
  const time = TIMED.exec(ids.findLast((id) => TIMED.test(id) && hasBegun(id)) ?? '')?.[1] ?? '';
  const recent = ids.filter((id) => (id >= time || !TIMED.test(id)) && hasBegun(id));
  const [id] = recent;
  if (id !== undefined && recent.length === 1) return { id, path: path.join(root, id) };
  return (await listRuns(root, recent)).at(-1)?.folder;
}

/** The same runs with their facts. Reads only the journals that the catalogue does not describe. */
export async function readCatalogue(root: string): Promise<readonly (CataloguedRun | UnreadableFolder)[]> {
  const runs: (CataloguedRun | UnreadableFolder)[] = [];
  const added: CatalogueLine[] = [];
  for (const run of await listRuns(root)) {
    const { folder, journal } = run;
    const isRunning = once(() => lockHolder(folder.path) !== undefined);
    try {
      const isWhole = run.file !== undefined && existsSync(path.join(folder.path, 'run.json'));
      const file = isWhole ? run.file : await readRunFile(folder.path);
      const facts = run.facts ?? (journal.bytes === 0 ? NO_FACTS : factsOf(await readRun(folder.path, isRunning())));
      runs.push({ folder, journal, file, isRunning, ...facts });
      if (run.facts === undefined && facts.state !== 'running' && !isRunning()) {
        added.push(lineOf(folder.id, journal, file, facts));
      }
    } catch (error) {
      const { exitCode, problems } = reportOf(error);
      if (exitCode === 1) throw error;
      runs.push({ folder, journal, problem: new ProblemError(problems) });
    }
  }
  addLines(root, added);
  return runs;
}

export function catalogueRun({ folder, file }: StoredRun, runState: RunState): void {
  const journal = journalStats(folder.path);
  if (journal === undefined || runState.state === 'running') return;
  addLines(rootOf(folder.path), [lineOf(folder.id, journal, file, factsOf(runState))]);
}

/** Call this before a process writes to the journal of a run. @throws the system's error */
export function catalogueOpen({ id, path: folder }: RunFolder): void {
  const root = rootOf(folder);
  const line: CatalogueLine = { v: 6, id, state: 'running' };
  if (incompleteRuns(root, [id]).length === 0) append(root, encodeLine(line));
}

/** Those that are not known to be complete. Reads no folders: an upload with thousands of earlier runs must begin quickly. */
export function incompleteRuns(root: string, ids: readonly string[]): readonly string[] {
  const isComplete = lastLines(root, ids, (text, state) => (isIntact(text) ? state === 'complete' : undefined));
  return ids.filter((id) => isComplete.get(id) !== true);
}

/** Makes the catalogue again, without the lines of deleted runs. Copying its lines could lose one that a process adds meanwhile. */
export async function rebuildCatalogue(root: string): Promise<void> {
  attempt(() => removeFile(path.join(root, FILE_NAME)));
  await readCatalogue(root);
}

/**
 * The names in a folder of runs; none if it does not exist. Names that start with a dot are not runs.
 *
 * @throws the system's error if it cannot be listed: an unfinished run in it would be sent again
 */
export function runNames(root: string): readonly string[] {
  return fileNamesIn(root).filter((name) => !name.startsWith('.'));
}

const decode = (text: string): CatalogueLine | undefined => decodeLine(text) as CatalogueLine | undefined;

/** How a line begins. A run whose id has other characters has no line: its folder is read. */
const START = /^\{"v":6,"id":"([^"\\]*)","state":"(\w+)"/;

/** A block is small, because filling new memory takes longer than the check of its lines. */
const BLOCK_BYTES = 32_768;

/** What the last whole line of each run says, by id. Nothing if the file cannot be read to its end. */
function lastLines<T>(root: string, ids: readonly string[], read: (text: string, state?: string) => T | undefined) {
  const found = new Map<string, T | undefined>(ids.map((id) => [id, undefined]));
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const decoder = new StringDecoder();
  let rest = '';
  let file: number | undefined;
  try {
    file = openSync(path.join(root, FILE_NAME), 'r');
    for (let bytes = -1; bytes !== 0; ) {
      bytes = readSync(file, block);
      const lines = `${rest}${decoder.write(block.subarray(0, bytes))}`.split('\n');
      rest = bytes === 0 ? '' : (lines.pop() ?? '');
      for (const text of lines) {
        const [, id = '', state] = START.exec(text) ?? [];
        const line = found.has(id) ? read(text, state) : undefined;
        if (line !== undefined) found.set(id, line);
      }
    }
  } catch {
    // A later line could say that a run is no longer complete.
    found.clear();
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return found;
}

function lineOf(id: string, journal: JournalStats, identity: RunIdentity, facts: RunFacts): CatalogueLine {
  const { run, startedAt, type, variant, sandbox, inputs } = identity;
  const file = { run, startedAt, type, variant, sandbox, inputs: inputs.map(({ source }) => ({ source })) };
  return { v: 6, id, state: facts.state, journal, file, facts };
}

function addLines(root: string, lines: readonly CatalogueLine[]): void {
  // If that fails, as in a read-only folder, the next command reads the journals again.
  if (lines.length > 0) attempt(() => append(root, lines.map(encodeLine).join('')));
}

function append(root: string, text: string): void {
  // Starts with a line feed, because the last line may be incomplete.
  appendFileSync(path.join(root, FILE_NAME), `\n${text}`, { mode: 0o600 });
}

/** The folder of runs that a run folder is in. */
export function rootOf(folder: string): string {
  return path.dirname(path.resolve(folder));
}
