/**
 * Packs a run into one archive: to look at, or for another person to finish. Exactly one folder may send: the journal of each
 * other one ends with `run.handed_over`. An archive that may send an incomplete run also has its inputs, because they have rows
 * that were never read.
 */
import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { packTar, type TarSource } from 'modern-tar/fs';
import { openAppend } from '../journal/append-file.ts';
import { syncToDisk } from '../journal/file-system.ts';
import { encodeLine } from '../journal/lines.ts';
import { type Lock, LockLostError } from '../journal/lock.ts';
import type { ReadRun } from '../journal/read-journal.ts';
import type { RunFile, StoredRun } from '../journal/run-file.ts';
import { draftOfArchive, type RunFolder } from '../journal/run-folder.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';

const INPUTS = 'inputs';
/** Paths in a run folder, with slashes, of files that are never packed: they belong to this machine, or are incomplete. */
export const LOCAL = /^(?:lock(?:\.[^/]*)?|journal\.reserve|.*\.tmp)$/i;

export const SUBFOLDERS: readonly string[] = [INPUTS, 'rejects'];

type PackedRun = StoredRun & { readonly lock: Pick<Lock, 'confirm'> };

export interface PackOptions {
  /** Must not exist. */
  readonly target: string;
  /** The archive may send, and this folder not. */
  readonly handOver: boolean;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** A file to pack, and its path in the archive, with slashes. */
interface Entry {
  /** Of an input: its name. */
  readonly source?: string;
  readonly file: string;
  readonly name: string;
  /** Of the journal: the length of its whole lines, and a line that follows them. */
  readonly journal?: { readonly bytes: number; readonly lastLine: string } | undefined;
}

/** @throws ProblemError `pack.exists`, `pack.failed`, `run.lost`. Inputs are not compared with what the run read */
export async function packRun(run: PackedRun, { runState, bytes }: ReadRun, { target, handOver, time }: PackOptions) {
  await assertNoArchive(target);
  const inputs = handOver && runState.state !== 'complete' ? await inputsOf(run) : [];
  const end = (to: string, copy?: true): string =>
    encodeLine({ event: 'run.handed_over', time, to: path.resolve(to), copy });
  const entries = await filesOf(run.folder, { bytes, lastLine: handOver ? '' : end(run.folder.path, true) });
  const draft = draftOfArchive(target, run.folder, handOver);
  try {
    // Of a pack that was killed.
    await rm(draft, { force: true });
    const packed = packTar(await Promise.all([...entries, ...inputs].map(sourceOf)));
    await pipeline(packed, createGzip(), createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    // Before the archive has its name: at no moment may both send.
    if (handOver) {
      syncToDisk([draft], []);
      await endJournal(run, { bytes, lastLine: end(target) });
      run.lock.confirm();
    }
    renameSync(draft, target);
  } catch (error) {
    // Without an archive, this folder must be the one that may send. If the journal cannot say so, the draft does.
    const takenBack = handOver ? endJournal(run, { bytes, lastLine: '' }) : Promise.resolve();
    await takenBack.then(() => rm(draft)).catch(() => undefined);
    if (error instanceof LockLostError) throw error;
    throw new ProblemError({
      code: 'pack.failed',
      message: `Cannot write the archive: ${messageOf(error)}.`,
      where: target,
      hint: 'Name another place with --to FILE.',
    });
  }
  return { inputs: inputs.flatMap(({ source }) => source ?? []), bytes: (await stat(target)).size };
}

/** @throws ProblemError `pack.exists` */
export async function assertNoArchive(target: string): Promise<void> {
  if (!existsSync(target)) return;
  throw new ProblemError({
    code: 'pack.exists',
    message: 'The file already exists.',
    where: target,
    hint: 'Name another one with --to FILE.',
  });
}

async function endJournal({ folder, lock }: PackedRun, { bytes, lastLine }: NonNullable<Entry['journal']>) {
  const journal = await openAppend(path.join(folder.path, 'journal.ndjson'), { fsync: true });
  try {
    // This process may have been stopped for so long that another one has taken the run over.
    lock.confirm();
    await journal.truncate(bytes);
    await journal.append(lastLine);
  } finally {
    await journal.close();
  }
}

/** With the size of the file now: the archive is not written if the file is shorter when it is read. */
async function sourceOf({ file, name, journal }: Entry): Promise<TarSource> {
  const stats = await stat(file);
  const { bytes, lastLine } = journal ?? { bytes: stats.size, lastLine: '' };
  const facts = { target: name, mtime: stats.mtime, mode: 0o600 };
  const size = bytes + Buffer.byteLength(lastLine);
  // As a full disk leaves one. A stream may not be empty.
  if (size === 0) return { type: 'content', content: '', ...facts };
  return { type: 'stream', content: Readable.from(contentsOf(file, bytes, lastLine)), size, ...facts };
}

async function* contentsOf(file: string, bytes: number, lastLine: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file, { end: bytes - 1 });
  yield Buffer.from(lastLine);
}

/** The inputs that a resume needs and that are not in the run folder. */
async function inputsOf({ folder, file }: StoredRun): Promise<readonly Entry[]> {
  const inputs: Entry[] = [];
  for (const [index, { source, path: inputPath }] of file.inputs.entries()) {
    // Several inputs may be in one archive.
    if (inputPath === undefined || firstOfFile(file.inputs, index) !== index) continue;
    // An input that was packed before is in the folder, and is packed with it.
    if ((await packedInput(folder.path, file.inputs, index)) !== undefined) continue;
    inputs.push({ source, file: inputPath, name: `${folder.id}/${INPUTS}/${nameOf(index, source)}` });
  }
  return inputs;
}

type RunInputs = RunFile['inputs'];

function firstOfFile(inputs: RunInputs, index: number): number {
  return inputs.findIndex((input) => input.path === inputs[index]?.path);
}

/** The path of the file of an input that was packed with the run folder, if any. */
export async function packedInput(folder: string, inputs: RunInputs, index: number): Promise<string | undefined> {
  const first = firstOfFile(inputs, index);
  const file = path.join(folder, INPUTS, nameOf(first, inputs[first]?.source ?? ''));
  return existsSync(file) ? file : undefined;
}

/** Numbered, because two inputs can have the same name; with the extension, which tells the format. */
function nameOf(index: number, source: string): string {
  const endings = /(?:\.[A-Za-z0-9]{1,8}){1,2}$/.exec(path.basename(source))?.[0] ?? '';
  return `${index + 1}${endings}`;
}

async function filesOf({ id, path: folder }: RunFolder, journal: Entry['journal']): Promise<readonly Entry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const inside = path.relative(folder, file).split(path.sep).join('/');
    if (!entry.isFile() || LOCAL.test(inside)) return [];
    return [{ file, name: `${id}/${inside}`, journal: inside === 'journal.ndjson' ? journal : undefined }];
  });
}
