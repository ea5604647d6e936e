import { expect, test } from 'vitest';
import { earlyFlags } from '../../src/cli/command-line.ts';
import { longestOutage } from '../../src/commands/screen/show-run.ts';
import { fakeStreams } from '../support/fake-terminal.ts';

test('early flags are found anywhere before `--`, not after it', () => {
  expect(earlyFlags(['upload', 'in.csv', '--json', '--no-such', '--no-color'])).toMatchObject({
    noColor: true,
    yes: false,
    json: true,
  });
  expect(earlyFlags(['check', '--yes', '--', '--json', '--no-color'])).toMatchObject({
    noColor: false,
    yes: true,
    json: false,
  });
});

test('the log is known before parsing, in both ways to write a value; another format is left to the parser', () => {
  const { logFormat, logFile } = earlyFlags(['upload', '--log-format', 'json', '--log-file=a b.log']);
  expect({ logFormat, logFile }).toEqual({ logFormat: 'json', logFile: 'a b.log' });
  expect(earlyFlags(['upload', '--log-format=xml']).logFormat).toBeUndefined();
  expect(earlyFlags(['upload', '--log-format']).logFormat).toBeUndefined();
});

test.each([
  ['two minutes', true, 120_000],
  ['thirty minutes', false, 1_800_000],
])('an outage may last %s, on a terminal: %s', (_time, terminal, ms) => {
  expect(longestOutage(fakeStreams({ terminal }))).toBe(ms);
});
