/** The log of requests: facts in memory, and as NDJSON in a file that is only ever appended to. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { ProblemError } from '../model/problem.ts';
import { messageOf } from '../model/text.ts';
import type { RequestFact } from './facts.ts';

export interface Log {
  /** Returns when the line is in the file, so that a fact is there before its answer is. */
  add(fact: RequestFact): void;
  /** Takes up a fact of an earlier sandbox, in memory alone. */
  restore(fact: RequestFact): void;
  /** In the order of arrival. Facts come in the order in which they are decided, in memory and in the file. */
  facts(): readonly RequestFact[];
  /** Empties the memory; the file stays as it is. */
  forget(): void;
  close(): void;
}

/** @throws ProblemError `sandbox.log` where the file cannot be opened. */
export function openLog(path: string | undefined): Log {
  const file = path === undefined ? undefined : open(path);
  let facts: RequestFact[] = [];
  return {
    add(fact) {
      if (file !== undefined) writeWhole(file, `${JSON.stringify(fact)}\n`);
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
      if (file !== undefined) closeSync(file);
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

/** A write may take only a part of the bytes, on a disk that is nearly full for instance. */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
