/**
 * What results.csv and summary.json know of the end of a journal. They are written after it, so they know more only if a copy, a
 * disk or a power cut has lost its last lines. Such a journal must not be resumed: its run has sent more than it says.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { once } from '../lib/resources.ts';
import { parseJson } from '../lib/text.ts';
import type { RunEvent } from '../model/event.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import { batchesInFlight } from './batch-reducer.ts';
import { readPart, readTextFile } from './file-system.ts';

const TAIL_BYTES = 256 * 1024;

/** Time and batch at the start of a line of results.csv. A spreadsheet may have saved it with other delimiters. */
const SETTLED = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)[,;\t](\d+(?:\.\d+)*)[,;\t]/gm;

const summarySchema = once(() => z.object({ batches: z.object({ sealed: z.int(), delivered: z.int() }) }));

export class RecordedEnd {
  readonly #folder: string;
  /** The batch of the last line of results.csv, and when it was settled. */
  readonly #last: { readonly time: string; readonly batch: string } | undefined;
  readonly #batches: { sealed: number; readonly delivered: number };
  #hasLast: boolean;

  /** Reads what is known. Create it before the journal is read: a process may be working on the run. */
  constructor(folder: string) {
    this.#folder = folder;
    const [, time, batch] = [...tailOf(path.join(folder, 'results.csv')).matchAll(SETTLED)].at(-1) ?? [];
    this.#last = time === undefined || batch === undefined ? undefined : { time, batch };
    this.#hasLast = this.#last === undefined;
    const summary = summarySchema().safeParse(parseJson(readTextFile(path.join(folder, 'summary.json')) ?? ''));
    this.#batches = summary.data?.batches ?? { sealed: 0, delivered: 0 };
  }

  apply(event: RunEvent): void {
    const { time, batch } = this.#last ?? {};
    this.#hasLast ||= event.event === 'batch.settled' && event.time === time && event.batch === batch;
    // Other runs have sent all of its records since.
    if (event.event === 'batch.reduced' && event.records === 0) this.#batches.sealed -= 1;
  }

  /** @param runState after the last event. @throws ProblemError `journal.behind` */
  assertReached(runState?: RunState): void {
    if (!this.#hasLast) throw behind(this.#folder, `results.csv has a later result, of batch ${this.#last?.batch}`);
    const { sealed, delivered, unknown } = runState?.batches ?? { sealed: 0, delivered: 0, unknown: 0 };
    // If an answer could not be journalled, only the summary has it. The journal then has the batch in flight.
    const inFlight = runState === undefined ? 0 : batchesInFlight(runState.undelivered).length;
    if (this.#batches.sealed > sealed || this.#batches.delivered > delivered + unknown + inFlight)
      throw behind(this.#folder, 'summary.json counts more batches');
  }
}

function tailOf(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === undefined ? '' : readPart(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES).toString();
}

function behind(folder: string, evidence: string): ProblemError {
  return new ProblemError({
    code: 'journal.behind',
    message: `The last lines of the journal are lost: ${evidence}. The run has sent more than its journal says. Nothing was sent.`,
    where: path.join(folder, 'journal.ndjson'),
    hint: 'Copy or restore the folder again. results.csv lists what was delivered. To send the rest, and part of it twice, resume with --again.',
  });
}
