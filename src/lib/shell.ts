/** Words of commands as a shell reads them, and printed commands. */
import { printable } from './printable.ts';

/** `posix`: sh, bash, zsh. `windows`: cmd and PowerShell, in a common form if possible. */
export type Shell = 'posix' | 'windows';

/** @param platform `process.platform` */
export function shellOn(platform: string): Shell {
  return platform === 'win32' ? 'windows' : 'posix';
}

/** Characters without a special meaning in a POSIX shell. A leading `=` is a path lookup in zsh. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
const PLAIN_WINDOWS = /^[\w+=:./\\-]+$/;

/**
 * Quotes a word if the shell would change it (POSIX.1, "Shell Command Language", 2.2). A word with control or invisible
 * characters becomes `$'…'` with octal escapes, which bash, zsh, ksh and POSIX.1-2024 shells decode to the same bytes.
 * Windows does not allow such characters in file names: there they become visible escapes, for reading only.
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

export function shellCommand(invocation: string, words: readonly string[], shell: Shell): string {
  return [printable(invocation), ...words.map((word) => shellQuote(word, shell))].join(' ');
}

/** Builds a command for a message from its words (`resume`, an id) and adds the options that it needs. */
export type Suggest = (...words: readonly string[]) => string;

/** A command that reads a file on stdin. PowerShell has no `<`; both Windows shells have `type`. */
export function shellReading(command: string, file: string, shell: Shell): string {
  const word = shellQuote(file, shell);
  return shell === 'windows' ? `type ${word} | ${command}` : `${command} < ${word}`;
}

export function shellWith(variable: string, value: string, command: string, shell: Shell): readonly string[] {
  if (shell === 'posix') return [`${variable}=${shellQuote(value, shell)} ${command}`];
  return [
    `PowerShell:  $env:${variable}=${windowsQuoted(printable(value))}; ${command}`,
    `cmd:         set "${variable}=${printable(value)}" && ${command}`,
  ];
}

function windowsQuoted(word: string): string {
  // A backslash is an escape only before a quote, also before the closing one.
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

function octal(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
