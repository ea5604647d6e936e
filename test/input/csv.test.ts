import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHeaderRow, nameColumns } from '../../src/input/header-row.ts';

describe('the header of a table', () => {
  it('is the first row if no row among the first thirty has more cells', () => {
    const sparse = Array.from({ length: 40 }, () => ['x', '', '', '']);
    const table = ['a b c d', '1 2 3 4'].map((line) => line.split(' '));
    expect(findHeaderRow([['Name'], ...sparse, ...table]).index).toBe(0);
  });
});

describe('nameColumns', () => {
  it('never gives two columns the same name', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'A', 'A (2)', 'A (2) (2)', 'column 1', 'column 2')), (cells) => {
        expect(new Set(nameColumns(cells)).size).toBe(cells.length);
      }),
    );
  });
});
