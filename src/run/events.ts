/**
 * The facts of a run, made from what the prepare half hands over: one small function an event. What a check and an
 * upload record in the same way is said here, once.
 */

import { keysOf } from '../history/record-key.ts';
import type {
  BatchSealed,
  RowDuplicate,
  RowInvalid,
  RowSkipped,
  RunResumed,
  RunStarted,
  SourceEnded,
} from '../model/event.ts';
import type {
  PreparedBatch,
  PreparedDuplicate,
  PreparedEnd,
  PreparedInvalid,
  PreparedSkipped,
} from '../model/prepared.ts';
import type { ResumeState, RunJob } from './job.ts';

export function startOf(job: RunJob, run: string, time: string): RunStarted {
  return {
    event: 'run.started',
    v: 1,
    time,
    run,
    type: job.contract.type,
    ...(job.variant === undefined ? {} : { variant: job.variant }),
    inputs: job.inputs.map(({ source, textSize }) => ({
      name: source.name,
      ...(textSize === undefined ? {} : { size: textSize }),
    })),
  };
}

export function resumptionOf(
  { unsettled, baseUrlChanged }: Pick<ResumeState, 'unsettled' | 'baseUrlChanged'>,
  time: string,
): RunResumed {
  const reopened = [...unsettled.values()].map(({ next: _, ...batch }) => batch);
  return { event: 'run.resumed', time, reopened, ...(baseUrlChanged === true ? { elsewhere: true } : {}) };
}

/** The values found are left out: they stand in the rejects file and nowhere else. */
export function invalidOf({ position, issues }: PreparedInvalid): RowInvalid {
  const causes = issues.map(({ code, field, column }) => ({
    code,
    ...(field === undefined ? {} : { field }),
    ...(column === undefined ? {} : { column }),
  }));
  return { event: 'row.invalid', ...position, issues: causes };
}

export function skippedOf({ kind: _, ...stretch }: PreparedSkipped): RowSkipped {
  return { event: 'row.skipped', ...stretch };
}

export function duplicateOf({ position: { source, row, line }, of }: PreparedDuplicate): RowDuplicate {
  return { event: 'row.duplicate', source, row, line, of };
}

/** @param keys whether somebody will ask for the keys of its records */
export function sealedOf(
  { batch, commit, maybeProcessed }: PreparedBatch,
  rejects: BatchSealed['rejects'],
  keys: boolean,
): BatchSealed {
  const { id, digest, records, ranges, payload } = batch;
  return {
    event: 'batch.sealed',
    batch: id,
    digest,
    records,
    bytes: payload.byteLength,
    ranges,
    rejects,
    ...(maybeProcessed === undefined ? {} : { maybeProcessed }),
    ...(keys ? { keys: keysOf(batch) } : {}),
    ...commit,
  };
}

export function endedOf(
  { kind: _, ...end }: PreparedEnd,
  time: string,
  rejects: SourceEnded['rejects'],
): SourceEnded {
  return { event: 'source.ended', time, rejects, ...end };
}
