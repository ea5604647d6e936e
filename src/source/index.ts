/**
 * Bytes of the inputs of a run: files, folders, named pipes and stdin, behind one shape.
 *
 * Everything is opened before anything is read in earnest, so that one wrong path is told before a record is
 * sent, together with all other faults. What keeps a pipe's bytes is `spool.ts`.
 */
import type { Readable } from 'node:stream';
import { type Problem, ProblemError } from '../model/problem.ts';
import { findInputs, type InputPath } from './input-paths.ts';
import { openFile, openPipe, openStdin } from './open.ts';
import type { OpenInput } from './open-input.ts';

export { listUnreadFiles as leftUnread } from './input-paths.ts';
export { HEAD_BYTES, type OpenInput } from './open-input.ts';
export { spool } from './spool.ts';

/**
 * Opens every input and reads its head. `-` is stdin; a folder is its supported files, sorted by name, and so is a
 * pattern such as `*.csv` that names no file itself.
 *
 * A pipe is not waited for where another input is already at fault.
 *
 * @param onWait told of a pipe from which nothing has come for a while: a named pipe without a writer keeps quiet
 * for ever, and whoever sits in front of it should know what is waited for
 * @throws ProblemError with every fault found: `input.missing`, `input.denied`, `input.folder`, `input.empty`,
 * `input.twice`, `input.unreadable`, `input.container`, `input.failed`.
 */
export async function openInputs(
  paths: readonly string[],
  stdin: Readable,
  onWait: (name: string) => void = () => undefined,
): Promise<OpenInput[]> {
  const { found, problems: faults } = await findInputs(paths);
  const problems: Problem[] = [...faults];
  const opened: (OpenInput | undefined)[] = found.map(() => undefined);
  for (const pipes of [false, true]) {
    if (problems.length > 0 && pipes) break;
    for (const [index, input] of found.entries()) {
      if ((input.kind !== 'file') !== pipes) continue;
      try {
        opened[index] = await open(input, stdin, onWait);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  const inputs = opened.filter((input) => input !== undefined);
  if (problems.length === 0) return inputs;
  await Promise.all(inputs.map((input) => input.close()));
  throw new ProblemError(problems);
}

/** Nobody is told of a shorter wait, in milliseconds. */
const PATIENCE_MS = 3000;

async function open(input: InputPath, stdin: Readable, onWait: (name: string) => void): Promise<OpenInput> {
  if (input.kind === 'file') return openFile(input.path);
  const told = setTimeout(() => onWait(input.kind === 'stdin' ? 'stdin' : input.path), PATIENCE_MS);
  try {
    return await (input.kind === 'stdin' ? openStdin(stdin) : openPipe(input.path));
  } finally {
    clearTimeout(told);
  }
}
