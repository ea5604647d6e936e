/**
 * The results log, `results.csv` (cli.md, "Run folder"): one line per settled batch, for people and spreadsheets. The columns
 * and their order are in model/results-line.ts. Reads events, so the journal always gives the same lines.
 */
import type { BatchSettled, RunEvent } from '../model/event.ts';
import { type ResultsLine, resultsLineSchema as schema } from '../model/results-line.ts';
import type { BatchChange, RunState, UndeliveredBatch } from '../model/run-state.ts';
import { csvLine, spreadsheetSafe } from './csv-writer.ts';

const COLUMNS = schema.keyof().options;

/** Maximum length of text from a server in a cell, in characters. The answer in an error has at most 4,096. */
const TEXT_LIMIT = 5000;

export const RESULTS_HEADER = csvLine(COLUMNS, ',');

/**
 * The line that this event adds, with CRLF; undefined if it adds none.
 *
 * @throws Error if a settled batch was never sealed: the journal is then damaged
 */
export function resultsLine(
  event: RunEvent,
  { sources }: RunState,
  [change]: readonly BatchChange[],
): string | undefined {
  if (event.event !== 'batch.settled') return undefined;
  if (change === undefined) throw new Error(`Batch ${event.batch} was settled but never sealed.`);
  const cells = cellsOf(event, change.batch, (source) => sources[source]?.name ?? `input ${source + 1}`);
  return csvLine(
    COLUMNS.map((column) => String(cells[column] ?? '')),
    ',',
  );
}

function cellsOf(
  event: BatchSettled,
  { records, bytes, ranges }: UndeliveredBatch,
  nameOf: (source: number) => string,
): Readonly<Record<keyof ResultsLine, string | number | undefined>> {
  const { batchId = '', accepted, deduplicated, rejected, promoted } = event.receipt ?? {};
  const { time, batch, outcome, status, unaccounted, attempts, ms, error = '' } = event;
  return {
    time,
    batch,
    records,
    bytes,
    outcome,
    status,
    accepted,
    deduplicated,
    rejected,
    promoted,
    unaccounted,
    attempts,
    source: spreadsheetSafe(ranges.map(({ source }) => nameOf(source)).join('; ')),
    // Not "2-11", which a spreadsheet reads as a date.
    lines: ranges.map(({ firstLine, lastLine }) => `${firstLine} to ${lastLine}`).join('; '),
    batchId: spreadsheetSafe(batchId, TEXT_LIMIT),
    ms: Math.round(ms),
    error: spreadsheetSafe(error, TEXT_LIMIT),
  };
}
