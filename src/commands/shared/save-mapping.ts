/** Writes a mapping next to the file that it is for. */
import { writeFile } from 'node:fs/promises';
import type { Suggest } from '../../lib/shell.ts';
import { messageOf } from '../../lib/text.ts';
import { ProblemError } from '../../model/problem.ts';
import type { PlanRequest } from '../../plan/index.ts';

/** Next to the first input. A folder's is next to the folder. */
export function mappingFileOf({ files: [file = 'input'] }: Pick<PlanRequest, 'files'>): string {
  return `${file.replace(/[/\\]+$/, '')}.mapping.yaml`;
}

/** @throws ProblemError `mapping.save`, also if the file exists and must not be replaced */
export async function saveMapping(target: string, yaml: string, suggest: Suggest, overwrite = false): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: overwrite ? 'w' : 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const [message, hint] = exists
      ? [`${target} already exists and was not changed.`, 'Pass another name with `-o`, or pass `--overwrite`.']
      : [
          `Cannot save the mapping to ${target}: ${messageOf(error)}.`,
          `Name another file: \`${suggest('map', 'FILE', '-o', 'OTHER.yaml')}\`.`,
        ];
    throw new ProblemError({ code: 'mapping.save', message, hint });
  }
}
