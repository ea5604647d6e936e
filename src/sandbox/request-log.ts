/** The log of requests: facts in memory, and as NDJSON in a file that is only ever appended to. */
import { openSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { createLineFile } from './line-file.ts';
import type { LoggedRequest } from './logged-request.ts';

export interface RequestLog {
  /** Returns when the line is in the file, so that a fact is there before its answer is; throws where it cannot be. */
  add(fact: LoggedRequest): void;
  /** Takes up a fact of an earlier sandbox, in memory alone. */
  restore(fact: LoggedRequest): void;
  /** In the order of arrival. Facts come in the order in which they are decided, in memory and in the file. */
  facts(): readonly LoggedRequest[];
  /** Empties the memory; the file stays as it is. */
  forget(): void;
  close(): void;
}

/** @throws ProblemError `sandbox.log` where the file cannot be opened. */
export function openRequestLog(path: string | undefined): RequestLog {
  const lines = path === undefined ? undefined : createLineFile(open(path), 'log');
  let facts: LoggedRequest[] = [];
  return {
    add(fact) {
      lines?.add(JSON.stringify(fact));
      facts.push(fact);
    },
    restore(fact) {
      facts.push(fact);
    },
    facts: () => facts.toSorted((a, b) => a.n - b.n),
    forget() {
      facts = [];
    },
    close() {
      lines?.close();
    },
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new ProblemError({
      code: 'sandbox.log',
      message: `The log of the sandbox cannot be written: ${messageOf(error)}.`,
      where: path,
      hint: 'Name a file in a folder that exists and that you may write to.',
    });
  }
}
