/** The columns of results.csv, in their order; new ones go last. report/results-and-rejects.ts makes the values. */
import { z } from 'zod';

const number = z.string().regex(/^-?\d+$/);
const numberOrEmpty = z.string().regex(/^(-?\d+)?$/);

export const resultsLineSchema = z
  .object({
    time: z.iso.datetime().describe('ISO 8601, UTC'),
    batch: z.string(),
    source: z.string().describe('Names of the inputs, joined by "; "'),
    lines: z
      .string()
      .describe('2 to 101: from the line on which the first row starts to that of the last, of each input'),
    records: number,
    bytes: number.describe('Size of the request body'),
    outcome: z.enum(['delivered', 'refused', 'exhausted', 'unknown']),
    status: z
      .string()
      .regex(/^(\d{3})?$/)
      .describe('HTTP status; empty if no answer came'),
    batchId: z.string().describe("The service's id of the batch"),
    accepted: numberOrEmpty,
    deduplicated: numberOrEmpty,
    rejected: numberOrEmpty,
    promoted: numberOrEmpty,
    unaccounted: number.describe("Records missing from the receipt's counts; negative if it counts too many"),
    attempts: number,
    ms: number.describe('From the start of the first attempt to the last answer'),
    error: z.string(),
  })
  .describe('A line of results.csv by the names of its columns. A cell is text; a number is its digits');

/** A line of results.csv. */
export type ResultsLine = z.infer<typeof resultsLineSchema>;
