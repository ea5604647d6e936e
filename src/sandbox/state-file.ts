/**
 * The file of `--state`: what a sandbox received, so that the next one goes on from there. NDJSON, only ever
 * appended to: one line for each request, and one for each reset. A line is written before the request is answered,
 * so after kill -9 the file holds every batch that a client has a receipt for. (It is handed to the operating
 * system and not forced onto the disk: a power cut may take the last lines.) A last line without its end is a write
 * that was cut off; it is taken away.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { createLineFile } from './line-file.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { StoredRecord } from './stored-record.ts';

/** One line. */
export type StateLine =
  | {
      readonly v: 1;
      readonly fact: LoggedRequest;
      readonly keys?: readonly string[];
      readonly entries?: readonly StoredRecord[];
    }
  | { readonly v: 1; readonly reset: true };

export interface State {
  /** @param entries as texts (see entryText in memory.ts) */
  add(fact: LoggedRequest, keys: readonly string[], entries: readonly string[]): void;
  reset(): void;
  close(): void;
}

/**
 * Lock files of this process. In a container every process may have the same number, so that the one in a lock that
 * a killed sandbox left says nothing by itself.
 */
const held = new Set<string>();

/** Bytes that are read at a time. */
const BLOCK = 1024 * 1024;

/**
 * Opens the file, or makes it, and hands every line of it to `take`.
 *
 * @throws ProblemError `sandbox.state` where it cannot be opened, is no state file, or another sandbox has it
 */
export function openState(path: string, take: (line: StateLine) => void): State {
  const lock = `${resolve(path)}.lock`;
  lockFor(path, lock);
  let file: number | undefined;
  try {
    file = openSync(path, 'a+', 0o600);
    const end = replay(file, path, take);
    if (end < fstatSync(file).size) ftruncateSync(file, end);
    return writer(file, lock);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    unlock(lock);
    throw error instanceof ProblemError ? error : refusal(path, messageOf(error));
  }
}

function writer(file: number, lock: string): State {
  const lines = createLineFile(file, 'state');
  return {
    add(fact, keys, entries) {
      const more =
        entries.length === 0 ? '' : `,"keys":${JSON.stringify(keys)},"entries":[${entries.join(',')}]`;
      lines.add(`{"v":1,"fact":${JSON.stringify(fact)}${more}}`);
    },
    reset: () => lines.add('{"v":1,"reset":true}'),
    close() {
      lines.close();
      unlock(lock);
    },
  };
}

/** Reads every whole line. Returns the offset behind the last one, in bytes. */
function replay(file: number, path: string, take: (line: StateLine) => void): number {
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
      take(parse(Buffer.concat(parts).toString('utf8'), path, number));
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
  if (!known) throw refusal(`${path}:${number}`, 'this line is none of a state file');
  // Nobody but this module writes these lines, and it stands above that this one is whole.
  return value as StateLine;
}

/** One sandbox a file: two would each miss what the other one takes in. */
function lockFor(path: string, lock: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = openSync(lock, 'wx', 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      held.add(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
        throw refusal(path, messageOf(error));
      }
      const pid = Number(readFileSync(lock, 'utf8'));
      if (pid === process.pid ? held.has(lock) : isRunning(pid)) break;
      // Its owner was killed.
      unlinkSync(lock);
    }
  }
  throw new ProblemError({
    code: 'sandbox.state',
    message: 'Another sandbox keeps its state in this file.',
    where: path,
    hint: `End that one first. If none runs, remove ${lock}.`,
  });
}

function unlock(lock: string): void {
  unlinkSync(lock);
  held.delete(lock);
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user, and so there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function refusal(where: string, why: string): ProblemError {
  return new ProblemError({
    code: 'sandbox.state',
    message: `The state of the sandbox cannot be used: ${why}.`,
    where,
    hint: 'Name another file, or one that a sandbox wrote, in a folder that you may write to.',
  });
}
