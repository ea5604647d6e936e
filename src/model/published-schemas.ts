/**
 * The JSON Schemas of what the program writes for other programs (docs/machine-output.md), draft 2020-12. They allow
 * further keys, because later versions may add some.
 */
import { z } from 'zod';
import { runEvents } from './event.ts';
import { logLine } from './log-line.ts';
import { checkSummary, errorObjectSchema, summary } from './summary.ts';

const crc = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .describe('CRC-32 of the line before this key, in hexadecimal');

const digits = z.string().regex(/^-?\d+$/);
const digitsOrEmpty = z.string().regex(/^(-?\d+)?$/);

/** The columns of results.csv, in their order; new ones go last. report/results-and-rejects.ts makes the values. */
export const resultsLineSchema = z
  .object({
    time: z.iso.datetime().describe('ISO 8601, UTC'),
    batch: z.string(),
    source: z.string().describe('Names of the inputs, joined by "; "'),
    lines: z
      .string()
      .describe('2 to 101: from the line on which the first row starts to that of the last, of each input'),
    records: digits,
    bytes: digits.describe('Size of the request body'),
    outcome: z.enum(['delivered', 'refused', 'exhausted', 'unknown']),
    status: z
      .string()
      .regex(/^(\d{3})?$/)
      .describe('HTTP status; empty if no answer came'),
    batchId: z.string().describe("The service's id of the batch"),
    accepted: digitsOrEmpty,
    deduplicated: digitsOrEmpty,
    rejected: digitsOrEmpty,
    promoted: digitsOrEmpty,
    unaccounted: digits.describe("Records missing from the receipt's counts; negative if it counts too many"),
    attempts: digits,
    ms: digits.describe('From the start of the first attempt to the last answer'),
    error: z.string(),
  })
  .describe('A line of results.csv by the names of its columns. A cell is text; a number is its digits');

/** A line of results.csv. */
export type ResultsLine = z.infer<typeof resultsLineSchema>;

const schemas = {
  summary: summary.describe('summary.json of a run, and --json of upload, resume and runs show'),
  check: checkSummary.describe('--json of check'),
  error: errorObjectSchema.describe('--json without a summary: nothing was sent, or there is nothing left to send'),
  journal: z
    .union(runEvents.map((event) => z.object({ ...event.shape, crc })))
    .describe('A line of journal.ndjson: an event of the run'),
  results: resultsLineSchema,
  log: logLine.describe('A line of --log-format json and of --log-file: an event of the run'),
} satisfies Record<string, z.ZodType>;

export type SchemaName = keyof typeof schemas;

export const schemaNames = Object.keys(schemas);

/** Undefined if there is no schema with this name. */
export function publishedSchema(name: string): object | undefined {
  const found = Object.entries(schemas).find(([each]) => each === name)?.[1];
  if (found === undefined) return undefined;
  const { $schema, ...schema } = z.toJSONSchema(found, { io: 'input' });
  return { $schema, $id: `urn:signals-upload:${name}:1`, title: name, ...schema };
}
