import { describe, expect, it } from 'vitest';
import { findHeaderRow } from '../../src/input/header-row.ts';

describe('the header of a table', () => {
  it('is the first row if no row among the first thirty has more cells', () => {
    const sparse = Array.from({ length: 40 }, () => ['x', '', '', '']);
    const table = ['a b c d', '1 2 3 4'].map((line) => line.split(' '));
    expect(findHeaderRow([['Name'], ...sparse, ...table]).index).toBe(0);
  });
});
