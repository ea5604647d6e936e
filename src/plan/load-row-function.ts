/** Loads the module of `--transform`, and finds the columns that its function makes of an input's first rows. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeHead, isBroken } from '../input/decode.ts';
import type { OpenInput } from '../input/open-inputs.ts';
import type { DetectedInput } from '../input/row-format.ts';
import { messageOf } from '../lib/text.ts';
import { columnsOfObjects, rowArgument, transformedRow } from '../map/index.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import type { Row } from '../model/row.ts';
import type { TransformRows } from '../prepare/index.ts';
import { RowFunctionWorker } from './row-function-worker.ts';

export interface RowFunctionRequest {
  /** A module whose default export is a function from row to row. */
  readonly transformFile?: string | undefined;
  /** Receives the lines that the module prints. */
  readonly onTransformOutput?: ((line: string) => void) | undefined;
}

export interface LoadedRowFunction {
  /** As the user named it. */
  readonly file: string;
  /** SHA-256 of the file, in hexadecimal. Does not cover the files that it imports. */
  readonly digest: string;
  readonly worker: RowFunctionWorker;
}

/** Rows of the head that the function is tried on. */
const TRIED = 100;

/**
 * Undefined if no transform is requested.
 *
 * @throws ProblemError `transform.file` (cannot be read), `transform.load` (fails), `transform.export` (no function)
 */
export async function loadRowFunction({
  transformFile: file,
  onTransformOutput = () => undefined,
}: RowFunctionRequest): Promise<LoadedRowFunction | undefined> {
  if (file === undefined) return undefined;
  const digest = await digestRowFunction(file);
  const worker = new RowFunctionWorker(pathToFileURL(path.resolve(file)).href, onTransformOutput);
  const loaded = await worker.load();
  if ('error' in loaded)
    throw problem('transform.load', file, `cannot be loaded: ${loaded.error.replace(/\.$/, '')}.`, EXAMPLE);
  if (loaded.exports !== 'a function') {
    const found = loaded.exports === 'nothing' ? 'has no default export' : `exports ${loaded.exports} as its default`;
    throw problem(
      'transform.export',
      file,
      `${found}; expected a function that takes a row and returns a row.`,
      EXAMPLE,
    );
  }
  return { file, digest, worker };
}

/** SHA-256 of the file, in hexadecimal. Does not run it. @throws ProblemError `transform.file` */
export async function digestRowFunction(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  } catch (error) {
    throw problem(
      'transform.file',
      file,
      `cannot be read: ${clauseOf(error)}.`,
      'Pass an existing file with --transform.',
    );
  }
}

const EXAMPLE =
  'Example of a transform module: `export default (row) => (row.Status === "test" ? null : { ...row, Title: row.Kind })`.';

/** @param columns the input's */
export function applyRowFunction({ worker }: LoadedRowFunction, columns: readonly string[]): TransformRows {
  return async (rows) => {
    const whole = rows.filter((row): row is Row => !isBroken(row));
    const answers = await worker.call(whole.map((row) => rowArgument(row, columns)));
    const transformed = new Map(answers.map((answer, index) => [whole[index], answer]));
    return rows.map((row) => {
      const answer = isBroken(row) ? undefined : transformed.get(row);
      return isBroken(row) || answer === undefined ? row : transformedRow(row, answer);
    });
  };
}

/**
 * The columns of the transformed first rows; those of the input if the function skips them all. Errors of the function are
 * reported for each row later.
 *
 * @throws ProblemError `transform.async` if it returns a promise, `transform.stuck` if it does not return
 */
export async function transformedColumns(
  { file, worker }: LoadedRowFunction,
  source: OpenInput,
  detected: DetectedInput,
  options: DecodeOptions,
): Promise<readonly string[]> {
  const rows: Row[] = [];
  for await (const block of decodeHead(0, source, detected, options)) {
    rows.push(...block.rows.filter((row): row is Row => !isBroken(row)).slice(0, TRIED - rows.length));
    if (rows.length === TRIED) break;
  }
  const answers = await worker.call(rows.map((row) => rowArgument(row, detected.columns)));
  if (answers.some(({ kind }) => kind === 'promise')) {
    throw problem(
      'transform.async',
      file,
      'returns a promise; expected a row or null.',
      'The function must not be async.',
    );
  }
  const stuck = rows[answers.findIndex(({ kind }) => kind === 'stuck')];
  if (stuck !== undefined) {
    const found = `did not return within 5 seconds for the row on line ${stuck.position.line}.`;
    throw problem('transform.stuck', file, found, 'Perhaps the function has an endless loop.');
  }
  const made = rows.flatMap((row, index) => {
    const answer = answers[index];
    const transformed = answer && transformedRow(row, answer);
    return transformed === undefined || isBroken(transformed) ? [] : [transformed.content];
  });
  return made.length === 0 ? detected.columns : columnsOfObjects(made);
}

function problem(code: string, file: string, message: string, hint: string): ProblemError {
  return new ProblemError({ code, message: `The transform ${file} ${message}`, hint });
}

/** For the middle of a sentence. */
function clauseOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}
