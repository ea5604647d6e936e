/**
 * `--max-invalid` and `--min-rows`: how many rows make an input that must not be uploaded. Pure.
 *
 * Nothing that was sent can be taken back, so what can be judged before sending is: `--min-rows` holds all batches
 * back until so many rows were read, and a percentage holds them back for the first {@link SETTLED_ROWS} rows or to
 * the end of shorter inputs. That much is kept in memory, to a bound; beyond it sending begins, and a run that
 * turns out too short at its end stops although all of it was sent.
 */
import type { Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';

export interface RowLimits {
  /** `--max-invalid`: stop when more rows than this are invalid. */
  readonly maxInvalid?: { readonly rows: number } | { readonly percent: number } | undefined;
  /** `--min-rows`: stop when the inputs end before so many rows. */
  readonly minRows?: number | undefined;
}

/** What an earlier part of a run has counted. */
export interface RowsBefore {
  /** Rows of each input that are accounted for. */
  readonly read: readonly number[];
  readonly invalid: number;
  /** Those that `--skip`, `--limit` and `--transform` passed over. */
  readonly skipped: number;
}

export interface RowLimitCheck {
  /** Counts what was prepared; returns why the run must stop, where it must. */
  see(item: Prepared): Stop | undefined;
  /** After the last input. */
  end(): Stop | undefined;
  /** Whether batches must not be sent yet. */
  holds(): boolean;
}

/** Rows before which a percentage of them says little. */
const SETTLED_ROWS = 1000;

/** Rows that `--skip`, `--limit` and `--transform` pass over count for neither limit. */
export function createRowLimitCheck(
  { maxInvalid, minRows = 0 }: RowLimits,
  before: RowsBefore = { read: [], invalid: 0, skipped: 0 },
): RowLimitCheck {
  const reached = new Map(before.read.entries());
  let read = before.read.reduce((sum, rows) => sum + rows, 0);
  let { skipped, invalid } = before;
  const rows = (): number => read - skipped;
  const reach = (source: number, row: number): void => {
    const before = reached.get(source) ?? 0;
    if (row <= before) return;
    read += row - before;
    reached.set(source, row);
  };
  const percent = maxInvalid !== undefined && 'percent' in maxInvalid ? maxInvalid.percent : undefined;
  const most = maxInvalid !== undefined && 'rows' in maxInvalid ? maxInvalid.rows : Number.POSITIVE_INFINITY;

  const tooMany = (atEnd: boolean): Stop | undefined => {
    if (invalid > most)
      return stop('invalid', `${invalid} rows are invalid, more than --max-invalid ${most} allows.`);
    const all = rows();
    if (percent === undefined || (all < SETTLED_ROWS && !atEnd) || invalid <= (all * percent) / 100)
      return undefined;
    return stop(
      'invalid',
      `${invalid} of ${all} rows are invalid, more than --max-invalid ${percent}% allows.`,
    );
  };

  return {
    see(item) {
      switch (item.kind) {
        case 'invalid':
          invalid += 1;
          reach(item.position.source, item.position.row);
          break;
        case 'skipped':
          // What an earlier run has sent came all the same.
          if (item.by === undefined) skipped += item.lastRow - item.firstRow + 1;
          reach(item.source, item.lastRow);
          break;
        case 'duplicate':
          reach(item.position.source, item.position.row);
          break;
        case 'batch':
          for (const cursor of item.commit.cursors) reach(cursor.source, cursor.rows);
          break;
        case 'again':
          break;
        case 'end':
          reach(item.source, item.rows);
      }
      return tooMany(false);
    },
    end() {
      if (rows() < minRows)
        return stop(
          'rows',
          `The inputs end after ${rows()} rows, fewer than --min-rows ${minRows} asks for.`,
        );
      return tooMany(true);
    },
    holds: () => rows() < Math.max(minRows, percent === undefined ? 0 : SETTLED_ROWS),
  };
}

/** Whether `--max-invalid` or `--min-rows` stopped a run. */
export function isRowLimit(stop: Stop | undefined): boolean {
  return stop?.code === 'invalid' || stop?.code === 'rows';
}

function stop(code: 'invalid' | 'rows', message: string): Stop {
  return { code, message };
}
