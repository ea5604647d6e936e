/**
 * One archive of a run and its replays for somebody else to finish: their folders, and where the run is not complete its inputs too, because
 * what was never read is in them alone.
 */

import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { messageOf } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { exists } from './exists.ts';
import type { LineageRun } from './lineage.ts';
import { type TarEntry, tar } from './tar.ts';

const INPUTS = 'inputs';
/** What belongs to this machine, or was left half-written. */
const STAYS = /^(?:lock(?:\..*)?|handed-over\.json|journal\.reserve|.*\.tmp)$/;

export interface Packed {
  /** Names of the inputs that are in it. */
  readonly inputs: readonly string[];
  readonly bytes: number;
}

/**
 * @param members the run, then its replays: without them what they have delivered would be sent again
 * @param target must not exist
 * @throws ProblemError `pack.input` where an input that is needed has changed or is gone; `pack.exists`, `pack.failed`
 */
export async function packRuns(members: readonly LineageRun[], target: string): Promise<Packed> {
  if (await exists(target)) {
    throw new ProblemError({
      code: 'pack.exists',
      message: 'There is such a file already.',
      where: target,
      hint: 'Name another one with --to FILE.',
    });
  }
  const inputs: { readonly name: string; readonly entry: TarEntry }[] = [];
  const entries: TarEntry[] = [];
  for (const member of members) {
    inputs.push(...(await inputsOf(member)));
    entries.push(...(await filesOf(member.folder.path, member.folder.id)));
  }
  entries.push(...inputs.map(({ entry }) => entry));
  const draft = `${target}.tmp`;
  try {
    const out = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
    await pipeline(Readable.from(tar(entries)), createGzip(), out);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ProblemError({
      code: 'pack.failed',
      message: `The archive cannot be written: ${messageOf(error)}.`,
      where: target,
      hint: 'Name another place with --to FILE. The run was not handed over.',
    });
  }
  return { inputs: inputs.map(({ name }) => name), bytes: (await stat(target)).size };
}

/** The inputs that are needed to go on with a run, and that are not in its folder already. */
async function inputsOf({
  folder,
  file,
  inspected,
}: LineageRun): Promise<readonly { readonly name: string; readonly entry: TarEntry }[]> {
  if (file.parent !== undefined || inspected.ledger.state === 'complete') return [];
  if (file.transform !== undefined) throw new ProblemError(ownFunction(file.transform.path));
  const inputs: { readonly name: string; readonly entry: TarEntry }[] = [];
  for (const [index, { source, path: place, bytes }] of file.inputs.entries()) {
    if (place === undefined) continue;
    const packed = await packedInput(folder.path, index, source);
    const from = packed ?? place;
    const size = await stat(from).then(
      (stats) => stats.size,
      () => undefined,
    );
    if (size !== bytes) throw new ProblemError(changedInput(source, size));
    // One that was packed before lies in the folder, and goes along with it.
    if (packed !== undefined) continue;
    const name = `${folder.id}/${INPUTS}/${nameOf(index, source)}`;
    inputs.push({ name: source, entry: { name, from: { file: from } } });
  }
  return inputs;
}

/** An input that came with the run folder; undefined where none did. */
export async function packedInput(
  folder: string,
  index: number,
  source: string,
): Promise<string | undefined> {
  const file = path.join(folder, INPUTS, nameOf(index, source));
  return (await exists(file)) ? file : undefined;
}

/** Numbered, because two inputs may be called the same; with its ending, which tells what it is. */
function nameOf(index: number, source: string): string {
  const endings = /(?:\.[A-Za-z0-9]{1,8}){1,2}$/.exec(path.basename(source))?.[0] ?? '';
  return `${index + 1}${endings}`;
}

async function filesOf(folder: string, id: string): Promise<readonly TarEntry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !STAYS.test(entry.name))
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const inside = path.relative(folder, file).split(path.sep).join('/');
      return { name: `${id}/${inside}`, from: { file } };
    });
}

function ownFunction(file: string): Problem {
  return {
    code: 'pack.transform',
    message:
      'The run is not complete, and its rows go through a function of yours, which may need more than its own file. Nothing was packed.',
    where: file,
    hint: 'Go on with the run here.',
  };
}

function changedInput(source: string, size: number | undefined): Problem {
  return {
    code: 'pack.input',
    message: `The run is not complete, and its input ${size === undefined ? 'is gone' : 'has changed'}: without it nobody can finish the run. Nothing was packed.`,
    where: source,
    hint: 'Put it back as it was.',
  };
}
