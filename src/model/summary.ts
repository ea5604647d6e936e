/** The objects of `summary.json` and `--json` (docs/reference.md, "summary.json"), with the keys in the same order. */
import { z } from 'zod';
import { shard } from './batch.ts';
import { endState } from './event.ts';
import { outcome, problem, stop } from './outcome.ts';
import { recordType, variant } from './record.ts';
import { type Data, issueCode, rowPlace } from './row.ts';
import { batchCounts, rowCounts, serviceCountsSchema } from './run-state.ts';

const heading = {
  schemaVersion: z.literal(1).describe('Changes when a key gets another meaning or disappears, not when one is added'),
  toolVersion: z.string(),
};

const exitCode = z.int().describe('docs/reference.md, "Exit codes"');
const time = z.iso.datetime().describe('ISO 8601, UTC');

const sentBefore = z
  .object({
    delivered: z.int(),
    unknown: z.int().describe('These may or may not have arrived'),
    runs: z.record(z.string(), z.int()).describe('Rows by run, delivered and unknown together'),
  })
  .optional()
  .describe('Skipped rows that earlier runs have sent. Absent if there are none');

export type SentBefore = NonNullable<Data<typeof sentBefore>>;

const omittedValues = z.object({
  field: z.string(),
  values: z.int(),
  first: z.string().optional().describe('in.csv:12'),
});

export type OmittedValues = Data<typeof omittedValues>;

const omitted = z
  .array(omittedValues)
  .optional()
  .describe('Values that `invalid: omit` left out, by field. Absent if there are none');

const summaryInput = z.object({
  source: z.string(),
  bytes: z.int().describe('Size of the input; of a pipe that was not read to its end, the bytes accounted for'),
  bytesUnread: z.int().nullable().describe('Bytes after the last row accounted for; null if that is unknown'),
  rejects: z.string().nullable().describe('The first rejects file, relative to `folder`. Null if there is none'),
});

const shardSummary = z.object({
  shard,
  run: z.string(),
  state: z.enum([...endState.options, 'running']),
  exitCode,
  rows: rowCounts,
  rejects: z.array(z.string()).describe('Its rejects files, relative to its run folder'),
  next: z.string().nullable().describe('The command that continues it. Null if nothing is left to send'),
});

export type ShardSummary = Data<typeof shardSummary>;

export const summary = z.object({
  ...heading,
  run: z.string(),
  type: recordType,
  variant: variant.optional().describe('Absent for social events'),
  shard: shard.optional(),
  baseUrl: z.string(),
  sandbox: z.boolean().describe('Whether the run was sent to the built-in sandbox'),
  startedAt: time,
  endedAt: time.nullable().describe('Null if the run was killed'),
  state: endState,
  exitCode,
  balanced: z.boolean().describe('Whether the two equations of rows and batches hold'),
  stop: stop.nullable().describe('Why the run did not complete. Null if it did, and if it was killed'),
  rows: rowCounts,
  sentBefore,
  omitted,
  service: serviceCountsSchema,
  batches: batchCounts,
  inputs: z.array(summaryInput),
  invalidReasons: z
    .array(z.object({ reason: z.string(), rows: z.int(), first: z.string().nullable() }))
    .describe('The most frequent first. A row with two problems is in two'),
  requests: z.int(),
  retries: z.int(),
  bytesSent: z.int().describe('Request bodies of all attempts, also of those that found no connection'),
  seconds: z.number(),
  folder: z.string(),
  next: z.string().nullable().describe('The command to type next. Null if there is none'),
  warnings: z.array(problem),
  errors: z
    .array(z.object({ code: outcome, message: z.string(), batches: z.int(), rows: z.int() }))
    .describe('Why batches were not delivered'),
  shards: z.array(shardSummary).optional().describe('Of `runs merge`: what was added up'),
});

/** `summary.json`, and `--json` of upload and resume. */
export type Summary = Data<typeof summary>;

/** `--json` without a summary: nothing was sent, or there is nothing left to send. */
export const errorObjectSchema = z.object({
  ...heading,
  run: z.string().optional(),
  exitCode,
  errors: z.array(problem),
});

const checkedInput = z.object({
  name: z.string(),
  description: z.array(z.string()).describe('What was detected in the input, as text'),
});

const checkRows = z.object({
  read: z.int(),
  valid: z.int(),
  invalid: z.int(),
  skipped: z.int(),
  duplicate: z.int(),
});

const reasonGroup = z.object({
  code: issueCode,
  field: z.string().optional(),
  column: z.string().optional().describe('Absent if the rows do not share one'),
  rows: z.int(),
  examples: z.array(rowPlace.extend({ found: z.string().optional(), hint: z.string().optional() })),
});

/** What `check` finds, without what the journal's reducers know. */
export const checkSummary = z.object({
  ...heading,
  dryRun: z.literal(true),
  type: recordType,
  variant: variant.optional(),
  inputs: z.array(checkedInput),
  description: z.array(z.string()).describe('What was detected or chosen for all inputs'),
  rows: checkRows,
  requests: z.int(),
  bytes: z.int().describe('Sum of the request bodies'),
  rate: z.object({ count: z.int(), perMs: z.int() }).optional().describe('--rate, in requests'),
  warnings: z.array(problem),
  atLeastSeconds: z.number().optional().describe('With --rate: the minimum duration of an upload'),
  state: endState,
  exitCode,
  balanced: z.boolean(),
  invalid: z.array(reasonGroup),
  notes: z.record(z.string(), z.int()).describe('Number of records by remark, such as date_only:detected_at'),
  omitted,
  sentBefore,
  sample: z.record(z.string(), z.unknown()).optional().describe('One record, as it would be sent'),
});

export type CheckSummary = Data<typeof checkSummary>;
