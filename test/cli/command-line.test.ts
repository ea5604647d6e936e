import { expect, test } from 'vitest';
import { earlyFlags } from '../../src/cli/command-line.ts';

test('early flags are found anywhere before `--`, not after it', () => {
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
