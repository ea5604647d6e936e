/** Builds the events of a run from what prepare hands over. Pure; used by uploads and checks. */
import { cut } from '../lib/text.ts';
import type { BatchSealed, RunEvent, RunStarted } from '../model/event.ts';
import type { Prepared, PreparedRebuilt } from '../model/prepared.ts';
import type { RunJob } from './job.ts';

/** Characters of a value in the journal: what a summary shows of it. */
const FOUND_LENGTH = 40;

export function runStarted(job: RunJob, run: string, time: string): RunStarted {
  return {
    event: 'run.started',
    v: 1,
    time,
    run,
    type: job.contract.type,
    variant: job.variant,
    shard: job.shard && { index: job.shard.index, of: job.shard.of },
    inputs: job.inputs.map(({ source, textSize }) => ({ name: source.name, size: textSize })),
  };
}

/** @param rejects lengths of the rejects files */
export function eventOf(
  item: Exclude<Prepared, PreparedRebuilt>,
  time: string,
  rejects: BatchSealed['rejects'],
): RunEvent {
  switch (item.kind) {
    case 'invalid': {
      const issues = item.issues.map(({ code, field, column, found }) => {
        return { code, field, column, found: found && cut(found, FOUND_LENGTH) };
      });
      return { event: 'row.invalid', ...item.position, issues };
    }
    case 'skipped': {
      const { kind: _, ...rows } = item;
      return { event: 'row.skipped', ...rows };
    }
    case 'duplicate': {
      const { source, row, line } = item.position;
      return { event: 'row.duplicate', source, row, line, of: item.of };
    }
    case 'batch': {
      const { id, digest, records, ranges, payload } = item.batch;
      return {
        event: 'batch.sealed',
        batch: id,
        digest,
        records,
        bytes: payload.byteLength,
        ranges,
        rejects,
        keys: item.keys,
        ...item.commit,
      };
    }
    case 'end': {
      const { kind: _, ...end } = item;
      return { event: 'source.ended', time, rejects, ...end };
    }
  }
}
