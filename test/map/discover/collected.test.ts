/**
 * Discovery on real tables of public repositories, of sources that the scorer has never seen. The limits stand just below what was
 * measured on 2026-11-24: a change may not make discovery worse for tables that nobody who writes it has seen.
 */
import { expect, test } from 'vitest';
import { heldOutTables, judge, judgeType } from './headers.ts';

const tables = heldOutTables();

test('the type of tables that have one is mostly found, and seldom a wrong one', () => {
  const typed = tables.filter(({ type }) => type !== null);
  const share = (verdict: string): number =>
    typed.filter((table) => judgeType(table) === verdict).length / typed.length;
  expect(typed.length).toBeGreaterThan(100);
  expect(share('right')).toBeGreaterThan(0.58);
  expect(share('wrong')).toBeLessThan(0.02);
  const open = tables.filter(({ type }) => type === null);
  expect(open.filter((table) => judgeType(table) === 'wrong')).toEqual([]);
});

test('most columns that readers agree on are used or asked about, and few others are used', () => {
  const judged = tables.filter(({ type }) => type === 'signals' || type === 'social').map(judge);
  const sum = (key: 'wanted' | 'found' | 'asked'): number => judged.reduce((total, each) => total + each[key], 0);
  const wrong = judged.reduce((total, each) => total + each.wrong.length, 0);
  expect(sum('wanted')).toBeGreaterThan(150);
  expect(sum('found') / sum('wanted')).toBeGreaterThan(0.58);
  expect((sum('found') + sum('asked')) / sum('wanted')).toBeGreaterThan(0.905);
  expect(wrong / (sum('found') + wrong)).toBeLessThan(0.1);
});
