/**
 * `node scripts/man.mjs FILE` writes the manual page, from the help of the built program. The help is made from the table of
 * commands and the option table.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const program = path.join(import.meta.dirname, '..', 'bin', 'signals.js');

/** @param {string} name */
function topic(name) {
  return execFileSync(process.execPath, [program, 'help', name], { encoding: 'utf8' });
}

/** @param {readonly string[]} words */
function help(...words) {
  return execFileSync(process.execPath, [program, ...words, '--help'], { encoding: 'utf8' });
}

/** The names in the list of commands. @param {string} text */
function commandsIn(text) {
  const [, list = ''] = /\nCommands:\n(.*?)(?:\n\n|$)/s.exec(text) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
}

/** @param {string} text */
function literal(text) {
  return `.nf\n${text
    .trimEnd()
    .replaceAll('\\', '\\e')
    .replace(/^([.'])/gm, '\\&$1')}\n.fi\n`;
}

const main = help();
const pages = commandsIn(main).flatMap((name) => {
  const text = help(name);
  return [{ name, text }, ...commandsIn(text).map((below) => ({ name: `${name} ${below}`, text: help(name, below) }))];
});
writeFileSync(
  process.argv[2] ?? 'signals.1',
  [
    '.TH SIGNALS 1\n.SH NAME\nsignals \\- upload market signals and social engagement events\n',
    `.SH SYNOPSIS\n${literal(main)}`,
    ...pages.map(({ name, text }) => `.SH SIGNALS ${name.toUpperCase()}\n${literal(text)}`),
    `.SH SETTINGS\n${literal(topic('settings'))}`,
    `.SH ENVIRONMENT\n${literal(topic('environment'))}`,
    `.SH EXIT STATUS\n${literal(topic('exit-codes'))}`,
  ].join(''),
);
