/**
 * Loads the function of `--transform` and looks at what it makes of an input's first rows, before anything is
 * sent. The function is the user's own program: it runs with the rights of this one.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DecodeOptions, type DetectedInput, decodeHead, isBroken } from '../decode/index.ts';
import { messageOf } from '../lib/text.ts';
import { columnsOfObjects, isThenable, type RowFunction, rowTransform } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { Row } from '../model/row.ts';
import type { OpenInput } from '../source/index.ts';

export interface LoadedTransform {
  /** As the user named it. */
  readonly file: string;
  /** SHA-256 of the file, in hexadecimal. What it imports itself is not in it. */
  readonly digest: string;
  readonly fn: RowFunction;
}

/** Rows of the head that the function is tried on. */
const TRIED = 100;

/** @throws ProblemError `transform.file` (cannot be read), `transform.load` (fails), `transform.export` (no function) */
export async function loadTransform(file: string): Promise<LoadedTransform> {
  const location = path.resolve(file);
  const digest = await digestTransform(file);
  let module: unknown;
  try {
    module = await import(pathToFileURL(location).href);
  } catch (error) {
    throw problem('load', file, `cannot be loaded: ${clauseOf(error)}.`, EXAMPLE);
  }
  const exported = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  if (!isFunction(exported)) {
    const found = exported === undefined ? 'has no default export' : `exports ${typeOf(exported)} as its default`;
    throw problem('export', file, `${found}; expected a function that takes a row and returns a row.`, EXAMPLE);
  }
  return { file, digest, fn: exported };
}

/** SHA-256 of the file, in hexadecimal. Nothing of it is run. @throws ProblemError `transform.file` */
export async function digestTransform(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  } catch (error) {
    throw problem('file', file, `cannot be read: ${clauseOf(error)}.`, 'Pass an existing file with --transform.');
  }
}

const EXAMPLE =
  'Example of a transform module: `export default (row) => (row.Status === "test" ? null : { ...row, Title: row.Kind })`.';

/**
 * The columns of the rows that the function makes, from the input's head; the input's own where it makes none
 * there. What it throws is left to the rows themselves.
 *
 * @throws ProblemError `transform.async` where it returns a promise
 */
export async function transformedColumns(
  { file, fn }: LoadedTransform,
  source: OpenInput,
  detected: DetectedInput,
  options: DecodeOptions,
): Promise<readonly string[]> {
  const watched: RowFunction = (row) => {
    const result = fn(row);
    asynchronous ||= isThenable(result);
    return result;
  };
  let asynchronous = false;
  const transform = rowTransform(watched, detected.columns);
  const made: object[] = [];
  for (const row of await firstRows(source, detected, options)) {
    const result = transform(row);
    if (result.kind === 'row') made.push(result.row.content);
    if (asynchronous) {
      throw problem('async', file, 'returns a promise; expected a row or null.', 'The function must not be async.');
    }
  }
  return made.length === 0 ? detected.columns : columnsOfObjects(made);
}

async function firstRows(source: OpenInput, detected: DetectedInput, options: DecodeOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const block of decodeHead(0, source, detected, options)) {
    rows.push(...block.rows.filter((row): row is Row => !isBroken(row)));
    if (rows.length > TRIED) break;
  }
  return rows.slice(0, TRIED);
}

function isFunction(value: unknown): value is RowFunction {
  return typeof value === 'function';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`;
}

function problem(code: string, file: string, message: string, hint: string): ProblemError {
  return new ProblemError({ code: `transform.${code}`, message: `The transform ${file} ${message}`, hint });
}

/** For the middle of a sentence. */
function clauseOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}
