/** Lays out texts: styles, aligned tables, sections with headings, lists of names. Pure. */
import { stripVTControlCharacters as unstyled } from 'node:util';
import { displayWidth, printable } from '../lib/printable.ts';
import { formatList } from '../lib/text.ts';
import { count } from '../lib/units.ts';

/** The styles of terminal text. The caller passes functions, because report does not know the terminal. */
export type Style = Readonly<Record<'bold' | 'red' | 'yellow' | 'green', (text: string) => string>>;

const same = (text: string): string => text;

/** Without styles: for files, pipes and tests. */
export const plain: Style = { bold: same, red: same, yellow: same, green: same };

/** Of a file in a list and of one with a line, which can be pasted. */
const NAME_LIMIT = 60;
const PLACE_LIMIT = 120;
const NAMES_SHOWN = 3;

/**
 * Lines of a table, indented by two spaces. Columns are as wide as their widest cell; numbers are right-aligned, texts
 * left-aligned. Cells must be printable.
 */
export function table(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? count(cell) : cell)));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, screenWidth(cell));
    }
  }
  return rows.map((row, line) => {
    const padded = row.map((cell, index) => {
      const text = cells[line]?.[index] ?? '';
      const space = ' '.repeat((widths[index] ?? 0) - screenWidth(text));
      return typeof cell === 'number' ? space + text : text + space;
    });
    return `  ${padded.join('  ')}`.trimEnd();
  });
}

/** Like {@link table}, but wraps the last column, which is a sentence. @param width of the screen, in columns */
export function hangingTable(rows: readonly (readonly string[])[], width: number): readonly string[] {
  return wrapLines(table(rows).join('\n'), width);
}

/** Wraps the paragraphs of a help: lines without an indent belong to one, and an indented line stays apart. */
export function wrapText(text: string, width: number): readonly string[] {
  return wrapLines(text.replace(/(?<=^\S.*)\n(?=\S)/gm, ' '), width);
}

/**
 * Wraps each line at words. What does not fit continues below the last column of the line, or below its text.
 *
 * @param invocation how commands in the text begin, besides `signals` in a help. They stay in one piece, like text in
 *   backquotes: pasted from two lines, the shell would run the first one alone.
 */
export function wrapLines(text: string, width: number, invocation?: string): readonly string[] {
  const starts = ['signals', ...(invocation === undefined ? [] : [invocation])];
  const isCommand = (text: string): boolean => {
    const words = text.replace(/^[A-Z_]+=\S+ /, '');
    return starts.some((start) => words.startsWith(start) && /^ [a-z]/.test(words.slice(start.length)));
  };
  return text
    .split('\n')
    .flatMap((line) => (isCommand(unstyled(line).trimStart()) ? [line] : wrapLine(line, width, isCommand)));
}

const MIN_WRAP_WIDTH = 30;

type IsCommand = (text: string) => boolean;

/** The indent and all columns of a line but the last; a bullet is a column. */
const HEAD = /^ *(?:- )?(?:.*\S {2,}(?=\S))?/;

function wrapLine(line: string, width: number, isCommand: IsCommand): readonly string[] {
  if (screenWidth(line) <= width) return [line];
  const [head = ''] = HEAD.exec(line) ?? [];
  const text = line.slice(head.length);
  const indent = ' '.repeat(head.length - head.trimStart().length + 4);
  if (isCommand(unstyled(text))) {
    const isWhole = head.trim() !== '' && indent.length + screenWidth(text) <= width;
    return isWhole ? [head.trimEnd(), indent + text] : [line];
  }
  const column = screenWidth(head);
  const space = width - column;
  if (space >= MIN_WRAP_WIDTH || head.trim() === '') {
    return wrapped(text, Math.max(MIN_WRAP_WIDTH, space), isCommand).map(
      (part, index) => (index === 0 ? head : ' '.repeat(column)) + part,
    );
  }
  return [
    ...wrapLine(head.trimEnd(), width, isCommand),
    ...wrapped(text, Math.max(MIN_WRAP_WIDTH, width - indent.length), isCommand).map((part) => indent + part),
  ];
}

/** Lines of at most `width` columns, except for longer words. */
function wrapped(text: string, width: number, isCommand: IsCommand): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '') {
    const isAfterColon = lines.at(-1)?.endsWith(':') === true;
    const word = isAfterColon && isCommand(rest) ? rest : (WORD.exec(rest)?.[0] ?? rest);
    rest = rest.slice(word.length).replace(/^ /, '');
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || screenWidth(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

const WORD = /^ *(?:[^\s`]*`[^`]*`\S*|\S+)/;

/** Columns that a text takes on a terminal, without the codes of its styles. */
function screenWidth(text: string): number {
  return displayWidth(unstyled(text));
}

export function section(heading: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : [[style.bold(heading), ...lines].join('\n')];
}

export function when(condition: boolean, ...lines: readonly string[]): readonly string[] {
  return condition ? lines : [];
}

/** One bullet per sentence. Further lines of a sentence are indented. */
export function bullets(sentences: readonly string[]): readonly string[] {
  return sentences.map((sentence) => `  - ${sentence.replaceAll('\n', '\n    ')}`);
}

/** `a.csv`, `a.csv and b.csv`, `a.csv, b.csv, c.csv and 4 more`. */
export function nameList(names: readonly string[]): string {
  const shown = names.map((name) => shortName(name, NAME_LIMIT));
  return formatList(shown, '', NAMES_SHOWN);
}

/** `2026-11-20 09:15 UTC` */
export function whenText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/** `in.csv:12`. */
export function place(names: readonly string[], at: { readonly source: number; readonly line: number }): string {
  return `${shortName(names[at.source] ?? `input ${at.source + 1}`, PLACE_LIMIT)}:${at.line}`;
}

/** A name of at most so many characters, cut in its middle: files are told apart by their beginnings and ends. */
export function shortName(name: string, limit: number): string {
  const all = [...printable(name)];
  if (all.length <= limit) return all.join('');
  const half = Math.floor(limit / 2);
  return `${all.slice(0, limit - half - 1).join('')}…${all.slice(-half).join('')}`;
}
