/**
 * Inputs of a run: files, folders, archives, patterns, named pipes and stdin, compressed or not. Takes paths; gives opened
 * inputs with the bytes of their text: workbooks and Parquet are unpacked here. May import model, lib and readers of these.
 *
 * All inputs are opened before any is read to its end, so that every wrong path is reported together and before anything
 * is sent. spool.ts copies a pipe to a file while it is read.
 */
import type { Readable } from 'node:stream';
import { type Problem, ProblemError } from '../model/problem.ts';
import { findInputs, type InputPath, twice } from './input-paths.ts';
import { type OpenInput, openFile, openPipe, openStdin } from './open.ts';

export { findInputs, listUnreadFiles } from './input-paths.ts';
export { InputChangedError } from './input-problems.ts';
export { HEAD_BYTES, type OpenInput } from './open.ts';
export { spool } from './spool.ts';

export interface OpenOptions {
  /** The sheet to read of workbooks: its name, or its number from 1. Default: the first visible one with a table. */
  readonly sheet?: string | undefined;
  /** The name of `-`. Default: `stdin`. */
  readonly stdinName?: string | undefined;
  /** Called if a pipe has sent nothing for {@link QUIET_MS}: a named pipe without a writer waits forever. */
  readonly onWait?: ((name: string) => void) | undefined;
}

/**
 * Opens every input and reads its head. `-` is stdin. A folder means its supported files, sorted by name; so does a
 * pattern such as `*.csv`, unless a file has that name. Pipes are opened last, and only if no other input has a problem.
 *
 * @throws ProblemError with all problems found: `input.missing`, `input.denied`, `input.folder`, `input.empty`,
 * `input.twice`, `input.unreadable`, `input.container`, `input.failed`, `option.sheet`
 */
export async function openInputs(
  paths: readonly string[],
  stdin: Readable,
  options: OpenOptions = {},
): Promise<OpenInput[]> {
  const { inputs, problems } = await openReadable(paths, stdin, options);
  if (problems.length === 0) return inputs;
  await Promise.all(inputs.map((input) => input.close()));
  throw new ProblemError(problems);
}

/** As {@link openInputs}, for a caller that collects further problems of the inputs that can be opened. The caller closes them. */
export async function openReadable(
  paths: readonly string[],
  stdin: Readable,
  options: OpenOptions = {},
): Promise<{ readonly inputs: OpenInput[]; readonly problems: readonly Problem[] }> {
  const { found, problems: pathProblems } = await findInputs(paths);
  const problems: Problem[] = [...pathProblems];
  const opened: (readonly OpenInput[])[] = found.map(() => []);
  for (const pipes of [false, true]) {
    if (problems.length > 0 && pipes) break;
    for (const [index, input] of found.entries()) {
      if ((input.kind !== 'file') !== pipes) continue;
      try {
        opened[index] = await open(input, stdin, options);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  const inputs = opened.flat();
  const members = inputs.filter(({ member }) => member !== undefined).map(argumentOf);
  problems.push(...members.filter((name, index) => members.indexOf(name) < index).map((name) => twice(name, name)));
  return { inputs, problems };
}

/** What names an input on a command line. */
export function argumentOf({ name, path, member }: Pick<OpenInput, 'name' | 'path' | 'member'>): string {
  if (path === undefined) return name;
  return member === undefined ? path : `${path}:${member}`;
}

/** Milliseconds without data before a wait is reported. */
const QUIET_MS = 3000;

async function open(
  input: InputPath,
  stdin: Readable,
  { sheet, stdinName = 'stdin', onWait }: OpenOptions,
): Promise<readonly OpenInput[]> {
  if (input.kind === 'file') return openFile(input.path, { sheet, member: input.member });
  const timer = setTimeout(() => onWait?.(input.kind === 'stdin' ? stdinName : input.path), QUIET_MS);
  try {
    return await (input.kind === 'stdin' ? openStdin(stdinName, stdin, { sheet }) : openPipe(input.path, { sheet }));
  } finally {
    clearTimeout(timer);
  }
}
