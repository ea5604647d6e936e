// @ts-check
/**
 * The worker thread of row-function-worker.ts: loads the module of `--transform` and calls its default export with each row.
 * JavaScript, because a worker cannot load TypeScript in Node 20; it is an entry of the bundle.
 */
import { parentPort, workerData } from 'node:worker_threads';

/** @typedef {{ readonly url: string, readonly started: SharedArrayBuffer }} ThreadData the module, and a counter of started rows */

const MAX_DEPTH = 32;
const MAX_VALUES = 100_000;

const { url, started } = /** @type {ThreadData} */ (workerData);
const counter = new Int32Array(started);

process.on('unhandledRejection', report);
process.on('uncaughtException', report);

try {
  const { default: transform } = await import(url);
  parentPort?.on('message', (rows) => {
    parentPort?.postMessage(rows.map((/** @type {unknown} */ row) => answer(transform, row)));
  });
  parentPort?.postMessage({ exports: clauseOf(transform) });
} catch (error) {
  parentPort?.postMessage({ error: error instanceof Error ? error.message : textOf(error) });
}

/**
 * @param {(row: unknown) => any} transform
 * @param {unknown} row
 * @returns {import('./row-function-worker.ts').RowFunctionAnswer}
 */
function answer(transform, row) {
  Atomics.add(counter, 0, 1);
  try {
    const result = transform(row);
    if (typeof result?.then === 'function') {
      Promise.resolve(result).catch(() => undefined);
      return { kind: 'promise' };
    }
    // Copied here, where an error of a getter counts as the function's.
    const value = typeof result === 'object' && result !== null && !Array.isArray(result) ? { ...result } : result;
    if (isEndless(value)) return { kind: 'endless' };
    return { kind: 'value', value: structuredClone(value) };
  } catch (error) {
    return { kind: 'threw', message: textOf(error) };
  }
}

/**
 * Whether a value refers to itself, or is too large to be a row.
 *
 * @param {unknown} value
 */
function isEndless(value) {
  let values = 0;
  /** @type {(each: unknown, depth: number) => boolean} */
  const visit = (each, depth) => {
    if (typeof each !== 'object' || each === null) return false;
    values += 1;
    return depth > MAX_DEPTH || values > MAX_VALUES || Object.values(each).some((child) => visit(child, depth + 1));
  };
  return visit(value, 1);
}

/**
 * What the module exports, for a message.
 *
 * @param {unknown} value
 */
function clauseOf(value) {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
}

/** @param {unknown} error */
function report(error) {
  process.stderr.write(`${textOf(error)}\n`);
}

/** @param {unknown} error */
function textOf(error) {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'an error without a message';
  }
}
