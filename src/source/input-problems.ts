/** What can go wrong with an input, in the user's words. Codes are stable. */

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
      message: `There is no file or folder '${name}'.`,
      where: name,
      hint: /[*?]/.test(name)
        ? 'No file matches this pattern. Check the folder and the spelling.'
        : 'Check the spelling; a path is looked up from the folder in which the command runs.',
    };
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      code: 'input.denied',
      message: `'${name}' may not be read by this user.`,
      where: name,
      hint: 'Ask its owner for permission to read it, or copy it to a folder of your own.',
    };
  }
  return {
    code: 'input.unreadable',
    message: `'${name}' cannot be opened: the system says ${code}.`,
    where: name,
    hint: 'Try to open it with another program; if that works, copy it to a local folder and name the copy.',
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
        : 'Check that the export that made it has finished.',
  };
}

/** Reading broke off. `offset` is the offset of the first byte that could not be read. */
export function readProblem(name: string, offset: number, error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `'${name}' could be read up to byte ${offset} only: ${codeOf(error)}.`,
    where: name,
    hint: 'Check the disk, the network drive or the program that it comes from. Nothing behind that byte was read.',
  });
}

/** The file that a pipe is to be kept in cannot be made. */
export function spoolProblem(file: string, error: unknown): ProblemError {
  return new ProblemError({
    code: 'run.folder',
    message: `What comes through the pipe cannot be kept in ${file}: ${messageOf(error)}. Without it the run could not go on after a fault, so nothing was sent.`,
    hint: 'Make room on the disk, or name a folder that you may write to with --out DIR (or SIGNALS_RUNS).',
  });
}

/** A file that became shorter while it was read. */
export function truncatedProblem(name: string, offset: number, size: number): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `'${name}' ended at byte ${offset}, but had ${size} bytes when it was opened: it was changed meanwhile.`,
    where: name,
    hint: 'Wait until the program that writes it has finished, or work on a copy.',
  });
}

/** Packed data that breaks off or is damaged. `offset` counts unpacked bytes. */
export function damagedProblem(name: string, offset: number, error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `'${name}' is compressed, and could be unpacked up to byte ${offset} of its content only: ${messageOf(
      error,
    )}.`,
    where: name,
    hint: 'It is torn or damaged: copy or export it again. Nothing behind that byte was read.',
  });
}
