/**
 * `--max-invalid` and `--min-rows`: limits that keep a wrong input from being uploaded. Pure.
 *
 * What was sent cannot be taken back, so `--min-rows` holds all batches back until that many rows were read, and a
 * percentage holds them back for the first {@link MIN_SAMPLE} rows or to the end of shorter inputs. The gate bounds
 * the memory for that; a run that turns out too short after sending began is stopped all the same.
 */
import type { Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';

export interface RowLimits {
  /** `--max-invalid`: stop when more rows than this are invalid. */
  readonly maxInvalid?: { readonly rows: number } | { readonly percent: number } | undefined;
  /** `--min-rows`: stop if the inputs have fewer rows. */
  readonly minRows?: number | undefined;
}

/** Counts of an earlier part of a run. */
export interface RowsBefore {
  /** Rows of each input that are accounted for. */
  readonly read: readonly number[];
  readonly invalid: number;
  /** Rows skipped by `--skip`, `--limit` and `--transform`. */
  readonly skipped: number;
}

export interface RowLimitCheck {
  /** Counts a prepared item. Returns why the run must stop, if a limit is exceeded. */
  count(item: Prepared): Stop | undefined;
  /** Judges the limits at the end of the last input. */
  end(): Stop | undefined;
  /** Whether more rows are needed to judge, so that no batch may be sent yet. */
  isUndecided(): boolean;
}

/** Rows from which on a percentage is meaningful. */
const MIN_SAMPLE = 1000;

/** Whether a run was stopped by one of these limits. */
export function isRowLimit(stop: Stop | undefined): boolean {
  return stop?.code === 'invalid' || stop?.code === 'rows';
}

/** Rows skipped by `--skip`, `--limit` and `--transform` count for neither limit. */
export function createRowLimitCheck(
  { maxInvalid, minRows = 0 }: RowLimits,
  before: RowsBefore = { read: [], invalid: 0, skipped: 0 },
): RowLimitCheck {
  const lastRow = new Map(before.read.entries());
  let read = before.read.reduce((sum, rows) => sum + rows, 0);
  let { skipped, invalid } = before;
  const minSample = maxInvalid !== undefined && 'percent' in maxInvalid ? MIN_SAMPLE : 0;

  const countTo = (source: number, row: number): void => {
    const counted = lastRow.get(source) ?? 0;
    if (row <= counted) return;
    read += row - counted;
    lastRow.set(source, row);
  };

  return {
    count(item) {
      if (item.kind === 'invalid') invalid += 1;
      // Rows that an earlier run has sent are rows of this input.
      else if (item.kind === 'skipped' && item.by === undefined) skipped += item.lastRow - item.firstRow + 1;
      for (const [source, row] of rowsReached(item)) countTo(source, row);
      const rows = read - skipped;
      return rows < minSample ? undefined : tooManyInvalid(maxInvalid, invalid, rows);
    },
    end() {
      const rows = read - skipped;
      if (rows < minRows) {
        return { code: 'rows', message: `The inputs have ${rows} rows, fewer than --min-rows ${minRows}.` };
      }
      return tooManyInvalid(maxInvalid, invalid, rows);
    },
    isUndecided: () => read - skipped < Math.max(minRows, minSample),
  };
}

/** The last row, by source, that a prepared item accounts for. */
function rowsReached(item: Prepared): readonly (readonly [source: number, row: number])[] {
  switch (item.kind) {
    case 'invalid':
    case 'duplicate':
      return [[item.position.source, item.position.row]];
    case 'skipped':
      return [[item.source, item.lastRow]];
    case 'batch':
      return item.commit.cursors.map(({ source, rows }) => [source, rows]);
    case 'recut':
      return [];
    case 'end':
      return [[item.source, item.rows]];
  }
}

function tooManyInvalid(limit: RowLimits['maxInvalid'], invalid: number, rows: number): Stop | undefined {
  if (limit === undefined) return undefined;
  if ('rows' in limit) {
    if (invalid <= limit.rows) return undefined;
    return {
      code: 'invalid',
      message: `${invalid} rows are invalid, more than --max-invalid ${limit.rows} allows.`,
    };
  }
  if (invalid <= (rows * limit.percent) / 100) return undefined;
  return {
    code: 'invalid',
    message: `${invalid} of ${rows} rows are invalid, more than --max-invalid ${limit.percent}% allows.`,
  };
}
