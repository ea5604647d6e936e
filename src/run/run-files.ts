/**
 * What a run leaves behind: the files of the run folder (cli.md, "Run folder"). This joint puts together the
 * strings that report/ makes and the files that journal/ writes; it decides nothing.
 */

import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type AppendFile, type AppendOptions, openAppend } from '../journal/append-file.ts';
import { encodeLine } from '../journal/event-line.ts';
import { exists } from '../journal/exists.ts';
import { linesOf } from '../journal/file-lines.ts';
import { replaceFile } from '../journal/file-system.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { isSpool, spoolName } from '../journal/spool-names.ts';
import { encodeUndelivered } from '../journal/undelivered.ts';
import { messageOf } from '../lib/text.ts';
import type { Batch } from '../model/batch.ts';
import type { RunEvent } from '../model/event.ts';
import type { Outcome } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import type { Content, Issue } from '../model/row.ts';
import { describeIssues, describeRefusal } from '../report/problem-text.ts';
import { createRejects, type Rejects, type RejectsForm } from '../report/rejects-file.ts';
import { createResultsLog } from '../report/results-log.ts';

/** One input, as far as its rejects file is concerned. */
export interface RejectsInput {
  readonly name: string;
  readonly form: RejectsForm;
}

/** Lengths in bytes and rows of the rejects files, by source index; inputs without rejects are absent. */
export interface RejectsMark {
  readonly bytes: Readonly<Record<number, number>>;
  readonly rows: Readonly<Record<number, number>>;
}

/** The batches of a replay, as the run that it replays left them. */
export const REPLAY_FILE = 'replay.ndjson';

/** Before the first reject. */
export const NO_REJECTS: RejectsMark = { bytes: {}, rows: {} };

interface RejectsFile {
  readonly file: AppendFile;
  readonly writer: Rejects;
  readonly path: string;
  rows: number;
}

export interface RunFiles {
  readonly folder: RunFolder;
  /** Writes the files that say what was asked, before anything is sent. @throws ProblemError `run.folder` */
  begin(files: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Brings the files back to what the journal's whole lines say. @throws ProblemError `run.folder`
   * @param whole.bytes length of the journal's whole lines
   * @param whole.reopened batches that are sent again: they do not count as undelivered any more
   */
  restore(whole: {
    readonly bytes: number;
    readonly rejects: RejectsMark;
    readonly reopened: ReadonlySet<string>;
  }): Promise<void>;
  /**
   * Resolves when the event is in the journal: the last time perhaps in the room that was kept for it, and then
   * {@link RunFiles.full} says so. After a failure every later call fails too; but on a full disk there is room for what
   * has happened already, for results and the end of the run.
   */
  journal(event: RunEvent): Promise<void>;
  /** Why the disk is full, where it is. Nothing more may be begun then, and until the end nothing but the journal is written. */
  readonly full: Error | undefined;
  /**
   * A reader behind the journal: the line of results.csv that the event makes, if it makes one. Nobody waits for a
   * line; at the run's end, when all of them are written, somebody does.
   */
  logResult(event: RunEvent): Promise<void> | undefined;
  /** Puts a row into its input's rejects file. */
  reject(source: number, line: number, issues: readonly Issue[], content: Content | string): Promise<void>;
  /**
   * Keeps the row of a batch of one that the service refused, with its words, for {@link RunFiles.listRefused}. Not in the rejects file
   * yet: a resume cuts that back to the last sealed batch, and a row that was sent is not read again.
   */
  refused(batch: Batch, words: string): Promise<void>;
  /**
   * Adds the rows that were refused so far to their rejects files, each once. At the end of a run alone, behind
   * {@link RunFiles.cutRejects}. `complete`: no resume will need them again.
   */
  listRefused(complete: boolean): Promise<void>;
  /** How far the rejects files have come. */
  rejectsMark(): RejectsMark;
  /** Takes back the rejects behind a mark: rows that a resume will read again. */
  cutRejects(mark: RejectsMark): Promise<void>;
  /** Keeps the payload of a batch that was not delivered. */
  undelivered(batch: Batch, outcome: Outcome): Promise<void>;
  /**
   * Carries out a write of a pipe's copy: none once the disk is full, since the copy would take the room that is left
   * for what has happened.
   */
  copy(write: () => Promise<void>): Promise<void>;
  /** Where the bytes of a pipe are kept, of the input with this name at this place. */
  spoolFile(source: string, index: number): string;
  /** Deletes what is kept of pipes, or a replay's batches, once nothing needs them. */
  dropSpool(): Promise<void>;
  /** Writes a file as a whole: run.json, mapping.yaml, summary.json. */
  write(name: string, text: string): Promise<void>;
  /** The rejects files that hold rows, in the order of the inputs. */
  rejectsFiles(): readonly { readonly path: string; readonly rows: number }[];
  /** Path of undelivered.ndjson, where there is anything in it. */
  undeliveredFile(): string | undefined;
  close(): Promise<void>;
}

/** What the rejects files of inputs need to know of them. */
export function rejectsInputs(
  inputs: readonly {
    readonly source: { readonly name: string };
    readonly detected: {
      readonly format: 'csv' | 'ndjson' | 'json';
      readonly columns: readonly string[];
      readonly delimiter?: string;
    };
  }[],
): readonly RejectsInput[] {
  return inputs.map(({ source, detected: { format, columns, delimiter = ',' } }) => ({
    name: source.name,
    // The rejects of a JSON array are lines of NDJSON: each can be corrected for itself.
    form: format === 'csv' ? { format, columns, delimiter } : { format: 'ndjson' },
  }));
}

/**
 * Opens the files of a run, for a run that begins or goes on.
 *
 * @throws ProblemError `run.folder` where they cannot be written
 */
export async function openRunFiles(
  folder: RunFolder,
  inputs: readonly RejectsInput[],
  options: { readonly fsync: boolean },
): Promise<RunFiles> {
  try {
    return await open(folder, inputs, options);
  } catch (error) {
    throw unwritable(folder.path, error);
  }
}

async function open(
  folder: RunFolder,
  inputs: readonly RejectsInput[],
  options: { readonly fsync: boolean },
): Promise<RunFiles> {
  const at = (name: string): string => path.join(folder.path, name);
  /** Writes of pipes' copies that are under way. */
  const copying = new Set<Promise<void>>();
  const reserve = { file: at('journal.reserve'), otherWrites: () => Promise.allSettled(copying) };
  const journal = await openAppend(at('journal.ndjson'), { ...options, reserve });
  // What room there is on a full disk is the journal's: a payload that took it would cost the answers to other requests.
  const barred = (): Error | undefined => journal.diskFull;
  const resultsLog = createResultsLog();
  const results = await openAppend(at('results.csv'), { isDelayed: true, blockedBy: barred });
  // Where a run goes on, its journal gives all its lines again: a torn one is mended by that.
  await results.truncate(0);
  void results.append(resultsLog.header);
  await results.flush();

  const names = rejectsFileNames(inputs);
  const rejects = new Map<number, RejectsFile>();
  const undelivered = openedLate(at('undelivered.ndjson'), { blockedBy: barred });
  const refused = openedLate(at(REFUSED), { blockedBy: barred });
  /** At the end of the run all that is still to come is one line. */
  let listing = false;

  /** A rejects file begins with its first reject: where none is, there is nothing to correct. */
  const opening = new Map<number, Promise<RejectsFile>>();
  const rejectsOf = (source: number): Promise<RejectsFile> => {
    const under = opening.get(source) ?? openRejects(source);
    opening.set(source, under);
    return under;
  };
  const openRejects = async (source: number): Promise<RejectsFile> => {
    const input = inputs[source];
    if (input === undefined) throw new Error(`there is no input ${source}`);
    await mkdir(at('rejects'), { recursive: true, mode: 0o700 });
    const file = at(path.join('rejects', names[source] ?? `${source}`));
    const opened = {
      file: await openAppend(file, { blockedBy: () => (listing ? undefined : journal.diskFull) }),
      writer: createRejects(input.form),
      path: file,
      rows: 0,
    };
    rejects.set(source, opened);
    if (opened.file.length === 0) await opened.file.append(opened.writer.header);
    return opened;
  };

  const cutRejects: RunFiles['cutRejects'] = async (mark) => {
    for (const [source, open] of rejects) {
      await open.file.truncate(mark.bytes[source] ?? Buffer.byteLength(open.writer.header));
      open.rows = mark.rows[source] ?? 0;
    }
  };
  const write: RunFiles['write'] = async (name, text) => replaceFile(at(name), text);
  return {
    folder,
    async begin(files) {
      try {
        for (const [name, text] of Object.entries(files)) await write(name, text);
      } catch (error) {
        throw unwritable(folder.path, error);
      }
    },
    async restore({ bytes, rejects: mark, reopened }) {
      try {
        // The lines that the journal gave again: had one of them failed, this one fails too.
        await results.flush();
        await journal.truncate(bytes);
        // The lines of the run's earlier parts must have room before anything more is sent.
        await results.flush();
        if (await keepOnly(at('undelivered.ndjson'), (line) => !reopened.has(batchOf(line)))) {
          await undelivered.open();
        }
        await keepOnly(at(REFUSED), (line) => !reopened.has(batchOf(line)));
        for (const source of inputs.keys()) {
          if (mark.bytes[source] !== undefined) (await rejectsOf(source)).rows = mark.rows[source] ?? 0;
          // Nothing in it was accounted for, or it will be listed again.
          else await rm(at(path.join('rejects', names[source] ?? `${source}`)), { force: true });
        }
        await cutRejects(mark);
      } catch (error) {
        throw unwritable(
          folder.path,
          error,
          'Make room on its disk, see that you may write to it, and go on again.',
        );
      }
    },
    journal(event) {
      if (isLast(event)) return journal.append(encodeLine(event));
      if (journal.diskFull !== undefined) return Promise.reject(journal.diskFull);
      return journal.append(encodeLine(event));
    },
    get full() {
      return journal.diskFull;
    },
    logResult(event) {
      const line = resultsLog.on(event);
      if (line !== undefined) void results.append(line);
      return event.event === 'run.ended' ? results.flush() : undefined;
    },
    async reject(source, line, issues, content) {
      const open = await rejectsOf(source);
      open.rows += 1;
      await open.file.append(open.writer.line(line, describeIssues(issues), content));
    },
    async refused(batch, words) {
      const [row] = batch.rows;
      if (row === undefined) throw new Error(`batch ${batch.id} was refused for its record and has none`);
      const { source, line } = row.position;
      const reason = describeRefusal(words);
      // A replay has no rows: what is to be corrected is the record.
      const content = row.content ?? recordText(batch);
      const kept: Refused = { batch: batch.id, source, line, reason, content };
      await (await refused.open()).append(`${JSON.stringify(kept)}\n`);
    },
    async listRefused(complete) {
      listing = true;
      await refused.close();
      for await (const { source, line, reason, content } of readRefused(at(REFUSED))) {
        const open = await rejectsOf(source);
        open.rows += 1;
        await open.file.append(open.writer.line(line, reason, content));
      }
      if (complete) await rm(at(REFUSED), { force: true });
    },
    rejectsMark() {
      if (rejects.size === 0) return NO_REJECTS;
      return {
        bytes: Object.fromEntries([...rejects].map(([source, { file }]) => [source, file.length])),
        rows: Object.fromEntries([...rejects].map(([source, { rows }]) => [source, rows])),
      };
    },
    cutRejects,
    async undelivered(batch, outcome) {
      const file = await undelivered.open();
      await file.append(encodeUndelivered(batch, outcome));
    },
    async copy(write) {
      if (journal.diskFull !== undefined) throw journal.diskFull;
      const written = write();
      copying.add(written);
      try {
        await written;
      } finally {
        copying.delete(written);
      }
    },
    write,
    spoolFile: (source, index) => at(spoolName(source, index)),
    async dropSpool() {
      const spools = (await readdir(folder.path)).filter(isSpool);
      for (const name of [...spools, REPLAY_FILE]) await rm(at(name), { force: true });
    },
    rejectsFiles: () =>
      [...rejects]
        .sort(([one], [other]) => one - other)
        .flatMap(([, { path, rows }]) => (rows === 0 ? [] : [{ path, rows }])),
    undeliveredFile: () => (undelivered.length() === 0 ? undefined : at('undelivered.ndjson')),
    async close() {
      const files = [
        journal,
        results,
        undelivered,
        refused,
        ...[...rejects.values()].map(({ file }) => file),
      ];
      for (const file of files) await file.close();
    },
  };
}

/** A file that is opened when there is something to write: once, however many come to it at the same time. */
function openedLate(
  path: string,
  options: AppendOptions,
): {
  open(): Promise<AppendFile>;
  /** 0 where it was never opened; of a file that was closed, the length that it had. */
  length(): number;
  close(): Promise<void>;
} {
  let opening: Promise<AppendFile> | undefined;
  let opened: AppendFile | undefined;
  let before = 0;
  return {
    open() {
      opening ??= openAppend(path, options).then((file) => {
        opened = file;
        return file;
      });
      return opening;
    },
    length: () => opened?.length ?? before,
    async close() {
      before = opened?.length ?? before;
      await opened?.close();
      opening = undefined;
      opened = undefined;
    },
  };
}

/** Rows that the service refused one by one, as long as the run can be resumed. One {@link Refused} a line. */
const REFUSED = 'refused.ndjson';

/** Whether rows of a run were refused that are not in its rejects files yet. */
export function hasUnlistedRefusals(folder: string): Promise<boolean> {
  return exists(path.join(folder, REFUSED));
}

interface Refused {
  readonly batch: string;
  readonly source: number;
  readonly line: number;
  readonly reason: string;
  readonly content: Content | string;
}

/** Each row once: a crash between this file and the journal may have left it twice. */
async function* readRefused(file: string): AsyncGenerator<Refused> {
  if (!(await exists(file))) return;
  const seen = new Set<string>();
  for await (const { text } of linesOf(file)) {
    // A line that a crash tore is of a batch that is not settled: it will be refused, or not, again.
    if (batchOf(text) === '') continue;
    const row: Refused = JSON.parse(text);
    const key = `${row.source}:${row.line}`;
    if (seen.has(key)) continue;
    seen.add(key);
    yield row;
  }
}

/** What is true whether it is written or not, so that it should be. Anything else is yet to be done. */
function isLast({ event }: RunEvent): boolean {
  return event === 'attempt.failed' || event === 'batch.settled' || event === 'run.ended';
}

/** The only record of a batch as it would be sent: JSON under the interface's names. */
function recordText({ payload, offsets: [from = 0, next = payload.byteLength] }: Batch): string {
  return Buffer.from(payload.subarray(from, next - 1)).toString('utf8');
}

const NEW_FOLDER =
  'Make room on the disk, or name a folder that you may write to with --out DIR (or SIGNALS_RUNS).';

/** @param hint another one where the run is there already, and cannot be moved */
function unwritable(folder: string, error: unknown, hint = NEW_FOLDER): ProblemError {
  return new ProblemError({
    code: 'run.folder',
    message: `The run folder ${folder} cannot be written: ${messageOf(error)}. Without it nothing could be accounted for, so nothing was sent.`,
    hint,
  });
}

/** The batch of a line of undelivered.ndjson or refused.ndjson, which begins with it; the empty text of a line that was torn. */
function batchOf(line: string): string {
  return /^\{"batch":"([\d.]+)",.*\}$/.exec(line)?.[1] ?? '';
}

/** Writes a file anew with those lines alone. Resolves to whether there are any. */
async function keepOnly(file: string, keep: (line: string) => boolean): Promise<boolean> {
  const draft = `${file}.tmp`;
  if (!(await exists(file))) return false;
  const out = await openAppend(draft);
  await out.truncate(0);
  for await (const { text } of linesOf(file)) {
    if (batchOf(text) !== '' && keep(text)) await out.append(`${text}\n`);
  }
  const { length } = out;
  await out.close();
  if (length > 0) await rename(draft, file);
  else await Promise.all([rm(draft), rm(file)]);
  return length > 0;
}

/** The inputs' own names, so that people find their files; numbered where two are called the same. */
export function rejectsFileNames(inputs: readonly RejectsInput[]): readonly string[] {
  const taken = new Set<string>();
  return inputs.map(({ name, form }) => {
    const extension = form.format === 'csv' ? '.csv' : '.ndjson';
    const stem =
      path
        .basename(name)
        .replace(/\.(?:gz|br|zst)$/i, '')
        .replace(/\.[^.]*$/, '') || 'input';
    let candidate = `${stem}${extension}`;
    for (let number = 2; taken.has(candidate.toLowerCase()); number += 1) {
      candidate = `${stem}-${number}${extension}`;
    }
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}
