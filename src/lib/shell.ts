/** Commands that can be pasted into a shell as they are shown. Pure: the caller says which kind of shell it is. */
import { printable } from './printable.ts';

/** `posix`: sh, bash, zsh and their like. `windows`: cmd and PowerShell, as far as one form suits both. */
export type Shell = 'posix' | 'windows';

/** @param platform as Node names it: `process.platform` */
export function shellOn(platform: string): Shell {
  return platform === 'win32' ? 'windows' : 'posix';
}

/** Never special in a POSIX shell; a leading `=` is a path look-up in zsh. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
const PLAIN_WINDOWS = /^[\w+=:./\\-]+$/;

/**
 * One word, quoted where the shell would otherwise change it (POSIX.1, "Shell Command Language", 2.2). A word
 * with control or invisible characters comes out as `$'…'` with octal escapes, which bash, zsh, ksh and
 * POSIX.1-2024 shells read back to the same bytes. Windows allows no such characters in file names: there they
 * become visible and the word is for reading only.
 */
export function shellQuote(word: string, shell: Shell): string {
  if (shell === 'windows') return PLAIN_WINDOWS.test(word) ? word : windowsQuoted(printable(word));
  if (PLAIN.test(word)) return word;
  if (printable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  let text = '';
  for (const character of word) {
    if (printable(character) !== character) text += octal(character);
    else text += character === "'" || character === '\\' ? `\\${character}` : character;
  }
  return `$'${text}'`;
}

/** A whole command: the words in which the program was called, as they are, then each argument quoted. */
export function shellCommand(invocation: string, words: readonly string[], shell: Shell): string {
  return [printable(invocation), ...words.map((word) => shellQuote(word, shell))].join(' ');
}

/** Builds a command for a message from its words: `resume`, an id. It repeats the options that the command needs again. */
export type Suggest = (...words: readonly string[]) => string;

/** A command that reads a file on stdin. PowerShell has no `<`; `type` is there in both shells of Windows. */
export function shellReading(command: string, file: string, shell: Shell): string {
  const word = shellQuote(file, shell);
  return shell === 'windows' ? `type ${word} | ${command}` : `${command} < ${word}`;
}

/** How a command is typed with a variable of the environment: one line, or one for each shell of Windows. */
export function shellWith(variable: string, value: string, command: string, shell: Shell): readonly string[] {
  if (shell === 'posix') return [`${variable}=${shellQuote(value, shell)} ${command}`];
  return [
    `PowerShell:  $env:${variable}=${windowsQuoted(printable(value))}; ${command}`,
    `cmd:         set "${variable}=${printable(value)}" && ${command}`,
  ];
}

function windowsQuoted(word: string): string {
  // Backslashes count as escapes only in front of a quote, the closing one included.
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

function octal(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}
