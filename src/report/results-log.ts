/**
 * The results log, `results.csv` (cli.md, "Run folder"): one line per settled batch, for people and spreadsheets.
 * Reads events, so the journal always gives the same lines.
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

/** Maximum length of a server's text in a cell, in characters. */
const TEXT_LIMIT = 500;

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
  /** Limited by the number of open batches. */
  const open = new Map<string, Pick<BatchSealed, 'records' | 'bytes' | 'ranges'>>();

  /** Most lines have the same source as the previous one. */
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
        // A line for the whole batch would count its records twice in the sum of the column.
        open.delete(event.batch);
        for (const { batch, records, bytes, ranges } of event.parts) {
          open.set(batch, { records, bytes, ranges });
        }
      } else if (event.event === 'run.resumed') {
        for (const { batch, records, bytes, ranges } of event.reopened) {
          open.set(batch, { records, bytes, ranges });
        }
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

/** In the order of {@link COLUMNS}. Only foreign texts can need quotes: our numbers, times and ids never do. */
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
    const separator = lines === '' ? '' : '; ';
    source += `${separator}${nameOf(names, range)}`;
    // Not "2-11", which a spreadsheet reads as a date.
    lines += `${separator}${range.firstLine} to ${range.lastLine}`;
  }
  const answer = `${status ?? ''},${isWord(batchId) ? batchId : csvCell(spreadsheetSafe(batchId, TEXT_LIMIT), ',')}`;
  const counts = `${accepted ?? ''},${deduplicated ?? ''},${rejected ?? ''},${promoted ?? ''},${unaccounted}`;
  const errorCell = error === undefined ? '' : csvCell(spreadsheetSafe(error, TEXT_LIMIT), ',');
  return `${time},${batch},${sourceCell(source)},${lines},${records},${bytes},${outcome},${answer},${counts},${attempts},${Math.round(event.ms)},${errorCell}\r\n`;
}

/** Whether a text needs no quotes and is no formula. True for most ids; saves the slower check. */
function isWord(text: string): boolean {
  return text.length <= TEXT_LIMIT && /^\w[\w.-]*$/.test(text);
}

const NO_RECEIPT: Receipt = { batchId: '' };

function nameOf(names: readonly string[], range: RowRange): string {
  return names[range.source] ?? `input ${range.source + 1}`;
}
