/**
 * The results log, `results.csv` (cli.md, "Run folder"): one line a settled batch, for people and spreadsheets.
 * A reader of events: fed with a journal from its beginning, it gives the same lines again.
 */
import type { RowRange } from '../model/batch.ts';
import type { BatchSealed, BatchSettled, RunEvent } from '../model/event.ts';
import type { Receipt } from '../model/outcome.ts';
import { csvCell, csvLine, spreadsheetSafe } from './csv-writer.ts';

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

  /** Most lines have the source of the line before. */
  let source = '';
  let cell = '';
  const sourceCell = (name: string): string => {
    if (name !== source) {
      source = name;
      cell = csvCell(spreadsheetSafe(name), ',');
    }
    return cell;
  };

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
        return lineOf(event, sealed, names, sourceCell);
      }
      return undefined;
    },
  };
}

/** In the order of {@link COLUMNS}. Only texts of others need quotes: a number, a time or an id never does. */
function lineOf(
  event: BatchSettled,
  { records, bytes, ranges }: Pick<BatchSealed, 'records' | 'bytes' | 'ranges'>,
  names: readonly string[],
  sourceCell: (source: string) => string,
): string {
  const { time, batch, outcome, status, unaccounted, attempts, error } = event;
  const { batchId, accepted, deduplicated, rejected, promoted } = event.receipt ?? NO_RECEIPT;
  let source = '';
  let lines = '';
  for (const range of ranges) {
    const between = lines === '' ? '' : '; ';
    source += `${between}${nameOf(names, range)}`;
    // Not "2-11": a spreadsheet would make a day of November of it.
    lines += `${between}${range.firstLine} to ${range.lastLine}`;
  }
  const answer = `${status ?? ''},${isWord(batchId) ? batchId : csvCell(spreadsheetSafe(batchId, TEXT_LIMIT), ',')}`;
  const counts = `${accepted ?? ''},${deduplicated ?? ''},${rejected ?? ''},${promoted ?? ''},${unaccounted}`;
  const words = error === undefined ? '' : csvCell(spreadsheetSafe(error, TEXT_LIMIT), ',');
  return `${time},${batch},${sourceCell(source)},${lines},${records},${bytes},${outcome},${answer},${counts},${attempts},${Math.round(event.ms)},${words}\r\n`;
}

/** Whether a text is a cell as it is: most ids are words, and no formula. */
function isWord(text: string): boolean {
  return text.length <= TEXT_LIMIT && /^\w[\w.-]*$/.test(text);
}

const NO_RECEIPT: Receipt = { batchId: '' };

function nameOf(names: readonly string[], range: RowRange): string {
  return names[range.source] ?? `input ${range.source + 1}`;
}
