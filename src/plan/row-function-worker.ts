/**
 * The module of `--transform`. It runs in a worker thread, so that an endless loop can be ended, and `process.exit` affects only
 * that thread. Rows are sent a block at a time, because a message takes longer than most functions.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type HeadInput, headRows, isBroken } from '../input/decode.ts';
import type { TransformRows } from '../input/decode-types.ts';
import { nextMessage } from '../input/worker-message.ts';
import { cut, excerpt, FOUND_LIMIT, messageOf } from '../lib/text.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { ProblemError } from '../model/problem.ts';
import { addPaths, type BrokenRow, isCells, type Row } from '../model/row.ts';

export interface RowFunctionRequest {
  /** A module whose default export is a function from row to row. */
  readonly transformFile?: string | undefined;
  readonly onTransformOutput?: ((line: string) => void) | undefined;
}

export interface LoadedRowFunction {
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
 * @throws ProblemError `transform.file` (cannot be read), `transform.load` (fails, or exports no function)
 */
export async function loadRowFunction({
  transformFile: file,
  onTransformOutput = () => undefined,
}: RowFunctionRequest): Promise<LoadedRowFunction | undefined> {
  if (file === undefined) return undefined;
  const digest = await digestRowFunction(file);
  const worker = new RowFunctionWorker(pathToFileURL(path.resolve(file)).href, onTransformOutput);
  const loaded = await worker.load();
  if ('error' in loaded || loaded.exports !== 'a function') {
    const found =
      'error' in loaded
        ? `cannot be loaded: ${loaded.error.replace(/\.$/, '')}.`
        : `exports ${loaded.exports} as its default; expected a function that takes a row and returns a row.`;
    throw problem('transform.load', file, found, EXAMPLE);
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
    const found = `cannot be read: ${messageOf(error).replace(/\.$/, '')}.`;
    throw problem('transform.file', file, found, 'Pass an existing file with --transform.');
  }
}

const EXAMPLE =
  'Example of a transform module: `export default (row) => (row.Status === "test" ? null : { ...row, Title: row.Kind })`.';

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
 * @throws ProblemError `transform.result` if the function is asynchronous or does not return
 */
export async function transformedColumns(
  { file }: LoadedRowFunction,
  input: HeadInput,
  options: DecodeOptions,
): Promise<readonly string[]> {
  const made: object[] = [];
  let left = TRIED;
  for await (const { row, given } of headRows(input, options, (rows) => rows.slice(0, left))) {
    if (!isBroken(row)) left -= 1;
    if (given === undefined) continue;
    if (!isBroken(given)) made.push(given.content);
    else if (given.issue.found === FAILURES.promise || given.issue.found === FAILURES.stuck) {
      const found = `gives ${given.issue.found} for the row on line ${row.position.line}; expected ${EXPECTED}.`;
      throw problem('transform.result', file, found, 'The function must not be async or have an endless loop.');
    }
    if (left === 0) break;
  }
  return made.length === 0 ? input.detected.columns : columnsOfObjects(made);
}

function problem(code: string, file: string, message: string, hint: string): ProblemError {
  return new ProblemError({ code, message: `The transform ${file} ${message}`, hint });
}

/** A row that takes longer is given up. */
const TIME_LIMIT_MS = 5000;
const CHECK_MS = 500;

/** What the module exports as its default, as a clause; or why it has no exports. */
export type LoadedModule = { readonly exports: string } | { readonly error: string };

const THREAD = new URL('./row-function-thread.js', import.meta.url);

export class RowFunctionWorker {
  readonly #url: string;
  readonly #onOutput: (line: string) => void;
  readonly #started = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(url: string, onOutput: (line: string) => void) {
    this.#url = url;
    this.#onOutput = onOutput;
  }

  async load(): Promise<LoadedModule> {
    const worker = new Worker(THREAD, {
      stdout: true,
      stderr: true,
      workerData: { url: this.#url, started: this.#started.buffer },
    });
    this.#worker = worker;
    for (const output of [worker.stdout, worker.stderr]) createInterface(output).on('line', this.#onOutput);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    const message = await answerOf<LoadedModule>(worker);
    worker.unref();
    return message ?? { error: 'it ended its thread (process.exit)' };
  }

  /** Ends the thread, also while the function runs. */
  close(): void {
    this.#isClosed = true;
    void this.#worker?.terminate();
  }

  /**
   * The answers for the rows, in order. A row that ends the thread or does not return is given up.
   *
   * @throws Error after {@link close}
   */
  async call(rows: readonly RowArgument[]): Promise<readonly RowFunctionAnswer[]> {
    if (rows.length === 0) return [];
    if (this.#worker === undefined && !this.#isClosed) await this.load();
    const worker = this.#worker;
    if (this.#isClosed) throw new Error('the transform was closed');
    // The module was loaded before, and now ends its thread immediately.
    if (worker === undefined) return rows.map(() => ({ kind: 'ended' }));
    Atomics.store(this.#started, 0, 0);
    worker.ref();
    worker.postMessage(rows);
    let isStuck = false;
    let last = { row: 0, time: performance.now() };
    const timer = setInterval(() => {
      const now = { row: Atomics.load(this.#started, 0), time: performance.now() };
      if (now.row !== last.row) last = now;
      isStuck = now.time - last.time >= TIME_LIMIT_MS;
      if (isStuck) void worker.terminate();
    }, CHECK_MS);
    const answers = await answerOf<readonly RowFunctionAnswer[]>(worker);
    clearInterval(timer);
    worker.unref();
    if (this.#isClosed) throw new Error('the transform was closed');
    if (answers !== undefined) return answers;
    // The answers for the rows before it are lost, so those rows are sent again.
    const row = Math.max(0, Atomics.load(this.#started, 0) - 1);
    return [
      ...(await this.call(rows.slice(0, row))),
      { kind: isStuck ? 'stuck' : 'ended' },
      ...(await this.call(rows.slice(row + 1))),
    ];
  }
}

/** Undefined if the thread has ended or failed. */
function answerOf<T>(worker: Worker): Promise<T | undefined> {
  return nextMessage<T>(worker).catch(() => undefined);
}

/** What the function is called with: for CSV an object from column to untrimmed cell, for NDJSON the object. */
type RowArgument = Readonly<Record<string, unknown>>;

export type RowFunctionAnswer =
  /** Objects are copied. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly message: string }
  | { readonly kind: keyof typeof FAILURES };

const EXPECTED = 'an object, or null to leave the row out';

const FAILURES = {
  promise: 'a promise',
  endless: 'an object that refers to itself, or has too many levels or values',
  stuck: 'no result after 5 seconds',
  ended: 'process.exit, which ended the thread of the function',
};

/** @param columns the input's, without repeated names; not used for objects */
function rowArgument({ content }: Row, columns: readonly string[]): RowArgument {
  if (!isCells(content)) return content;
  // From entries, so that a column can be called __proto__.
  return Object.fromEntries(columns.map((column, index) => [column, content[index] ?? '']));
}

/** Undefined if the function returned nothing, to skip the row. */
export function transformedRow(row: Row, answer: RowFunctionAnswer): Row | BrokenRow | undefined {
  const failed = (found: string, expected: string): BrokenRow => ({
    position: row.position,
    issue: { code: 'transform', found, expected },
    raw: row.text ?? row.content,
  });
  if (answer.kind === 'threw') return failed(cut(answer.message, FOUND_LIMIT), 'no error');
  if (answer.kind !== 'value') return failed(FAILURES[answer.kind], EXPECTED);
  const { value } = answer;
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return failed(excerpt(value), EXPECTED);
  return { ...row, content: { ...value } };
}

/** The columns of objects: the paths of their leaves, in order of first occurrence. */
export function columnsOfObjects(objects: Iterable<object>): readonly string[] {
  const columns = new Set<string>();
  for (const each of objects) addPaths(each, columns);
  return [...columns];
}
