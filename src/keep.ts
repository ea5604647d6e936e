/**
 * What a run leaves behind: the files of the run folder (cli.md, "Run folder"). This joint puts together the
 * strings that report/ makes and the files that journal/ writes; it decides nothing.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type AppendFile, openAppend } from './journal/append.ts';
import { type RunFolder, writeWhole } from './journal/folder.ts';
import type { Batch } from './model/batch.ts';
import type { RunEvent } from './model/event.ts';
import type { Outcome } from './model/outcome.ts';
import type { Content, Issue } from './model/row.ts';
import { describeIssues } from './report/issue.ts';
import { createRejects, type Rejects, type RejectsForm } from './report/rejects.ts';
import { createResultsLog } from './report/results.ts';

/** One input, as far as its rejects file is concerned. */
export interface KeptInput {
  readonly name: string;
  readonly form: RejectsForm;
}

/** Lengths in bytes and rows of the rejects files, by source index; inputs without rejects are absent. */
export interface RejectsMark {
  readonly bytes: Readonly<Record<number, number>>;
  readonly rows: Readonly<Record<number, number>>;
}

/** Before the first reject. */
export const NO_REJECTS: RejectsMark = { bytes: {}, rows: {} };

interface RejectsFile {
  readonly file: AppendFile;
  readonly writer: Rejects;
  readonly path: string;
  rows: number;
}

export interface Keeper {
  readonly folder: RunFolder;
  /** Resolves when the event is in the journal. After a failure every later call fails too. */
  journal(event: RunEvent): Promise<void>;
  /** A reader behind the journal: the line of results.csv that the event makes, if it makes one. */
  log(event: RunEvent): Promise<void>;
  /** Puts a row into its input's rejects file. */
  reject(source: number, line: number, issues: readonly Issue[], content: Content | string): Promise<void>;
  /** How far the rejects files have come. */
  rejectsMark(): RejectsMark;
  /** Takes back the rejects behind a mark: rows that a resume will read again. */
  cutRejects(mark: RejectsMark): Promise<void>;
  /** Keeps the payload of a batch that was not delivered. */
  undelivered(batch: Batch, outcome: Outcome): Promise<void>;
  /** Writes a file as a whole: run.json, mapping.yaml, summary.json. */
  write(name: string, text: string): Promise<void>;
  /** The rejects files that hold rows, in the order of the inputs. */
  rejectsFiles(): readonly { readonly path: string; readonly rows: number }[];
  /** Path of undelivered.ndjson, where there is anything in it. */
  undeliveredFile(): string | undefined;
  close(): Promise<void>;
}

export async function openKeeper(
  folder: RunFolder,
  inputs: readonly KeptInput[],
  options: { readonly fsync: boolean },
): Promise<Keeper> {
  const at = (name: string): string => path.join(folder.path, name);
  const journal = await openAppend(at('journal.ndjson'), options);
  const resultsLog = createResultsLog();
  const results = await openAppend(at('results.csv'));
  await results.append(resultsLog.header);

  const names = rejectsNames(inputs);
  const rejects = new Map<number, RejectsFile>();
  let undelivered: AppendFile | undefined;

  /** A rejects file begins with its first reject: where none is, there is nothing to correct. */
  const rejectsOf = async (source: number): Promise<RejectsFile> => {
    const open = rejects.get(source);
    if (open !== undefined) return open;
    const input = inputs[source];
    if (input === undefined) throw new Error(`there is no input ${source}`);
    await mkdir(at('rejects'), { recursive: true, mode: 0o700 });
    const file = at(path.join('rejects', names[source] ?? `${source}`));
    const opened = { file: await openAppend(file), writer: createRejects(input.form), path: file, rows: 0 };
    rejects.set(source, opened);
    await opened.file.append(opened.writer.header);
    return opened;
  };

  return {
    folder,
    journal: (event) => journal.append(`${JSON.stringify(event)}\n`),
    async log(event) {
      const line = resultsLog.on(event);
      if (line !== undefined) await results.append(line);
    },
    async reject(source, line, issues, content) {
      const open = rejects.get(source) ?? (await rejectsOf(source));
      open.rows += 1;
      await open.file.append(open.writer.line(line, describeIssues(issues), content));
    },
    rejectsMark: () => ({
      bytes: Object.fromEntries([...rejects].map(([source, { file }]) => [source, file.length])),
      rows: Object.fromEntries([...rejects].map(([source, { rows }]) => [source, rows])),
    }),
    async cutRejects(mark) {
      for (const [source, open] of rejects) {
        await open.file.truncate(mark.bytes[source] ?? Buffer.byteLength(open.writer.header));
        open.rows = mark.rows[source] ?? 0;
      }
    },
    async undelivered(batch, outcome) {
      undelivered ??= await openAppend(at('undelivered.ndjson'));
      const { id, digest, records, ranges } = batch;
      // The payload goes in as it is: whoever replays it must send the same bytes.
      const head = JSON.stringify({ batch: id, outcome, digest, records, ranges });
      await undelivered.append(
        `${head.slice(0, -1)},"payload":${Buffer.from(batch.payload).toString('utf8')}}\n`,
      );
    },
    write: (name, text) => writeWhole(at(name), text),
    rejectsFiles: () =>
      [...rejects]
        .sort(([one], [other]) => one - other)
        .flatMap(([, { path, rows }]) => (rows === 0 ? [] : [{ path, rows }])),
    undeliveredFile: () => (undelivered === undefined ? undefined : at('undelivered.ndjson')),
    async close() {
      const files = [journal, results, undelivered, ...[...rejects.values()].map(({ file }) => file)];
      for (const file of files) await file?.close();
    },
  };
}

/** The inputs' own names, so that people find their files; numbered where two are called the same. */
function rejectsNames(inputs: readonly KeptInput[]): readonly string[] {
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
