/** Positions in the inputs of a run: rows, ranges of rows, and how far an input is accounted for. */
import { z } from 'zod';
import type { Data } from './data.ts';

export const position = z.object({
  source: z.int().describe("Index of the input in the run's list of inputs, from 0"),
  line: z.int().describe('Physical line on which the row starts, from 1. Line ends inside quoted cells are counted'),
  nextLine: z.int().describe('Physical line after the row'),
  row: z.int().describe('Number of the row, from 1. Header and blank lines are not counted'),
  start: z
    .int()
    .describe(
      "Offset of the row's first byte in the input's text, decompressed and as UTF-8. For an uncompressed UTF-8 input, the offset in the input itself",
    ),
  end: z.int().describe("Offset after the row's line end"),
});

/** Position of a row in the inputs of a run. */
export type Position = Data<typeof position>;

/** The line of a row in its input, by the input's index. */
export const rowPlace = position.pick({ source: true, line: true });

export type RowPlace = Data<typeof rowPlace>;

const readPosition = z.object({
  rows: z.int().describe('Rows before it'),
  line: z.int().describe('Physical line of the next byte, from 1'),
  byte: z.int().describe("Offset of the next byte in the input's text"),
});

/** A position between two rows of an input: where reading continues. */
export type ReadPosition = Data<typeof readPosition>;

export const cursor = readPosition.extend({ source: z.int() });

/** The end of the accounted rows of an input: each row before it is in a sealed batch or was dropped with a reason. */
export type Cursor = Data<typeof cursor>;

const span = z
  .tuple([z.int(), z.int(), z.int()])
  .describe('Rows on consecutive lines: row and line of the first one, and the number of rows');

export type Span = Data<typeof span>;

export const rowRange = z.object({
  source: z.int(),
  firstRow: z.int(),
  lastRow: z.int(),
  firstLine: z.int(),
  lastLine: z.int().describe('Line on which the last row starts'),
  start: z.int(),
  end: z.int().describe('Exclusive. All other bounds are inclusive'),
  spans: z
    .array(span)
    .optional()
    .describe(
      'The rows of the range that are included. Absent if they are all included and are on consecutive lines. They give the line of every row without reading the input again',
    ),
});

/** A range of rows of one input. */
export type RowRange = Data<typeof rowRange>;
