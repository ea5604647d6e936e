/**
 * The events of a run (docs/internals/architecture.md, "The journal comes first"). Each is a line of its journal, and the schemas are
 * published (`signals schema journal`). An event is written to the journal before the run state, the progress display, the
 * results log and the summary receive it.
 */
import { z } from 'zod';
import { type Commit, commit, shard } from './batch.ts';
import { failure, outcome, receipt, stop } from './outcome.ts';
import { recordType, variant } from './record.ts';
import { type Data, issueCode, position, rowPlace, rowRange } from './row.ts';

const time = z.iso.datetime().describe('ISO 8601, UTC');
const batch = z.string().describe('1, 2, …; the parts of the split batch 12 are 12.1 and 12.2');
const records = z.int();
const bytes = z.int().describe('Size of the request body');
const ranges = z.array(rowRange);
const ms = z.number();
const status = z.int().optional().describe('HTTP status; absent if no answer came');
const rejects = z
  .record(z.string(), z.int())
  .describe("Bytes of each input's rejects file at this point, by source index");

function event<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return z.object({ event: z.literal(name), ...shape });
}

export const input = z.object({
  name: z.string().describe('The path as the user gave it, or stdin'),
  size: z.int().optional().describe('Bytes of its text, as positions count them. Absent if unknown before the end'),
});

/** One input of a run, as of its start. */
export type RunInput = Data<typeof input>;

const rowSkipped = event('row.skipped', {
  source: z.int(),
  firstRow: z.int(),
  lastRow: z.int(),
  firstLine: z.int(),
  lastLine: z.int(),
  why: z.enum(['skip', 'limit', 'transform', 'delivered', 'unknown']).describe('The last two: in an earlier run'),
  by: z.string().optional().describe('The earlier run'),
}).describe('Consecutive rows that are not sent by an option, or because an earlier run has sent them');

export type RowSkipped = Data<typeof rowSkipped>;

const sealed = { batch, digest: z.string(), records, bytes, ranges };

const sealedPart = z.object({
  ...sealed,
  maybeProcessed: z.literal(true).optional().describe('The service may have processed the whole batch'),
});

export type SealedPart = Data<typeof sealedPart>;

export const batchSplit = event('batch.split', {
  time,
  batch,
  attempts: z.int().describe('Attempts of the batch itself; 0 if a smaller batch was refused as too large before'),
  status,
  error: z.string().describe("The service's error"),
  parts: z.array(sealedPart).describe('In the order of the rows'),
}).describe('A batch was replaced by two parts. One event seals both, so that a crash cannot leave half a batch');

export type BatchSplit = Data<typeof batchSplit>;

export const attemptFailed = event('attempt.failed', {
  time,
  batch,
  attempt: z.int().describe('From 1'),
  ms,
  status,
  error: z.string().describe('What happened, in a few words: ECONNREFUSED, HTTP 503'),
  maybeProcessed: z.boolean().describe('The service may have processed the batch, in this attempt or before'),
  next: z
    .enum(['retry', 'wait', 'split', 'settle', 'stop'])
    .describe('A retry, a pause of all sending, the parts, or the end of the batch or of the run'),
  afterMs: z.number().optional(),
});

export type AttemptFailed = Data<typeof attemptFailed>;

export const batchSettled = event('batch.settled', {
  time,
  batch,
  outcome,
  attempts: z.int(),
  ms: ms.describe('From the start of the first attempt to the last answer'),
  status,
  receipt: receipt.optional(),
  unaccounted: z.int().describe("Records missing from the receipt's counts; negative if it counts too many"),
  error: z.string().optional(),
});

export type BatchSettled = Data<typeof batchSettled>;

export const throttleChanged = event('throttle.changed', {
  time,
  state: z
    .enum(['paused', 'limited'])
    .describe('paused: all sending waits for ms, or until an attempt starts. limited: at most concurrency requests'),
  ms: ms.optional(),
  giveUpMs: ms.optional().describe('In an outage: the run stops if it lasts this much longer'),
  concurrency: z.int().optional().describe('Absent if it is --concurrency again'),
  why: z.string().optional(),
});

export type ThrottleChanged = Data<typeof throttleChanged>;

export const sourceEnded = event('source.ended', {
  time,
  source: z.int(),
  bytes: z.int(),
  digest: z.string().describe("Digest of the input's bytes"),
  rows: z.int(),
  commit: commit.optional().describe('Accounts for the rows after the last sealed batch, unless an open batch will'),
  rejects,
});

export type SourceEnded = Data<typeof sourceEnded>;

export const endState = z
  .enum(['complete', 'stopped', 'interrupted'])
  .describe('complete: all rows read, no batch pending. stopped: by an error. interrupted: by a process signal');

export type EndState = z.infer<typeof endState>;

/** All of them. Made when a journal is read. */
export const runEvents = () =>
  [
    event('run.started', {
      v: z.literal(1).describe("Version of the journal's line format"),
      time,
      run: z.string(),
      type: recordType,
      variant: variant.optional(),
      shard: shard.optional(),
      inputs: z.array(input),
    }),
    event('run.resumed', {
      time,
      baseUrl: z.string().describe('Where the run sends from now on'),
    }).describe('A process works on the run again, after a stop, an interruption, a kill, or to send what is left'),
    event('run.handed_over', {
      time,
      to: z.string().describe('Path of the archive; in a copy to look at, of the run folder'),
      copy: z.literal(true).optional().describe('This folder is a copy to look at'),
    }).describe('Nothing more may be sent from this folder: only what `to` names may send'),
    event('row.invalid', {
      ...position.shape,
      issues: z
        .array(
          z.object({
            code: issueCode,
            field: z.string().optional(),
            column: z.string().optional(),
            found: z.string().optional().describe('The start of the value found'),
          }),
        )
        .describe('The rejects file has the whole values, and what was expected'),
    }),
    rowSkipped,
    event('row.duplicate', {
      ...position.pick({ source: true, row: true, line: true }).shape,
      of: rowPlace.describe('The first row with that record'),
    }).describe('A row whose record is the same as that of an earlier row of the run (--dedupe)'),
    event('batch.sealed', {
      ...commit.shape,
      ...sealed,
      rejects,
      keys: z.string().optional().describe('The keys of its records in their order: 12 bytes each, as base64'),
    }),
    event('batch.reopened', {
      time,
      batch,
      from: failure,
      why: z.enum(['resume', 'resume --unknown', 'resume --refused']),
    }).describe('A settled batch is pending again, because it is about to be sent again'),
    event('batch.reduced', {
      ...sealed,
      time,
      keys: z.string(),
      skipped: z.array(rowSkipped.omit({ event: true })).describe('The rows that are no longer in it'),
    }).describe('Before a batch was sent, records were taken out of it that another run has sent meanwhile'),
    batchSplit,
    event('attempt.started', {
      time,
      batch,
      attempt: z.int().describe('From 1'),
      bytes,
    }),
    attemptFailed,
    batchSettled,
    throttleChanged,
    event('source.spooled', { time, source: z.int(), bytes: z.int() }).describe('A pipe was copied up to its end'),
    event('source.grown', { time, source: z.int(), bytes: z.int() }).describe('An input became longer: its new size'),
    sourceEnded,
    event('run.ended', {
      time,
      state: endState,
      stop: stop.optional(),
      putBack: z.array(z.string()).describe('Exhausted batches that are pending again after an outage'),
      rejects: rejects.optional().describe('With their refused rows. Absent if these are not in them'),
    }),
  ] as const;

export type RunEvent = Data<ReturnType<typeof runEvents>[number]>;

export type EventOf<Name extends RunEvent['event']> = Extract<RunEvent, { readonly event: Name }>;

/** What an event accounts for. Undefined if it is no step of the accounting. */
export function commitOf(event: RunEvent): Commit | undefined {
  if (event.event === 'source.ended') return event.commit;
  return event.event === 'batch.sealed' ? event : undefined;
}

export type RunStarted = EventOf<'run.started'>;
export type RowInvalid = EventOf<'row.invalid'>;
export type RowDuplicate = EventOf<'row.duplicate'>;
export type BatchSealed = EventOf<'batch.sealed'>;
export type BatchReopened = EventOf<'batch.reopened'>;
export type BatchReduced = EventOf<'batch.reduced'>;
export type AttemptStarted = EventOf<'attempt.started'>;
export type RunEnded = EventOf<'run.ended'>;
