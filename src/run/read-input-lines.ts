/** Reads the lines of an input of an earlier run as the run has read them: unpacked and in its encoding. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { detectInput, textOf } from '../decode/index.ts';
import { type Line, linesIn } from '../journal/file-lines.ts';
import type { LineageRun } from '../journal/lineage.ts';
import { spoolName } from '../journal/run-folder.ts';
import { ProblemError } from '../model/problem.ts';
import { openInputs } from '../source/index.ts';

/** Resolves to what `read` makes of the lines. Undefined if the input is gone or can no longer be read. */
export async function readInputLines<T>(
  { folder, file }: Pick<LineageRun, 'folder' | 'file'>,
  source: number,
  read: (lines: AsyncIterable<Line>) => Promise<T>,
): Promise<T | undefined> {
  const input = file.inputs[source];
  const inputPath = input?.path ?? path.join(folder.path, spoolName(input?.source ?? '', source));
  // Opening a pipe may wait for ever.
  const isFile = await stat(inputPath).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) return undefined;
  try {
    const [opened] = await openInputs(
      [input?.member === undefined ? inputPath : `${inputPath}:${input.member}`],
      Readable.from([]),
      { sheet: file.decode.sheet },
    );
    if (opened === undefined) return undefined;
    try {
      const detected = detectInput(opened, file.decode);
      const lineEnd = detected.lineEnd === '\r' ? 0x0d : 0x0a;
      return await read(linesIn(textOf(opened.chunks(), detected), lineEnd));
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
