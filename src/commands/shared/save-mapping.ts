/** Writes a mapping next to the file that it is for. */
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../lib/text.ts';
import { ProblemError } from '../../model/problem.ts';
import type { PlanRequest } from '../../plan/index.ts';

/** Next to the first input. A folder's is next to the folder. */
export function mappingFileOf({ files: [file = 'input'] }: Pick<PlanRequest, 'files'>): string {
  return `${file.replace(/[/\\]+$/, '')}.mapping.yaml`;
}

/**
 * @param mode of a new file
 * @throws ProblemError `mapping.save`, also if the file exists and must not be replaced
 */
export async function saveMapping(target: string, yaml: string, overwrite = false, mode = 0o666): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: overwrite ? 'w' : 'wx', mode });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const [message, hint] = exists
      ? [`${target} already exists and was not changed.`, 'Pass another name with `-o`, or pass `--overwrite`.']
      : [`Cannot save the mapping to ${target}: ${messageOf(error)}.`, 'Name another file with `-o`.'];
    throw new ProblemError({ code: 'mapping.save', message, hint });
  }
}
