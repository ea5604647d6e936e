import { expect, test } from 'vitest';
import { earlyFlags } from '../../src/cli/command-line.ts';

test('flags that say how faults are told are found anywhere before two dashes, and not behind them', () => {
  expect(earlyFlags(['upload', 'in.csv', '--json', '--no-such', '--no-color'])).toEqual({
    noColor: true,
    yes: false,
    json: true,
  });
  expect(earlyFlags(['check', '--yes', '--', '--json', '--no-color'])).toEqual({
    noColor: false,
    yes: true,
    json: false,
  });
});
