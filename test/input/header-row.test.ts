import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHeaderRow, nameColumns } from '../../src/input/header-row.ts';

/** Rows of cells separated by blanks; `_` is an empty cell. */
const rows = (...lines: readonly string[]): readonly (readonly string[])[] =>
  lines.map((line) => line.split(' ').map((cell) => (cell === '_' ? '' : cell)));

describe('the header of a table', () => {
  it('is the first row if it names at least half of the columns', () => {
    expect(findHeaderRow(rows('Name City', 'Acme 1'))).toEqual({ index: 0, isClear: true });
    expect(findHeaderRow(rows('Name City _ _', 'Acme Oslo x 1'))).toEqual({ index: 0, isClear: true });
    expect(findHeaderRow(rows('Name', 'Acme'))).toEqual({ index: 0, isClear: true });
    expect(findHeaderRow([])).toEqual({ index: 0, isClear: true });
  });

  it('is the first full row after a title, a date, or groups of columns', () => {
    for (const before of [['Report'], ['Report _ _', '_ 2026-11-20 _'], ['_ _ Money']]) {
      expect(findHeaderRow(rows(...before, 'Name Site Raised', 'Acme a.example 5', 'Beta b.example 7'))).toEqual({
        index: before.length,
        isClear: true,
      });
    }
    expect(findHeaderRow(rows('Report', 'Name Raised', 'Acme 5'))).toEqual({ index: 1, isClear: true });
  });

  it('is not clear if the row could be a row of values', () => {
    const doubtful: readonly (readonly string[])[] = [
      // Nothing tells the names from the values; no row below; a name twice; a number, an address, or a gap as a name.
      ['Name', 'Doe John Oslo', 'Roe Jane Rome'],
      ['Name', 'Doe John Oslo'],
      ['Name', 'Doe Doe Raised', 'Acme a.example 5'],
      ['Name', 'Acme 4 Raised', 'Beta 5 7'],
      ['Name', 'Acme ann@a.example Raised', 'Beta 5 7'],
      ['Name', 'Acme _ Raised', 'Beta x 7'],
    ];
    for (const lines of doubtful)
      expect([lines, findHeaderRow(rows(...lines))]).toEqual([lines, { index: 1, isClear: false }]);
  });

  it('is the first row if no row among the first thirty has more cells', () => {
    const sparse = Array.from({ length: 40 }, () => 'x _ _ _');
    expect(findHeaderRow(rows('Name', ...sparse, 'a b c d', '1 2 3 4')).index).toBe(0);
  });
});

describe('nameColumns', () => {
  it('numbers repeated names and keeps names that the header contains', () => {
    expect(nameColumns(['A', 'A', 'A (2)', 'A', 'column 6', ''])).toEqual([
      'A',
      'A (3)',
      'A (2)',
      'A (4)',
      'column 6',
      'column 6 (2)',
    ]);
  });

  it('never gives two columns the same name', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'A', 'A (2)', 'A (2) (2)', 'column 1', 'column 2')), (cells) => {
        expect(new Set(nameColumns(cells)).size).toBe(cells.length);
      }),
    );
  });
});
