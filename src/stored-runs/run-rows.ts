/** Lists the rows of a run in given states, from its journal and from what `runs explain` has found. */
import { type LoadedRun, loadRun } from '../journal/read-journal.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { spansOf } from '../model/batch.ts';
import { commitOf, type RowDuplicate, type RowInvalid, type RowSkipped, type RunEvent } from '../model/event.ts';
import { rowState } from '../model/outcome.ts';
import type { Span } from '../model/row.ts';
import type { UndeliveredBatch } from '../model/run-state.ts';
import { readExplained } from './explain-log.ts';

export const ROW_STATES = [...rowState.options, 'rejected'] as const;

export type RowStateName = (typeof ROW_STATES)[number];

/** Rows on consecutive lines that are in the same state for the same reason. */
export interface FoundRows {
  readonly source: number;
  readonly span: Span;
  readonly state: RowStateName;
  readonly batch?: UndeliveredBatch;
  /** Records of its batch that the service rejected, if it is not known which. */
  readonly rejected?: number | undefined;
  readonly issues?: RowInvalid['issues'];
  readonly skipped?: {
    readonly why: RowSkipped['why'];
    readonly by?: string | undefined;
    /** Line of the last row: a skipped row may have several lines. */
    readonly lastLine: number;
  };
  readonly of?: RowDuplicate['of'];
}

/** In the order of the inputs. Needs memory for each span: in the worst case, one for every second row. */
export async function findRows(
  folder: RunFolder,
  states: ReadonlySet<RowStateName>,
): Promise<{ readonly rows: readonly FoundRows[]; readonly run: LoadedRun }> {
  const found: FoundRows[] = [];
  const explained = await readExplained(folder.path);
  const named = new Set(explained.rows.map(({ source, row }) => `${source}:${row}`));
  const add = (rows: FoundRows): void => {
    if (states.has(rows.state)) found.push(rows);
  };
  const addBatch = (batch: UndeliveredBatch, rejected = 0): void => {
    const { state, records } = batch;
    const isNamed = explained.batches.has(batch.batch);
    for (const range of batch.ranges) {
      const { source } = range;
      for (const span of spansOf(range)) {
        if (rejected === records) add({ source, span, state: 'rejected', batch });
        else if (!isNamed) add({ source, span, state, batch, rejected });
        else for (const part of byName(source, span, named)) add({ source, batch, ...part });
      }
    }
  };
  /** Since the last commit: a resume reads these rows again. */
  let uncommitted: FoundRows[] = [];
  const addDropped = (event: RunEvent): void => {
    if (event.event === 'row.invalid' || event.event === 'row.skipped' || event.event === 'row.duplicate') {
      uncommitted.push(foundRows(event));
    } else if (event.event === 'run.resumed') uncommitted = [];
    else if (event.event === 'batch.reduced') {
      for (const rows of event.skipped) add(foundRows({ event: 'row.skipped', ...rows }));
    } else if (commitOf(event) !== undefined) for (const rows of uncommitted.splice(0)) add(rows);
  };
  const run = await loadRun(folder, (event, _runState, changes) => {
    addDropped(event);
    const rejected = event.event === 'batch.settled' ? event.receipt?.rejected : undefined;
    for (const { batch, to } of changes) if (to === 'delivered') addBatch(batch, rejected);
  });
  for (const batch of run.runState.undelivered.values()) addBatch(batch);
  return { rows: found.sort((one, other) => one.source - other.source || one.span[0] - other.span[0]), run };
}

/** The rows of a span, one by one: delivered, or rejected by the service. */
function byName(
  source: number,
  [firstRow, firstLine, rows]: Span,
  named: ReadonlySet<string>,
): readonly { readonly span: Span; readonly state: 'delivered' | 'rejected' }[] {
  return Array.from({ length: rows }, (_, n) => ({
    span: [firstRow + n, firstLine + n, 1],
    state: named.has(`${source}:${firstRow + n}`) ? 'rejected' : 'delivered',
  }));
}

function foundRows(event: RowInvalid | RowSkipped | RowDuplicate): FoundRows {
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
