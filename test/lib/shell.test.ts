import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellCommand, shellOn, shellQuote, shellReading, shellWith } from '../../src/lib/shell.ts';

describe('shellQuote', () => {
  it.each([
    ['plain-word_1.csv', 'plain-word_1.csv'],
    ['runs/20261120T091502Z-a/rejects/in.csv', 'runs/20261120T091502Z-a/rejects/in.csv'],
    ['company_name=Company', 'company_name=Company'],
    ['my file.csv', "'my file.csv'"],
    ["it's.csv", "'it'\\''s.csv'"],
    ['$(rm -rf).csv', "'$(rm -rf).csv'"],
    ['~/in.csv', "'~/in.csv'"],
    ['=ls', "'=ls'"],
    ['', "''"],
    ['größe.csv', "'größe.csv'"],
    ['evil\x1b[2J.csv', "$'evil\\033[2J.csv'"],
    ["it's\na\\b.csv", "$'it\\'s\\012a\\\\b.csv'"],
  ])('writes %j as %s', (word, quoted) => {
    expect(shellQuote(word, 'posix')).toBe(quoted);
  });

  it.each([
    ['C:\\runs\\in.csv', 'C:\\runs\\in.csv'],
    ['my file.csv', '"my file.csv"'],
    ['my folder\\', '"my folder\\\\"'],
    ['a"b', '"a\\"b"'],
    ['a\x1bb', '"a\\x1bb"'],
    ['', '""'],
  ])('writes %j for windows as %s', (word, quoted) => {
    expect(shellQuote(word, 'windows')).toBe(quoted);
  });

  it.runIf(spawnSync('bash', ['-c', 'true']).status === 0)('is read back by a shell as it was', () => {
    const words = ["it's", 'a b', '$HOME', '`x`', 'new\nline', '\x1b[31m', '\u202eabc', "\\'", '!x', '*', '#a', '~'];
    const shell = spawnSync('bash', [
      '-c',
      `printf '%s\\0' ${words.map((word) => shellQuote(word, 'posix')).join(' ')}`,
    ]);
    expect(shell.stdout.toString('utf8').split('\0').slice(0, -1)).toEqual(words);
  });
});

describe('shellCommand', () => {
  it('does not quote the invocation and quotes each argument', () => {
    expect(shellCommand('npx signals', ['upload', 'my file.csv'], 'posix')).toBe("npx signals upload 'my file.csv'");
  });
});

describe('a command with input or a variable', () => {
  it('reads a file in the form of the platform', () => {
    const reading = (platform: string) => shellReading('signals config set api_key', 'my key.txt', shellOn(platform));
    expect(reading('linux')).toBe("signals config set api_key < 'my key.txt'");
    expect(reading('win32')).toBe('type "my key.txt" | signals config set api_key');
  });

  it('sets a variable in the form of the platform', () => {
    const given = (platform: string) => shellWith('SIGNALS_API_KEY', 'a key', 'signals upload', shellOn(platform));
    expect(given('darwin')).toEqual(["SIGNALS_API_KEY='a key' signals upload"]);
    expect(given('win32')).toEqual([
      'PowerShell:  $env:SIGNALS_API_KEY="a key"; signals upload',
      'cmd:         set "SIGNALS_API_KEY=a key" && signals upload',
    ]);
  });
});
