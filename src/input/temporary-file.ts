/** Temporary files that only this process can see: they have no name, and end with it. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';

/** @throws ProblemError `input.temporary` */
export async function openTemporaryFile(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `signals-${randomBytes(12).toString('hex')}`);
  try {
    const file = await open(name, 'wx+', 0o600);
    await unlink(name);
    return file;
  } catch (error) {
    throw temporaryFileProblem(error);
  }
}

/** A temporary file cannot be created or written. */
export function temporaryFileProblem(error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.temporary',
    message: `Cannot write a temporary file in ${tmpdir()}: ${messageOf(error)}.`,
    hint: 'Free some disk space, or name another folder in the environment variable TMPDIR (TEMP on Windows).',
  });
}
