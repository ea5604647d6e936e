/** Writes a mapping next to the file that it is for. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../lib/text.ts';
import { ProblemError } from '../../model/problem.ts';
import type { PlanRequest } from '../../plan/index.ts';

/** Next to the first input. A folder's is next to the folder. */
export function mappingFileOf({ files: [file = 'input'] }: Pick<PlanRequest, 'files'>): string {
  return `${file.replace(/[/\\]+$/, '')}.mapping.yaml`;
}

/** Before questions, whose answers would be lost. @throws ProblemError `mapping.save` if the file exists */
export function assertNew(target: string): void {
  if (existsSync(target)) throw existsProblem(target);
}

function existsProblem(target: string): ProblemError {
  const message = `${target} already exists and was not changed.`;
  return new ProblemError({
    code: 'mapping.save',
    message,
    hint: 'Pass another name with `-o`, or pass `--overwrite`.',
  });
}

/**
 * @param mode of a new file
 * @throws ProblemError `mapping.save`, also if the file exists and must not be replaced
 */
export async function saveMapping(target: string, yaml: string, overwrite = false, mode = 0o666): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: overwrite ? 'w' : 'wx', mode });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw existsProblem(target);
    const message = `Cannot save the mapping to ${target}: ${messageOf(error)}.`;
    throw new ProblemError({ code: 'mapping.save', message, hint: 'Name another file with `-o`.' });
  }
}
