import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameColumns } from '../../src/input/column-names.ts';

describe('nameColumns', () => {
  it('trims names, and names columns without a name', () => {
    expect(nameColumns([' Company ', '', ' '])).toEqual(['Company', 'column 2', 'column 3']);
  });

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
