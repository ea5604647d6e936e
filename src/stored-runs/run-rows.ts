/** Lists the rows of a run in given states, by file and line. Reads the journal only, not the inputs. */
import { type DroppedRow, DroppedRows, type LoadedRun, loadRun } from '../journal/read-journal.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { spansOf } from '../model/batch.ts';
import type { RowDuplicate, RowInvalid, RowSkipped } from '../model/event.ts';
import type { BatchState } from '../model/outcome.ts';
import type { Span } from '../model/row.ts';
import type { UndeliveredBatch } from '../model/run-state.ts';

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

export type RowStateName = (typeof ROW_STATES)[number];

/** Rows on consecutive lines that are in the same state for the same reason. */
export interface FoundRows {
  readonly source: number;
  readonly span: Span;
  readonly state: RowStateName;
  readonly batch?: UndeliveredBatch;
  readonly issues?: RowInvalid['issues'];
  readonly skipped?: {
    readonly why: RowSkipped['why'];
    /** The earlier run that sent them. */
    readonly by?: string | undefined;
    /** Line of the last row: a skipped row may have several lines. */
    readonly lastLine: number;
  };
  /** Position of the row that a duplicate equals. */
  readonly of?: RowDuplicate['of'];
}

/** In the order of the inputs. Needs memory for each span: in the worst case, one for every second row. */
export async function findRows(
  folder: RunFolder,
  states: ReadonlySet<RowStateName>,
): Promise<{ readonly rows: readonly FoundRows[]; readonly run: LoadedRun }> {
  const found: FoundRows[] = [];
  const addBatch = (batch: UndeliveredBatch): void => {
    const { state } = batch;
    if (!states.has(state)) return;
    for (const range of batch.ranges) {
      for (const span of spansOf(range)) found.push({ source: range.source, span, state, batch });
    }
  };
  const dropped = new DroppedRows((event) => {
    const rows = foundRows(event);
    if (states.has(rows.state)) found.push(rows);
  });
  const run = await loadRun(folder, (event, _runState, changes) => {
    dropped.on(event);
    for (const { batch, to } of changes) if (to === 'delivered') addBatch(batch);
  });
  for (const batch of run.runState.undelivered.values()) addBatch(batch);
  return { rows: found.sort((one, other) => one.source - other.source || one.span[0] - other.span[0]), run };
}

function foundRows(event: DroppedRow): FoundRows {
  const { source } = event;
  switch (event.event) {
    case 'row.invalid':
      return { source, span: [event.row, event.line, 1], state: 'invalid', issues: event.issues };
    case 'row.duplicate':
      return { source, span: [event.row, event.line, 1], state: 'duplicate', of: event.of };
    case 'row.skipped': {
      const { firstRow, lastRow, firstLine, lastLine, why, by } = event;
      return {
        source,
        span: [firstRow, firstLine, lastRow - firstRow + 1],
        state: 'skipped',
        skipped: { why, lastLine, by },
      };
    }
  }
}
