/**
 * The files of `--log` and `--state`. The state file, from which the next sandbox restores everything, is append-only
 * NDJSON: one line per request, and one per reset. A line is written before the request is answered, so after kill -9 the
 * file contains every batch with a receipt; a power cut may lose the last lines. A torn last line is removed.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { LoggedRequest } from './logged-request.ts';
import { isObject } from './read-elements.ts';
import type { StoredRecord } from './stored-record.ts';

/** A line of the state file. Its keys are the file format, so they do not follow the names in the code. */
export type StateLine =
  | {
      readonly v: 1;
      readonly fact: LoggedRequest;
      readonly keys?: readonly string[];
      readonly entries?: readonly StoredRecord[];
    }
  | { readonly v: 1; readonly reset: true };

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
    const bytes = Buffer.from(`${line}\n`);
    let written = 0;
    try {
      // A write may be partial, for instance on a disk that is nearly full.
      while (written < bytes.length) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      this.#failed = new Error(`its ${this.#name} file cannot be written (${messageOf(error)})`);
      if (written > 0) ftruncateSync(this.#file, fstatSync(this.#file).size - written);
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
 * Lock files of this process. In containers every process may have the same pid, so the pid in a lock that a killed sandbox
 * left does not identify its owner.
 */
const ownLocks = new Set<string>();

/** Bytes per read. */
const BLOCK = 1024 * 1024;

export class StateFile {
  readonly #lock: string;
  readonly #lines: LineFile;

  /**
   * Opens or creates the file and calls `restore` with each line.
   *
   * @throws ProblemError `sandbox.state` if it cannot be opened, is not a state file, or another sandbox uses it
   */
  constructor(path: string, restore: (line: StateLine) => void) {
    this.#lock = `${resolve(path)}.lock`;
    lockFor(path, this.#lock);
    let file: number | undefined;
    try {
      file = openSync(path, 'a+', 0o600);
      const end = readLines(file, path, restore);
      if (end < fstatSync(file).size) ftruncateSync(file, end);
    } catch (error) {
      if (file !== undefined) closeSync(file);
      this.#unlock();
      throw error instanceof ProblemError ? error : unusable(path, messageOf(error));
    }
    this.#lines = new LineFile(file, 'state');
  }

  /** @param records as lines, see recordLine in record-store.ts */
  add(request: LoggedRequest, keys: readonly string[], records: readonly string[]): void {
    const rest = records.length === 0 ? '' : `,"keys":${JSON.stringify(keys)},"entries":[${records.join(',')}]`;
    this.#lines.add(`{"v":1,"fact":${JSON.stringify(request)}${rest}}`);
  }

  reset(): void {
    this.#lines.add('{"v":1,"reset":true}');
  }

  close(): void {
    this.#lines.close();
    this.#unlock();
  }

  #unlock(): void {
    unlinkSync(this.#lock);
    ownLocks.delete(this.#lock);
  }
}

/** Reads every complete line. Returns the offset after the last one, in bytes. */
function readLines(file: number, path: string, restore: (line: StateLine) => void): number {
  const block = Buffer.alloc(BLOCK);
  let parts: Buffer[] = [];
  let [offset, end, number] = [0, 0, 0];
  for (;;) {
    const count = readSync(file, block, 0, BLOCK, offset);
    if (count === 0) return end;
    let from = 0;
    for (;;) {
      const newline = block.subarray(0, count).indexOf(0x0a, from);
      if (newline === -1) break;
      parts.push(Buffer.from(block.subarray(from, newline)));
      number += 1;
      restore(parse(Buffer.concat(parts).toString('utf8'), path, number));
      parts = [];
      from = newline + 1;
      end = offset + from;
    }
    parts.push(Buffer.from(block.subarray(from, count)));
    offset += count;
  }
}

function parse(text: string, path: string, number: number): StateLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (!isObject(value) || value['v'] !== 1 || !('fact' in value || 'reset' in value)) {
    throw unusable(`${path}:${number}`, 'this line does not belong to a state file');
  }
  // Only this module writes complete lines with these keys.
  return value as unknown as StateLine;
}

/** Two sandboxes with one file would each miss the other's batches. */
function lockFor(path: string, lock: string): void {
  for (const isRetry of [false, true]) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      ownLocks.add(lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, messageOf(error));
    }
    if (isRetry || isHeld(lock)) break;
    // The sandbox that held it was killed.
    unlinkSync(lock);
  }
  throw new ProblemError({
    code: 'sandbox.state',
    message: 'Another sandbox uses this state file.',
    where: path,
    hint: `Stop that sandbox first. If none is running, remove ${lock}.`,
  });
}

function isHeld(lock: string): boolean {
  const pid = Number(readFileSync(lock, 'utf8'));
  if (pid === process.pid) return ownLocks.has(lock);
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is running, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function unusable(where: string, why: string): ProblemError {
  return new ProblemError({
    code: 'sandbox.state',
    message: `The state file cannot be used: ${why}.`,
    where,
    hint: 'Name a new file, or one that a sandbox wrote, in a folder that you can write to.',
  });
}
