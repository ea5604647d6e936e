/**
 * The file of `--state`, from which the next sandbox restores everything. Append-only NDJSON: one line per request, and one
 * per reset. A line is written before the request is answered, so after kill -9 the file contains every batch with a
 * receipt; a power cut may lose the last lines. A torn last line is removed.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { createLineFile } from './line-file.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { StoredRecord } from './stored-record.ts';

/** One line. Its keys are the file format, so they do not follow the names in the code. */
export type StateLine =
  | {
      readonly v: 1;
      readonly fact: LoggedRequest;
      readonly keys?: readonly string[];
      readonly entries?: readonly StoredRecord[];
    }
  | { readonly v: 1; readonly reset: true };

export interface State {
  /** @param records as lines, see recordLine in record-store.ts */
  add(request: LoggedRequest, keys: readonly string[], records: readonly string[]): void;
  reset(): void;
  close(): void;
}

/**
 * Lock files of this process. In containers every process may have the same pid, so the pid in a lock that a killed sandbox
 * left does not identify its owner.
 */
const ownLocks = new Set<string>();

/** Bytes per read. */
const BLOCK = 1024 * 1024;

/**
 * Opens or creates the file and calls `restore` with each line.
 *
 * @throws ProblemError `sandbox.state` if it cannot be opened, is not a state file, or another sandbox uses it
 */
export function openState(path: string, restore: (line: StateLine) => void): State {
  const lock = `${resolve(path)}.lock`;
  lockFor(path, lock);
  let file: number | undefined;
  try {
    file = openSync(path, 'a+', 0o600);
    const end = readLines(file, path, restore);
    if (end < fstatSync(file).size) ftruncateSync(file, end);
    return writer(file, lock);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    unlock(lock);
    throw error instanceof ProblemError ? error : unusable(path, messageOf(error));
  }
}

function writer(file: number, lock: string): State {
  const lines = createLineFile(file, 'state');
  return {
    add(request, keys, records) {
      const rest = records.length === 0 ? '' : `,"keys":${JSON.stringify(keys)},"entries":[${records.join(',')}]`;
      lines.add(`{"v":1,"fact":${JSON.stringify(request)}${rest}}`);
    },
    reset: () => lines.add('{"v":1,"reset":true}'),
    close() {
      lines.close();
      unlock(lock);
    },
  };
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
    value = undefined;
  }
  const known =
    typeof value === 'object' &&
    value !== null &&
    'v' in value &&
    value.v === 1 &&
    ('fact' in value || 'reset' in value);
  if (!known) throw unusable(`${path}:${number}`, 'this line does not belong to a state file');
  // Only this module writes complete lines with these keys.
  return value as StateLine;
}

/** Two sandboxes with one file would each miss the other's batches. */
function lockFor(path: string, lock: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = openSync(lock, 'wx', 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      ownLocks.add(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
        throw unusable(path, messageOf(error));
      }
      const pid = Number(readFileSync(lock, 'utf8'));
      if (pid === process.pid ? ownLocks.has(lock) : isRunning(pid)) break;
      // The sandbox that held it was killed.
      unlinkSync(lock);
    }
  }
  throw new ProblemError({
    code: 'sandbox.state',
    message: 'Another sandbox uses this state file.',
    where: path,
    hint: `Stop that sandbox first. If none is running, remove ${lock}.`,
  });
}

function unlock(lock: string): void {
  unlinkSync(lock);
  ownLocks.delete(lock);
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is running, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
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
