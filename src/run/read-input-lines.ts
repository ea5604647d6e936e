/** Reads an input of an earlier run as the run has read it: its lines, unpacked and in its encoding, or its records. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { contracts } from '../contract/index.ts';
import { decode, decodedText, detectInput, isBroken } from '../input/decode.ts';
import type { DetectedInput, RowBlock } from '../input/format.ts';
import { type OpenInput, openInputs } from '../input/open-inputs.ts';
import { type Line, linesIn } from '../journal/file-lines.ts';
import { readTextFile } from '../journal/file-system.ts';
import type { StoredRun } from '../journal/run-file.ts';
import { spoolName } from '../journal/run-folder.ts';
import { type CompiledMapping, compileMapping } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { Candidate } from '../model/record.ts';
import { rowFormOf } from '../plan/detect-inputs.ts';

/** Resolves to what `read` makes of the lines. Undefined if the input is gone or can no longer be read. */
export function readInputLines<T>(
  run: StoredRun,
  source: number,
  read: (lines: AsyncIterable<Line>) => Promise<T>,
): Promise<T | undefined> {
  return readInput(run, source, (opened, detected) => {
    const lineEnd = detected.lineEnd === '\r' ? 0x0d : 0x0a;
    return read(linesIn(decodedText(opened.chunks(), detected), lineEnd));
  });
}

/** A row as its mapping makes a record of it, valid or not. */
export interface InputRecord {
  /** On which the row starts. */
  readonly line: number;
  readonly candidate: Candidate;
}

/**
 * The same for the records of the rows. Undefined also for a run with a transform, which is code of the user who began it, and
 * without a readable mapping.
 */
export async function readInputRecords<T>(
  run: StoredRun,
  source: number,
  read: (records: AsyncIterable<InputRecord>) => Promise<T>,
): Promise<T | undefined> {
  const { folder, file } = run;
  const mappingFile = path.join(folder.path, 'mapping.yaml');
  const text = readTextFile(mappingFile);
  if (text === undefined || file.transform !== undefined) return undefined;
  const { parseMapping } = await import('../map/parse-document.ts');
  return readInput(run, source, async (opened, detected) => {
    const document = parseMapping(text, mappingFile);
    const columns = file.inputs[source]?.columns ?? [];
    const mapping = compileMapping(document, {
      contract: contracts[file.type],
      variant: file.variant,
      columns,
      rowForm: rowFormOf({ detected, transform: undefined }),
      inputName: opened.name,
    });
    const blocks = decode({ source, chunks: opened.chunks(), detected }, file.decode);
    return read(recordsOf(blocks, mapping));
  });
}

async function* recordsOf(blocks: AsyncIterable<RowBlock>, mapping: CompiledMapping): AsyncGenerator<InputRecord> {
  for await (const { rows } of blocks) {
    for (const row of rows) {
      if (!isBroken(row)) yield { line: row.position.line, candidate: mapping.applyAll(row).candidate };
    }
  }
}

async function readInput<T>(
  { folder, file }: StoredRun,
  source: number,
  read: (opened: OpenInput, detected: DetectedInput) => Promise<T>,
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
      return await read(opened, detectInput(opened, file.decode));
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
