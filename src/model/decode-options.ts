import { z } from 'zod';
import { inputFormats } from './input-format.ts';
import type { Data } from './row.ts';

export const decodeOptions = z.object({
  format: z.enum(inputFormats).optional(),
  encoding: z
    .string()
    .optional()
    .describe("Any name that the platform's TextDecoder knows. The input's own byte order mark overrides it"),
  delimiter: z.string().optional().describe('One ASCII character; `tab` and `\\t` are a tab'),
  quote: z.string().optional().describe('One ASCII character; empty if there is no quoting'),
  header: z.boolean().describe('Whether the first row names the columns'),
  headerLine: z.int().optional().describe('Physical line of the header, from 1, after a preamble. CSV only'),
  sheet: z.string().optional().describe('The sheet of workbooks, by name or number. input/ reads it'),
  maxRowBytes: z.int().describe('Longest row, in bytes before its line feed'),
  ragged: z.enum(['reject', 'pad']).describe('What to do with a row of too few cells'),
});

/** How to read an input. Absent options are detected. */
export type DecodeOptions = Data<typeof decodeOptions>;
