/** The log of requests: in memory, and as NDJSON in the append-only file of `--log`. */
import { openSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { createLineFile } from './line-file.ts';
import type { LoggedRequest } from './logged-request.ts';

export interface RequestLog {
  /** Returns when the line is in the file, so that it precedes the answer. Throws if it cannot be written. */
  add(request: LoggedRequest): void;
  /** Adds a request of an earlier sandbox, in memory only. */
  restore(request: LoggedRequest): void;
  /** In order of arrival. The file is in the order of the answers. */
  requests(): readonly LoggedRequest[];
  /** Empties the memory; the file keeps its lines. */
  clear(): void;
  close(): void;
}

/** @throws ProblemError `sandbox.log` if the file cannot be opened */
export function openRequestLog(path: string | undefined): RequestLog {
  const file = path === undefined ? undefined : createLineFile(open(path), 'log');
  let requests: LoggedRequest[] = [];
  return {
    add(request) {
      file?.add(JSON.stringify(request));
      requests.push(request);
    },
    restore(request) {
      requests.push(request);
    },
    requests: () => requests.toSorted((a, b) => a.n - b.n),
    clear() {
      requests = [];
    },
    close() {
      file?.close();
    },
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new ProblemError({
      code: 'sandbox.log',
      message: `The sandbox cannot write its log: ${messageOf(error)}.`,
      where: path,
      hint: 'Name a file in an existing folder that you can write to.',
    });
  }
}
