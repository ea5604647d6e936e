/** The rows of a run, one state at a time, by file and line: from the journal alone, the inputs need not be there. */
import type { RowRange, Span } from '../model/batch.ts';
import type { RowDuplicate, RowInvalid, RowSkipped } from '../model/event.ts';
import type { BatchState, VisitedBatch } from './visit-run.ts';
import { visitJournal } from './visit-run.ts';

export const ROW_STATES = [
  'invalid',
  'skipped',
  'duplicate',
  'delivered',
  'refused',
  'exhausted',
  'unknown',
  'pending',
] as const satisfies readonly (BatchState | 'invalid' | 'skipped' | 'duplicate')[];

export type RowState = (typeof ROW_STATES)[number];

/** Rows that stand one a line and share their fate. */
export interface FoundRows {
  readonly source: number;
  readonly span: Span;
  readonly state: RowState;
  readonly batch?: VisitedBatch;
  readonly issues?: RowInvalid['issues'];
  readonly skipped?: {
    readonly why: RowSkipped['why'];
    /** The run that has sent them before. */
    readonly by?: string;
    /** Line of the last row: rows that were passed over may have had several lines each. */
    readonly lastLine: number;
  };
  /** Where the first one stands that a duplicate equals. */
  readonly of?: RowDuplicate['of'];
}

/**
 * In the order of the inputs. Holds one entry for each stretch of rows, and so many more for an input in which every
 * second row was dropped.
 *
 * @param wanted the states that are asked for
 */
export async function rowsIn(
  folder: string,
  held: boolean,
  wanted: ReadonlySet<RowState>,
): Promise<readonly FoundRows[]> {
  const found: FoundRows[] = [];
  const take = (batch: VisitedBatch): void => {
    if (!wanted.has(batch.state)) return;
    for (const range of batch.ranges) {
      for (const span of spansOf(range))
        found.push({ source: range.source, span, state: batch.state, batch });
    }
  };
  const { batches } = await visitJournal(folder, held, {
    onDelivered: take,
    ...(wanted.has('invalid')
      ? {
          onInvalid: ({ source, row, line, issues }) =>
            void found.push({ source, span: [row, line, 1], state: 'invalid', issues }),
        }
      : {}),
    ...(wanted.has('skipped')
      ? {
          onSkipped: ({ source, firstRow, lastRow, firstLine, lastLine, why, by }) =>
            void found.push({
              source,
              span: [firstRow, firstLine, lastRow - firstRow + 1],
              state: 'skipped',
              skipped: { why, lastLine, ...(by === undefined ? {} : { by }) },
            }),
        }
      : {}),
    ...(wanted.has('duplicate')
      ? {
          onDuplicate: ({ source, row, line, of }) =>
            void found.push({ source, span: [row, line, 1], state: 'duplicate', of }),
        }
      : {}),
  });
  for (const batch of batches.values()) take(batch);
  return found.sort((one, other) => one.source - other.source || one.span[0] - other.span[0]);
}

/** The rows of a range as stretches of one row a line. */
export function spansOf(range: RowRange): readonly Span[] {
  return range.spans ?? [[range.firstRow, range.firstLine, range.lastRow - range.firstRow + 1]];
}
