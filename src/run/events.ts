/** Builds the events of a run from what prepare hands over. Pure; used by uploads and checks. */
import { encodeKeys } from '../history/record-key.ts';
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

export function runStarted(job: RunJob, run: string, time: string): RunStarted {
  return {
    event: 'run.started',
    v: 1,
    time,
    run,
    type: job.contract.type,
    variant: job.variant,
    inputs: job.inputs.map(({ source, textSize }) => ({ name: source.name, size: textSize })),
  };
}

export function runResumed(
  { unsettled, baseUrlChanged }: Pick<ResumeState, 'unsettled' | 'baseUrlChanged'>,
  time: string,
): RunResumed {
  const reopened = [...unsettled.values()].map(({ next: _next, isPart: _isPart, ...batch }) => batch);
  return { event: 'run.resumed', time, reopened, elsewhere: baseUrlChanged === true ? true : undefined };
}

/** Without the values found: those are written to the rejects file only. */
export function rowInvalid({ position, issues }: PreparedInvalid): RowInvalid {
  const causes = issues.map(({ code, field, column }) => ({ code, field, column }));
  return { event: 'row.invalid', ...position, issues: causes };
}

export function rowsSkipped({ kind: _, ...rows }: PreparedSkipped): RowSkipped {
  return { event: 'row.skipped', ...rows };
}

export function rowDuplicate({ position: { source, row, line }, of }: PreparedDuplicate): RowDuplicate {
  return { event: 'row.duplicate', source, row, line, of };
}

/** @param withKeys whether the event holds the keys of the batch's records, for the history */
export function batchSealed(
  { batch, commit, maybeProcessed }: PreparedBatch,
  rejects: BatchSealed['rejects'],
  withKeys: boolean,
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
    maybeProcessed,
    keys: withKeys ? encodeKeys(batch) : undefined,
    ...commit,
  };
}

export function sourceEnded(
  { kind: _, ...end }: PreparedEnd,
  time: string,
  rejects: SourceEnded['rejects'],
): SourceEnded {
  return { event: 'source.ended', time, rejects, ...end };
}
