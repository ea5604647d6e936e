/** Saves a mapping file. */
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../lib/text.ts';
import { ProblemError } from '../../model/problem.ts';

/** @throws ProblemError `mapping.save` if the file exists and must not be overwritten, or cannot be written */
export async function saveMapping(target: string, yaml: string, overwrite: boolean): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: overwrite ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new ProblemError({
      code: 'mapping.save',
      message: exists
        ? `${target} already exists and was not changed.`
        : `Cannot save the mapping to ${target}: ${messageOf(error)}.`,
      hint: exists ? 'Pass another name with `-o`, or pass `--overwrite`.' : 'Name another file with `-o`.',
    });
  }
}
