/** Problems of opening and reading inputs. Their codes are stable. */

import { messageOf } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';

/** The system's stable code of an error: `ENOENT`. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return messageOf(error);
}

/** A path that cannot be opened or listed. */
export function openProblem(name: string, error: unknown): Problem {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return {
      code: 'input.missing',
      message: `File or folder '${name}' does not exist.`,
      where: name,
      hint: /[*?]/.test(name)
        ? 'No file matches this pattern. Check the folder and the spelling.'
        : 'Check the spelling. Paths are relative to the current folder.',
    };
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      code: 'input.denied',
      message: `You do not have permission to read '${name}'.`,
      where: name,
      hint: 'Ask its owner for permission, or for a copy that you can read.',
    };
  }
  return {
    code: 'input.unreadable',
    message: `'${name}' cannot be opened (${code}).`,
    where: name,
    hint: 'Try to open it with another program. If that works, copy it to a local folder and upload the copy.',
  };
}

/** The user has named a file in a file that is no archive. */
export function notArchive(file: string, member: string): Problem {
  return {
    code: 'input.missing',
    message: `File '${file}:${member}' does not exist, and '${file}' is no zip archive that could contain '${member}'.`,
    where: `${file}:${member}`,
    hint: 'Check the spelling. To upload the whole file, omit the colon and what follows.',
  };
}

export function emptyProblem(name: string): Problem {
  return {
    code: 'input.empty',
    message: `'${name}' is empty: it has 0 bytes.`,
    where: name,
    hint:
      name === 'stdin'
        ? 'Check that the command before the pipe succeeds and writes to its standard output.'
        : 'Check that the export has finished.',
  };
}

/** A read failed. `offset`: the first byte that could not be read. */
export function readProblem(name: string, offset: number, error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `Reading '${name}' failed at byte ${offset}: ${codeOf(error)}.`,
    where: name,
    hint: 'Check the disk, the network drive or the program that writes it. Nothing after that byte was read.',
  });
}

/** The copy of a pipe cannot be created. */
export function spoolProblem(file: string, error: unknown): ProblemError {
  return new ProblemError({
    code: 'run.folder',
    message: `Cannot write a copy of the pipe's data to ${file}: ${messageOf(error)}. A stopped run could not resume without it, so nothing was sent.`,
    hint: 'Free some disk space, or choose a writable folder with --out DIR (or SIGNALS_RUNS).',
  });
}

/** A file became longer or shorter while it was read. */
export class InputChangedError extends ProblemError {
  readonly input: string;
  readonly sizeNow: number;

  constructor(input: string, size: number, sizeNow: number) {
    super({
      code: 'input.changed',
      message: `'${input}' was changed while it was read: it had ${size} bytes when it was opened, and now has ${sizeNow}.`,
      where: input,
      hint: 'Wait until the program that writes it has finished, or upload a copy.',
    });
    this.input = input;
    this.sizeNow = sizeNow;
  }
}

/** Compressed data that is truncated or damaged. `offset` counts decompressed bytes. */
export function damagedProblem(name: string, offset: number, error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `Decompressing '${name}' failed at byte ${offset} of its content: ${messageOf(error)}.`,
    where: name,
    hint: 'The file is truncated or damaged: copy or export it again. Nothing after that byte was read.',
  });
}
