import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellQuote } from '../../src/lib/shell.ts';

it.runIf(spawnSync('bash', ['-c', 'true']).status === 0)('a quoted word is read back by a shell as it was', () => {
  const words = ["it's", 'a b', '$HOME', '`x`', 'new\nline', '\x1b[31m', '\u202eabc', "\\'", '!x', '*', '#a', '~'];
  const shell = spawnSync('bash', ['-c', `printf '%s\\0' ${words.map((word) => shellQuote(word, 'posix')).join(' ')}`]);
  expect(shell.stdout.toString('utf8').split('\0').slice(0, -1)).toEqual(words);
});
