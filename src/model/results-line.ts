import { z } from 'zod';
import { withEach } from './counts.ts';
import { outcome, receiptCounts } from './outcome.ts';

const digits = z.string().regex(/^-?\d+$/);
const digitsOrEmpty = z.string().regex(/^(-?\d+)?$/);

/** The columns of results.csv, in their order; new ones go last. report/results-and-rejects.ts makes the values. */
export const resultsLineSchema = z
  .object({
    time: z.iso.datetime().describe('ISO 8601, UTC'),
    batch: z.string(),
    source: z.string().describe('Names of the inputs, joined by "; "'),
    lines: z.string().describe('2 to 101: the lines on which the first and the last row start, of each input'),
    records: digits,
    bytes: digits.describe('Size of the request body'),
    outcome,
    status: z
      .string()
      .regex(/^(\d{3})?$/)
      .describe('HTTP status; empty if no answer came'),
    batchId: z.string().describe("The service's id of the batch"),
    ...withEach(receiptCounts, digitsOrEmpty),
    unaccounted: digits.describe("Records missing from the receipt's counts; negative if it counts too many"),
    attempts: digits,
    ms: digits.describe('From the start of the first attempt to the last answer'),
    error: z.string(),
  })
  .describe('A line of results.csv by the names of its columns. A cell is text; a number is its digits');

export type ResultsLine = z.infer<typeof resultsLineSchema>;
