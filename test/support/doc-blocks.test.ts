/** The check of the docs would be worth nothing if it took any output for the shown one. */
import { expect, test } from 'vitest';
import { callsIn, leaveOut, matches } from './doc-blocks.ts';

const printed = ['a', 'b', 'c', 'd', 'e'];

test.each([
  ['the same lines', 'abcde'],
  ['a line in the middle', '…c…'],
  ['both ends', 'a…e'],
  ['nothing but what was left out', '…'],
  ['two pieces', '…b…d…'],
])('%s match', (_, shown) => {
  expect(matches([...shown], printed)).toBe(true);
});

test.each([
  ['a missing end', 'a…d'],
  ['a missing beginning', 'b…'],
  ['another order', '…d…b…'],
  ['fewer lines', 'abcd'],
  ['more lines', 'abcdef'],
  ['no lines', ''],
])('%s does not match', (_, shown) => {
  expect(matches([...shown], printed)).toBe(false);
});

test('leaves out the same parts again, and shows what has no neighbours any more', () => {
  expect(leaveOut(printed, [...'…c…']).join('')).toBe('…c…');
  expect(leaveOut(printed, [...'a…e']).join('')).toBe('a…e');
  expect(leaveOut(printed, ['…']).join('')).toBe('…');
  expect(leaveOut(printed, [...'…x…de']).join('')).toBe('abcde');
});

test('finds the calls in a script', () => {
  const script = 'day=$(date)\nsignals upload "$day.csv" --rate 5/s \\\n  --quiet || signals doctor # signals runs\n';
  expect(callsIn(script)).toEqual(['upload "$day.csv" --rate 5/s --quiet', 'doctor', 'runs']);
});
