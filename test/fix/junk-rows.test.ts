import { expect, it } from 'vitest';
import { junkOf } from '../../src/fix/rejected-rows.ts';

const columns = ['_line', '_reason', 'Company', 'Signal Source', 'Date', 'Amount'];

it.each([
  [['Company', 'signal_source', 'Date', 'Amount'], 'header'],
  [['Company', 'Kind', 'Date', ''], 'header'],
  [['Total', '', '', '12'], 'total'],
  [['Summe:', '', '', ''], 'total'],
  [['Total Wine', 'news', '2026-11-20', '5'], undefined],
  [['Company', 'news', '2026-11-20', '5'], undefined],
  [['No activity to process', '', '', ''], 'note'],
  [['', '', 'Northwind', ''], undefined],
  [['', '', '', ''], undefined],
])('of %j is %s', (cells, junk) => {
  expect(junkOf(columns, ['7', 'invalid', ...cells])).toBe(junk);
});

it('is not looked for in objects', () => {
  expect(junkOf(['total'], { total: 'total' })).toBeUndefined();
});
