import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameColumns } from '../../src/decode/column-names.ts';

describe('nameColumns', () => {
  it('trims names and gives one to each column without', () => {
    expect(nameColumns([' Company ', '', ' '])).toEqual(['Company', 'column 2', 'column 3']);
  });

  it('numbers a repeated name and leaves written names where they are', () => {
    expect(nameColumns(['A', 'A', 'A (2)', 'A', 'column 6', ''])).toEqual([
      'A',
      'A (3)',
      'A (2)',
      'A (4)',
      'column 6',
      'column 6 (2)',
    ]);
  });

  it('never names two columns alike', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'A', 'A (2)', 'A (2) (2)', 'column 1', 'column 2')), (cells) => {
        expect(new Set(nameColumns(cells)).size).toBe(cells.length);
      }),
    );
  });
});
