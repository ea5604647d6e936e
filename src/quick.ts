/** What can be answered without a command: the version, and the list of commands. Pure but for the version. */
import type { Entry } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { version } from './version.ts';

/**
 * The text for stdout, and the exit code. Undefined where a command is asked for, or anything else.
 *
 * @param columns width of the terminal; undefined where there is none
 */
export function quickAnswer(
  argv: readonly string[],
  columns: () => number | undefined,
): { readonly text: string; readonly exitCode: number } | undefined {
  const [only, ...others] = argv;
  if (others.length > 0) return undefined;
  switch (only) {
    case undefined:
      // Nothing was asked for: a script that forgot its command must notice.
      return { text: overview(columns()), exitCode: 2 };
    case '--help':
    case '-h':
      return { text: overview(columns()), exitCode: 0 };
    case '--version':
      return { text: `${version()}\n`, exitCode: 0 };
    default:
      return undefined;
  }
}

const ABOUT =
  'Uploads market signals and social engagement events from CSV or NDJSON. Every row is accounted for.';

const OPTIONS = [
  ['--version', 'output the version number'],
  ['-h, --help', 'display help for command'],
] as const;

/** Narrower than this, a column of words is harder to read than lines that the terminal breaks. */
const NARROWEST = 40;

/** The list of commands, as help shows it. @param columns width of the terminal; 80 where there is none */
export function overview(columns = 80): string {
  const lines = commands.map((entry) => [usage(entry), entry.summary] as const);
  const width = Math.max(...[...OPTIONS, ...lines].map(([term]) => term.length)) + 4;
  const item = ([term, words]: readonly [string, string]): string =>
    `  ${term}`.padEnd(width) + wrapped(words, columns - width).join(`\n${' '.repeat(width)}`);
  return [
    'Usage: signals [options] [command]',
    '',
    ...wrapped(ABOUT, columns),
    '',
    'Options:',
    ...OPTIONS.map(item),
    '',
    'Commands:',
    ...lines.map(item),
    '',
  ].join('\n');
}

function usage(entry: Entry): string {
  return [entry.name, '[options]', ...(entry.arguments === undefined ? [] : [entry.arguments])].join(' ');
}

/** Lines of at most so many characters, broken between words. */
function wrapped(text: string, width: number): readonly string[] {
  if (width < NARROWEST) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
