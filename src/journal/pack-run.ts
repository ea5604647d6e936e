/**
 * Packs a run and its replays into one archive for another person to finish. If the run is incomplete, the archive also
 * has its inputs, because they have rows that were never read.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createTarPacker, type TarPackController } from 'modern-tar';
import { messageOf } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { exists } from './file-system.ts';
import type { LineageRun } from './lineage.ts';

const INPUTS = 'inputs';
/** Files that belong to this machine, or are incomplete. */
const LOCAL = /^(?:lock(?:\..*)?|handed-over\.json|journal\.reserve|.*\.tmp)$/;

/** Whether a file of a run folder is never packed. */
export function isLocalFile(name: string): boolean {
  return LOCAL.test(name);
}

export interface PackedArchive {
  /** Names of the inputs in it. */
  readonly inputs: readonly string[];
  readonly bytes: number;
}

/** A file to pack, and its path in the archive, with slashes. */
interface Entry {
  readonly file: string;
  readonly name: string;
}

/** An input to pack. */
interface InputEntry extends Entry {
  readonly source: string;
}

/**
 * @param lineage the run, then its replays: without them, the recipient would send again what they delivered
 * @param target must not exist
 * @throws ProblemError `pack.transform`, `pack.exists`, `pack.failed`. Inputs are not compared with what the run read
 */
export async function packRuns(lineage: readonly LineageRun[], target: string): Promise<PackedArchive> {
  if (await exists(target)) {
    throw new ProblemError({
      code: 'pack.exists',
      message: 'The file already exists.',
      where: target,
      hint: 'Name another one with --to FILE.',
    });
  }
  const inputs: InputEntry[] = [];
  const entries: Entry[] = [];
  for (const run of lineage) {
    inputs.push(...(await inputsOf(run)));
    entries.push(...(await filesOf(run.folder.path, run.folder.id)));
  }
  const draft = `${target}.tmp`;
  try {
    const out = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
    const { readable, controller } = createTarPacker();
    // An error ends the stream, and the pipeline rejects with it.
    addFiles([...entries, ...inputs], controller).catch((error: unknown) => controller.error(error));
    await pipeline(Readable.fromWeb(readable), createGzip(), out);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ProblemError({
      code: 'pack.failed',
      message: `Cannot write the archive: ${messageOf(error)}.`,
      where: target,
      hint: 'Name another place with --to FILE. The run was not handed over.',
    });
  }
  return { inputs: inputs.map(({ source }) => source), bytes: (await stat(target)).size };
}

/** Adds each file with its size at this moment. @throws Error if one becomes shorter while it is read */
async function addFiles(entries: readonly Entry[], packer: TarPackController): Promise<void> {
  for (const { file, name } of entries) {
    const { size, mtime } = await stat(file);
    const body = packer.add({ name, size, mtime, mode: 0o600 });
    if (size === 0) await body.close();
    else await Readable.toWeb(createReadStream(file, { end: size - 1 })).pipeTo(body);
  }
  packer.finalize();
}

/** The inputs that a resume needs and that are not in the run folder. */
async function inputsOf({ folder, file, inspected }: LineageRun): Promise<readonly InputEntry[]> {
  if (file.parent !== undefined || inspected.runState.state === 'complete') return [];
  if (file.transform !== undefined) throw new ProblemError(cannotPackTransform(file.transform.path));
  const inputs: InputEntry[] = [];
  for (const [index, { source, path: inputPath }] of file.inputs.entries()) {
    // Several inputs may be in one archive.
    if (inputPath === undefined || firstOfFile(file.inputs, index) !== index) continue;
    // An input that was packed before is in the folder, and is packed with it.
    if ((await packedInput(folder.path, file.inputs, index)) !== undefined) continue;
    inputs.push({ source, file: inputPath, name: `${folder.id}/${INPUTS}/${nameOf(index, source)}` });
  }
  return inputs;
}

type RunInputs = LineageRun['file']['inputs'];

/** Index of the first input in the same file. */
function firstOfFile(inputs: RunInputs, index: number): number {
  const file = inputs[index]?.path;
  return file === undefined ? index : inputs.findIndex((input) => input.path === file);
}

/** The path of the file of an input that was packed with the run folder, if any. */
export async function packedInput(folder: string, inputs: RunInputs, index: number): Promise<string | undefined> {
  const first = firstOfFile(inputs, index);
  const file = path.join(folder, INPUTS, nameOf(first, inputs[first]?.source ?? ''));
  return (await exists(file)) ? file : undefined;
}

/** Numbered, because two inputs can have the same name; with the extension, which tells the format. */
function nameOf(index: number, source: string): string {
  const endings = /(?:\.[A-Za-z0-9]{1,8}){1,2}$/.exec(path.basename(source))?.[0] ?? '';
  return `${index + 1}${endings}`;
}

async function filesOf(folder: string, id: string): Promise<readonly Entry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !isLocalFile(entry.name))
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const inside = path.relative(folder, file).split(path.sep).join('/');
      return { file, name: `${id}/${inside}` };
    });
}

function cannotPackTransform(file: string): Problem {
  return {
    code: 'pack.transform',
    message:
      'The run is incomplete and uses --transform. Its module may import files that the archive would not contain. Nothing was packed.',
    where: file,
    hint: 'Resume the run on this machine.',
  };
}
