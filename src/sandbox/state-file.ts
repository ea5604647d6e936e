/**
 * The files of `--log` and `--state`: append-only lines of JSON. The next sandbox restores everything from the state file:
 * one line per request, and one per reset. A line is written before the request is answered, so after kill -9 the
 * file contains every batch with a receipt; a power cut may lose the last lines. An incomplete last line is removed.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import type { StoredRecord } from './effects.ts';
import type { effectOf } from './fault.ts';

/**
 * A line of the log and of `GET /sandbox/requests`. It contains no record, no header and no query, so never the key.
 * Requests to `/sandbox/…` are not logged.
 */
export interface LoggedRequest {
  /** Number of the request since the start, from 1, in order of arrival. */
  readonly n: number;
  /** When its headers had arrived: ISO 8601, UTC. */
  readonly time: string;
  /** The same moment in milliseconds on a monotonic clock. Compare only within one process. */
  readonly at: number;
  readonly method: string;
  /** Without the query, cut at {@link PATH_LIMIT} characters. */
  readonly path: string;
  /** Status of the answer; null if no answer is sent. */
  readonly status: number | null;
  /** Absent if the path is not one of the service's. */
  readonly type?: RecordType | undefined;
  /** Elements of the request's array; 0 if no array was read. */
  readonly records: number;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
  /** Whether the batch was processed. A processed batch may still get no answer, see {@link InjectedFault}. */
  readonly processed: boolean;
  readonly batchId?: string | undefined;
  readonly accepted?: number | undefined;
  readonly deduplicated?: number | undefined;
  readonly rejected?: number | undefined;
  readonly promoted?: number | undefined;
  /** XXH64 of the body, as in the uploader's journal. Absent if the body was incomplete or too large. */
  readonly digest?: string | undefined;
  /** The injected fault. */
  readonly fault?: ReturnType<typeof effectOf>['kind'] | undefined;
}

/** Maximum length of a logged path, in characters. */
export const PATH_LIMIT = 200;

// XXHEADER The files of `--log` and `--state`. The state file, from which the next sandbox restores everything, is append-only  NDJSON: one line per request, and one per reset. A line is written before the request is answered, so after kill -9 the  file contains every batch with a receipt; a power cut may lose the last lines. A torn last line is removed.

/** A line of the state file. */
export type StateLine =
  | {
      readonly v: 1;
      readonly request: LoggedRequest;
      readonly keys: readonly string[];
      readonly records: readonly StoredRecord[];
    }
  | { readonly v: 1; readonly reset: true };

/** @param records as lines, see recordLine in store.ts */
export function stateLine(request: LoggedRequest, keys: readonly string[], records: readonly string[]): string {
  return `{"v":1,"request":${JSON.stringify(request)},"keys":${JSON.stringify(keys)},"records":[${records.join(',')}]}`;
}

export const RESET_LINE = JSON.stringify({ v: 1, reset: true } satisfies StateLine);

/**
 * An append-only file of lines. A line that cannot be written completely is removed, and every later write fails: the
 * memory is then ahead of the file, so no more receipts may be given.
 */
export class LineFile {
  readonly #file: number;
  readonly #name: string;
  #failed: Error | undefined;

  /**
   * @param file a descriptor opened for appending
   * @param name what the file is, for the error: "state", "log"
   */
  constructor(file: number, name: string) {
    this.#file = file;
    this.#name = name;
  }

  /**
   * Returns when the line is handed to the operating system.
   *
   * @throws Error if this or an earlier line could not be written
   */
  add(line: string): void {
    if (this.#failed !== undefined) throw this.#failed;
    const { size } = fstatSync(this.#file);
    try {
      writeFileSync(this.#file, `${line}\n`);
    } catch (error) {
      this.#failed = new Error(`its ${this.#name} file cannot be written (${messageOf(error)})`);
      ftruncateSync(this.#file, size);
      throw this.#failed;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** @throws ProblemError `sandbox.log` if the file cannot be opened */
export function openLog(path: string): LineFile {
  try {
    return new LineFile(openSync(path, 'a', 0o600), 'log');
  } catch (error) {
    throw new ProblemError({
      code: 'sandbox.log',
      message: `The sandbox cannot write its log: ${messageOf(error)}.`,
      where: path,
      hint: 'Name a file in an existing folder that you can write to.',
    });
  }
}

/**
 * Opens or creates the state file and calls `restore` with each line. One sandbox at a time may use a file.
 *
 * @throws ProblemError `sandbox.state` if it cannot be opened, or is not a state file
 */
export function openState(path: string, restore: (line: StateLine) => void): LineFile {
  let file: number | undefined;
  try {
    file = openSync(path, 'a+', 0o600);
    const bytes = readFileSync(path);
    let start = 0;
    let number = 0;
    for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
      number += 1;
      restore(parseLine(bytes.toString('utf8', start, end), `${path}:${number}`));
      start = end + 1;
    }
    if (start < bytes.length) ftruncateSync(file, start);
    return new LineFile(file, 'state');
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw error instanceof ProblemError ? error : unusable(path, messageOf(error));
  }
}

function parseLine(text: string, where: string): StateLine {
  let line: StateLine | undefined;
  try {
    line = JSON.parse(text);
  } catch {
    // Reported below.
  }
  // Only this module writes complete lines with these keys.
  if (line?.v === 1 && ('request' in line || 'reset' in line)) return line;
  throw unusable(where, 'this line does not belong to a state file');
}

function unusable(where: string, why: string): ProblemError {
  return new ProblemError({
    code: 'sandbox.state',
    message: `The state file cannot be used: ${why}.`,
    where,
    hint: 'Name a new file, or one that a sandbox wrote, in a folder that you can write to.',
  });
}
