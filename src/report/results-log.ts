/**
 * The results log, `results.csv` (cli.md, "Run folder"): one line per settled batch, for people and spreadsheets.
 * Reads events, so the journal always gives the same lines.
 */
import type { BatchSettled, RunEvent } from '../model/event.ts';
import type { ResultsLine } from '../model/results-line.ts';
import { csvLine, spreadsheetSafe } from './csv-writer.ts';
import { followBatches, type OpenBatch } from './open-batches.ts';

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
] as const satisfies readonly (keyof ResultsLine)[];

/** Maximum length of text from a server in a cell, in characters. The answer in an error has at most 4,096. */
const TEXT_LIMIT = 5000;

export interface ResultsLog {
  readonly header: string;
  /**
   * The line that this event adds, with CRLF; undefined if it adds none.
   *
   * @throws Error if a settled batch was never sealed: the journal is then damaged
   */
  on(event: RunEvent): string | undefined;
}

export function createResultsLog(): ResultsLog {
  let names: readonly string[] = [];
  const settledBatch = followBatches();
  return {
    header: csvLine(COLUMNS, ','),
    on(event) {
      if (event.event === 'run.started') names = event.inputs.map((input) => input.name);
      const batch = settledBatch(event);
      if (event.event !== 'batch.settled') return undefined;
      if (batch === undefined) throw new Error(`Batch ${event.batch} was settled but never sealed.`);
      return lineOf(event, batch, names);
    },
  };
}

function lineOf(event: BatchSettled, { records, bytes, ranges }: OpenBatch, names: readonly string[]): string {
  const { batchId = '', accepted, deduplicated, rejected, promoted } = event.receipt ?? {};
  const cells: Readonly<Record<keyof ResultsLine, string | number | undefined>> = {
    time: event.time,
    batch: event.batch,
    source: spreadsheetSafe(ranges.map(({ source }) => names[source] ?? `input ${source + 1}`).join('; ')),
    // Not "2-11", which a spreadsheet reads as a date.
    lines: ranges.map(({ firstLine, lastLine }) => `${firstLine} to ${lastLine}`).join('; '),
    records,
    bytes,
    outcome: event.outcome,
    status: event.status,
    batchId: spreadsheetSafe(batchId, TEXT_LIMIT),
    accepted,
    deduplicated,
    rejected,
    promoted,
    unaccounted: event.unaccounted,
    attempts: event.attempts,
    ms: Math.round(event.ms),
    error: spreadsheetSafe(event.error ?? '', TEXT_LIMIT),
  };
  return csvLine(
    COLUMNS.map((column) => String(cells[column] ?? '')),
    ',',
  );
}
