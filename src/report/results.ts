/**
 * The results log, `results.csv` (cli.md, "Run folder"): one line a settled batch, for people and spreadsheets.
 * A reader of events: fed with a journal from its beginning, it gives the same lines again.
 */
import type { RowRange } from '../model/batch.ts';
import type { BatchSealed, RunEvent } from '../model/event.ts';
import { csvLine, spreadsheetSafe } from './csv.ts';

const COLUMNS = [
  'time',
  'batch',
  'source',
  'lines',
  'records',
  'bytes',
  'outcome',
  'status',
  'batchId',
  'accepted',
  'deduplicated',
  'rejected',
  'promoted',
  'unaccounted',
  'attempts',
  'ms',
  'error',
] as const;

/** Longest text of a server that goes into a cell, in characters. */
const TEXT_LIMIT = 500;

export interface ResultsLog {
  readonly header: string;
  /**
   * The line (CRLF included) that this event adds, if it adds one.
   *
   * Throws an Error where a batch settles that was never sealed: the journal would be at fault, not the user.
   */
  on(event: RunEvent): string | undefined;
}

export function createResultsLog(): ResultsLog {
  let names: readonly string[] = [];
  /** Bounded by the batches that are open at one time. */
  const open = new Map<string, Pick<BatchSealed, 'records' | 'bytes' | 'ranges'>>();

  return {
    header: csvLine(COLUMNS, ','),
    on(event) {
      if (event.event === 'run.started') names = event.inputs.map((input) => input.name);
      else if (event.event === 'batch.sealed') {
        open.set(event.batch, { records: event.records, bytes: event.bytes, ranges: event.ranges });
      } else if (event.event === 'batch.split') {
        // No line of its own: its rows would be counted twice by whoever adds up the column of records.
        open.delete(event.batch);
        for (const { batch, records, bytes, ranges } of event.parts) {
          open.set(batch, { records, bytes, ranges });
        }
      } else if (event.event === 'run.resumed') {
        for (const { batch, records, bytes, ranges } of event.reopened)
          open.set(batch, { records, bytes, ranges });
      } else if (event.event === 'batch.settled') {
        const sealed = open.get(event.batch);
        if (sealed === undefined) throw new Error(`Batch ${event.batch} was settled and never sealed.`);
        open.delete(event.batch);
        const { receipt } = event;
        const cells: Record<(typeof COLUMNS)[number], string | number | undefined> = {
          time: event.time,
          batch: event.batch,
          source: spreadsheetSafe(sealed.ranges.map((range) => nameOf(names, range)).join('; ')),
          // Not "2-11": a spreadsheet would make a day of November of it.
          lines: sealed.ranges.map((range) => `${range.firstLine} to ${range.lastLine}`).join('; '),
          records: sealed.records,
          bytes: sealed.bytes,
          outcome: event.outcome,
          status: event.status,
          batchId: receipt && spreadsheetSafe(receipt.batchId, TEXT_LIMIT),
          accepted: receipt?.accepted,
          deduplicated: receipt?.deduplicated,
          rejected: receipt?.rejected,
          promoted: receipt?.promoted,
          unaccounted: event.unaccounted,
          attempts: event.attempts,
          ms: Math.round(event.ms),
          error: event.error === undefined ? undefined : spreadsheetSafe(event.error, TEXT_LIMIT),
        };
        return csvLine(
          COLUMNS.map((column) => String(cells[column] ?? '')),
          ',',
        );
      }
      return undefined;
    },
  };
}

function nameOf(names: readonly string[], range: RowRange): string {
  return names[range.source] ?? `input ${range.source + 1}`;
}
