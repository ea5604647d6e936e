/**
 * The JSON Schemas of what the program writes for other programs (docs/machine-output.md), draft 2020-12. They allow
 * further keys, because later versions may add some.
 */
import { z } from 'zod';
import { runEvents } from './event.ts';
import { logLine } from './log-line.ts';
import { resultsLineSchema } from './results-line.ts';
import { checkSummary, errorObjectSchema, summary } from './summary.ts';

const crc = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .describe('CRC-32 of the line before this key, in hexadecimal');

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
