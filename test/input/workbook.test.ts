/** Compares our reading of workbooks of several writers with that of another reader, saved beside each (fixtures/workbooks/README.md). */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf, openOne } from './opened.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'fixtures', 'workbooks');

/** A cell as another reader gives it. */
type TheirCell =
  | null
  | string
  | number
  | boolean
  | { readonly date: string }
  | { readonly time: string }
  | { readonly days: number }
  | { readonly error: string };

interface Saved {
  readonly reader: string;
  readonly sheets: Readonly<Record<string, readonly (readonly TheirCell[])[]>>;
}

/** In an array: an error, or a formula without a value. */
type OurCell = string | readonly [string];

const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.xlsx') ? [file.slice(0, -5)] : []));

async function readSheet(name: string, sheet: string): Promise<readonly (readonly OurCell[])[]> {
  const input = await openOne(path.join(FOLDER, `${name}.xlsx`), undefined, { sheet });
  const lines = (await bytesOf(input)).toString().split('\n').slice(0, -1);
  return lines.map((line): readonly OurCell[] => (line === '' ? [] : JSON.parse(line)));
}

const DAY = 86_400_000;

/** The number that Excel stores for a date, a time or a number: days. Undefined for other texts. */
function daysOf(text: string): number | undefined {
  const time = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text);
  if (time !== null) return (Number(time[1]) * 60 + Number(time[2]) + Number(time[3]) / 60) / 1440;
  // What Excel shows for day 0. LibreOffice counts from the day before.
  const dated = text.replace(/^1900-01-00/, '1899-12-30');
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+)?$/.test(dated)) return undefined;
  return (Date.parse(dated.includes('T') ? `${dated}Z` : dated) - Date.UTC(1899, 11, 30)) / DAY;
}

function theirDays(cell: TheirCell): number | undefined {
  if (typeof cell !== 'object' || cell === null) return undefined;
  if ('days' in cell) return cell.days;
  if ('date' in cell) return daysOf(cell.date.replace(/(\.\d{3})\d+$/, '$1'));
  if (!('time' in cell)) return undefined;
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M([\d.]+)S$/.exec(cell.time) ?? [];
  return (Number(hours) * 60 + Number(minutes) + Number(seconds) / 60) / 1440;
}

/** LibreOffice saves hundredths of a second. */
const TOLERANCE = 10.5 / DAY;

/** Whether a cell of ours has the value that another reader found. */
function isEqual(ours: OurCell | undefined, theirs: TheirCell, reader: string): boolean {
  if (ours === undefined || ours === '') return theirs === null || theirs === '';
  if (theirs === null) return false;
  if (typeof ours !== 'string') return typeof theirs === 'object' && 'error' in theirs && theirs.error === ours[0];
  if (typeof theirs === 'boolean') return ours === String(theirs);
  if (typeof theirs === 'number') {
    // LibreOffice has no booleans without their format.
    if (reader.startsWith('LibreOffice') && ours === (theirs === 1 ? 'true' : 'false')) return true;
    // Others read doubles, and round them differently where we keep 15 digits.
    return Math.abs(Number(ours) - theirs) <= 5.1e-15 * Math.abs(theirs);
  }
  const days = theirDays(theirs);
  if (days === undefined) return ours === theirs;
  // An elapsed time stays a number of days. LibreOffice calls it a time.
  const isElapsed = !(typeof theirs === 'object' && 'date' in theirs);
  const mine = daysOf(ours) ?? (isElapsed ? Number(ours) : Number.NaN);
  return Math.abs(mine - days) < TOLERANCE;
}

interface Difference {
  readonly row: number;
  readonly column: number;
  readonly ours: OurCell | undefined;
  readonly theirs: TheirCell;
}

function differences(
  ours: readonly (readonly OurCell[])[],
  theirs: readonly (readonly TheirCell[])[],
  reader: string,
): readonly Difference[] {
  const found: Difference[] = [];
  for (let row = 0; row < Math.max(ours.length, theirs.length); row += 1) {
    const [mine = [], yours = []] = [ours[row], theirs[row]];
    for (let column = 0; column < Math.max(mine.length, yours.length); column += 1) {
      if (isEqual(mine[column], yours[column] ?? null, reader)) continue;
      found.push({ row: row + 1, column: column + 1, ours: mine[column], theirs: yours[column] ?? null });
    }
  }
  return found;
}

/** Where the other reader is wrong, and why. Cells by row and column, from 1. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  // openpyxl takes the format "[BLUE]d" for a number, and day 0 of 1904 for a time.
  'libreoffice-formats': ['25:2', '25:3', '25:4'],
  'libreoffice-dates-1904': ['2:1'],
  // LibreOffice makes numbers of dates in ISO form.
  'raw-strict': ['2:1', '3:1'],
};

describe('a workbook has the cells that another reader has saved', () => {
  it.each(names)('%s', async (name) => {
    const { reader, sheets }: Saved = JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'));
    const wrong = WRONG[name] ?? [];
    for (const [sheet, rows] of Object.entries(sheets)) {
      const found = differences(rows.length === 0 ? [] : await readSheet(name, sheet), rows, reader);
      expect(
        found.filter(({ row, column }) => !wrong.includes(`${row}:${column}`)),
        sheet,
      ).toEqual([]);
    }
  });
});
