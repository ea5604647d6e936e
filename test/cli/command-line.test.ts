import { expect, test } from 'vitest';
import { earlyFlags } from '../../src/cli/command-line.ts';

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
