/**
 * The events of a run (docs/internals/architecture.md, "The journal is a gate"). Each is a line of its journal, and the schemas are
 * published (`signals schema journal`). An event is written to the journal before the run state, the progress display, the
 * results log and the summary receive it.
 */
import { z } from 'zod';
import { commit, shard } from './batch.ts';
import { outcome, receipt, stop } from './outcome.ts';
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
  .describe(
    "Length in bytes of each input's rejects file at this point, by source index; inputs without one are absent",
  );

export const input = z.object({
  name: z.string().describe('The path as the user gave it, or stdin'),
  size: z
    .int()
    .optional()
    .describe(
      'Bytes of its text, as positions count them. Absent if unknown before the end: for a pipe, and for a compressed input or one that is not UTF-8',
    ),
});

/** One input of a run, as of its start. */
export type RunInput = Data<typeof input>;

const runStarted = z.object({
  event: z.literal('run.started'),
  v: z.literal(1).describe("Version of the journal's line format"),
  time,
  run: z.string(),
  type: recordType,
  variant: variant.optional(),
  shard: shard.optional(),
  inputs: z.array(input),
});

export type RunStarted = Data<typeof runStarted>;

const runResumed = z
  .object({
    event: z.literal('run.resumed'),
    time,
    baseUrl: z.string().describe('Where the run sends from now on'),
  })
  .describe('A process works on the run again, after a stop, an interruption, a kill, or to send what is left');

const batchReopened = z
  .object({
    event: z.literal('batch.reopened'),
    time,
    batch,
    from: z.enum(['refused', 'exhausted', 'unknown']),
    why: z.enum(['resume', 'resume --unknown', 'resume --refused']),
  })
  .describe('A settled batch is pending again, because it is about to be sent again');

export type BatchReopened = Data<typeof batchReopened>;

const runHandedOver = z
  .object({
    event: z.literal('run.handed_over'),
    time,
    to: z.string().describe('Path of the archive; in a copy to look at, of the run folder'),
    copy: z.literal(true).optional().describe('This folder is a copy to look at'),
  })
  .describe('Nothing more may be sent from this folder: only what `to` names may send');

const rowInvalid = position.extend({
  event: z.literal('row.invalid'),
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
});

export type RowInvalid = Data<typeof rowInvalid>;

const rowSkipped = z
  .object({
    event: z.literal('row.skipped'),
    source: z.int(),
    firstRow: z.int(),
    lastRow: z.int(),
    firstLine: z.int(),
    lastLine: z.int(),
    why: z
      .enum(['skip', 'limit', 'transform', 'delivered', 'unknown'])
      .describe(
        'transform: the function of --transform omitted them. delivered, unknown: the outcome in an earlier run',
      ),
    by: z.string().optional().describe('The earlier run'),
  })
  .describe('Consecutive rows that are not sent by an option, or because an earlier run has sent them');

export type RowSkipped = Data<typeof rowSkipped>;

const rowDuplicate = position
  .pick({ source: true, row: true, line: true })
  .extend({ event: z.literal('row.duplicate'), of: rowPlace.describe('The first row with that record') })
  .describe('A row whose record is the same as that of an earlier row of the run (--dedupe)');

export type RowDuplicate = Data<typeof rowDuplicate>;

const sealed = { batch, digest: z.string(), records, bytes, ranges };

const sealedPart = z.object({
  ...sealed,
  maybeProcessed: z.literal(true).optional().describe('The service may have processed the whole batch'),
});

export type SealedPart = Data<typeof sealedPart>;

const batchSealed = commit.extend({
  ...sealed,
  event: z.literal('batch.sealed'),
  rejects,
  keys: z
    .string()
    .optional()
    .describe(
      'The keys of its records in their order: 12 bytes each, as base64. Absent if the run does not record them',
    ),
});

export type BatchSealed = Data<typeof batchSealed>;

const batchReduced = z
  .object({
    ...sealed,
    event: z.literal('batch.reduced'),
    time,
    keys: z.string(),
    skipped: z.array(rowSkipped.omit({ event: true })).describe('The rows that are no longer in it'),
  })
  .describe('Before a batch was sent, records were taken out of it that another run has sent meanwhile');

export type BatchReduced = Data<typeof batchReduced>;

export const batchSplit = z
  .object({
    event: z.literal('batch.split'),
    time,
    batch,
    attempts: z.int().describe('Attempts of the batch itself; 0 if a smaller batch was refused as too large before'),
    status,
    error: z.string().describe("The service's error"),
    parts: z.array(sealedPart).describe('In the order of the rows'),
  })
  .describe('A batch was replaced by two parts. One event seals both, so that a crash cannot leave half a batch');

export type BatchSplit = Data<typeof batchSplit>;

const attemptStarted = z.object({
  event: z.literal('attempt.started'),
  time,
  batch,
  attempt: z.int().describe('From 1'),
  bytes,
});

export type AttemptStarted = Data<typeof attemptStarted>;

export const attemptFailed = z.object({
  event: z.literal('attempt.failed'),
  time,
  batch,
  attempt: z.int().describe('From 1'),
  ms,
  status,
  error: z.string().describe('What happened, in a few words: ECONNREFUSED, HTTP 503'),
  maybeProcessed: z
    .boolean()
    .describe('Whether the service may have processed the batch, in this attempt or an earlier one'),
  next: z
    .enum(['retry', 'wait', 'split', 'settle', 'stop'])
    .describe('A retry after afterMs, a pause of all sending, the parts, or the end of the batch or of the run'),
  afterMs: z.number().optional(),
});

export type AttemptFailed = Data<typeof attemptFailed>;

export const batchSettled = z.object({
  event: z.literal('batch.settled'),
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

export const throttleChanged = z.object({
  event: z.literal('throttle.changed'),
  time,
  state: z
    .enum(['open', 'paused', 'limited'])
    .describe(
      'paused: all sending waits for ms. open: sending continues. limited: the limit of concurrent requests is now concurrency; a pause stays in effect',
    ),
  ms: ms.optional(),
  giveUpMs: ms.optional().describe('In an outage: the run stops if it lasts this much longer'),
  concurrency: z.int().optional().describe('Absent if it is --concurrency again'),
  why: z.string().optional(),
});

export type ThrottleChanged = Data<typeof throttleChanged>;

const sourceSpooled = z
  .object({ event: z.literal('source.spooled'), time, source: z.int(), bytes: z.int() })
  .describe('A pipe was copied to the run folder up to its end. Without this event the data may be incomplete');

const sourceGrown = z
  .object({ event: z.literal('source.grown'), time, source: z.int(), bytes: z.int().describe('Its new size') })
  .describe('An input became longer while it was read. The new bytes are not read');

export const sourceEnded = z.object({
  event: z.literal('source.ended'),
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

const runEnded = z.object({
  event: z.literal('run.ended'),
  time,
  state: endState,
  stop: stop.optional(),
  putBack: z.array(z.string()).describe('Exhausted batches that are pending again, because an outage stopped the run'),
  rejects: rejects
    .optional()
    .describe('Length of each rejects file with its refused rows. Absent if they are not in it'),
});

export type RunEnded = Data<typeof runEnded>;

export const runEvents = [
  runStarted,
  runResumed,
  runHandedOver,
  rowInvalid,
  rowSkipped,
  rowDuplicate,
  batchSealed,
  batchReopened,
  batchReduced,
  batchSplit,
  attemptStarted,
  attemptFailed,
  batchSettled,
  throttleChanged,
  sourceSpooled,
  sourceGrown,
  sourceEnded,
  runEnded,
] as const;

export type RunEvent = Data<(typeof runEvents)[number]>;
