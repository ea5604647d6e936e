/**
 * Which character separates the cells of a CSV input, judged from its first rows and from nothing else: a file
 * called .csv may hold tabs or semicolons.
 *
 * A candidate must separate the first row. Of several, the one under which the rows have the first row's number
 * of cells wins. A character that stands only where prose or a decimal comma has one (before a space, between two
 * digits) gives way to one that does not. What is still open is asked of the user, and never guessed.
 */
import { ProblemError } from '../model/problem.ts';

/** What is tried where nobody names a delimiter. */
export const CANDIDATES: readonly string[] = [',', ';', '\t', '|', '^'];

/** The first rows of an input, as they are when cells are separated by `delimiter`. */
export interface DelimiterTrial {
  readonly delimiter: string;
  readonly rows: readonly (readonly string[])[];
  /** Physical line of each of the rows. */
  readonly lines: readonly number[];
}

/** Two candidates whose shares of fitting rows are nearer than this are equals. */
const CLEAR_MARGIN = 0.2;

/** Below this share of fitting rows, the first row is probably not the header. */
const LIKELY_HEADER = 0.5;

/** Share of rows of one and the same width that shows a table below a report's preamble. */
const TABLE_SHARE = 0.6;

/** Fewer columns than this are no table that a preamble could be told from. */
const LEAST_PADDED = 3;

interface ScoredTrial {
  readonly trial: DelimiterTrial;
  /** Cells of the first row. */
  readonly width: number;
  /** Share of the other rows with as many cells; 1 where there is no other row. */
  readonly fit: number;
  /** Whether the character stands only where a text or a number has it. */
  readonly prose: boolean;
}

/**
 * @param trials one for each candidate whose first row could be read.
 * @param fallback what a single column is read with; it also wins where it separates cells and its file's name
 * says so (`named`).
 * @throws ProblemError `input.delimiter` where two fit, `input.header` where the table begins further down.
 */
export function chooseDelimiter(
  name: string,
  trials: readonly DelimiterTrial[],
  { fallback, named, header }: { fallback: string; named: boolean; header: boolean },
): string {
  const all = trials.map(scoreTrial).filter(({ width }) => width > 1);
  const ownText = all.some(({ prose }) => !prose) ? all.filter(({ prose }) => !prose) : all;
  const ranked = ownText.toSorted((one, other) => other.fit - one.fit || other.width - one.width);
  const [best, second] = ranked;
  if (header && (best?.fit ?? 0) < LIKELY_HEADER) refusePreamble(name, trials, best?.width ?? 1);
  if (named && all.some(({ trial }) => trial.delimiter === fallback)) return fallback;
  if (best === undefined) return fallback;
  if (second === undefined || isClear(best, second)) {
    if (header) refusePadded(name, best.trial);
    return best.trial.delimiter;
  }
  throw ambiguous(name, best, second);
}

function scoreTrial(trial: DelimiterTrial): ScoredTrial {
  const [first, ...others] = trial.rows;
  const width = first?.length ?? 0;
  const fitting = others.filter((cells) => fits(cells, width)).length;
  return {
    trial,
    width,
    fit: others.length === 0 ? 1 : fitting / others.length,
    prose: isProse(trial.rows, trial.delimiter),
  };
}

/** Spreadsheets write empty cells behind the last column. */
function fits(cells: readonly string[], width: number): boolean {
  return cells.length >= width && cells.slice(width).every((cell) => cell.trim() === '');
}

/** Whether the delimiter stands only where prose has it, or, for a comma, where a number has it. */
function isProse(rows: readonly (readonly string[])[], delimiter: string): boolean {
  if (delimiter === '\t') return false;
  return rows.every((cells) =>
    cells.every((cell, index) => {
      const before = cells[index - 1];
      if (before === undefined || /^ \S/.test(cell)) return true;
      return delimiter === ',' && /\d$/.test(before) && /^\d/.test(cell);
    }),
  );
}

function isClear(best: ScoredTrial, second: ScoredTrial): boolean {
  if (best.fit - second.fit >= CLEAR_MARGIN) return true;
  return best.fit >= second.fit && best.width >= 2 * second.width;
}

export function delimiterName(delimiter: string): string {
  const names: Readonly<Record<string, string>> = {
    ',': 'comma',
    ';': 'semicolon',
    '\t': 'tab',
    '|': 'vertical bar',
    '^': 'caret',
    ' ': 'space',
  };
  return names[delimiter] ?? `delimiter ${delimiter}`;
}

/** A delimiter as a word of a command line. */
function asOption(delimiter: string): string {
  return delimiter === '\t' ? '`--delimiter tab`' : `\`--delimiter '${delimiter}'\``;
}

function ambiguous(name: string, best: ScoredTrial, second: ScoredTrial): ProblemError {
  const reading = ({ trial, width }: ScoredTrial): string =>
    `by ${delimiterName(trial.delimiter)} into ${width} columns`;
  return new ProblemError({
    code: 'input.delimiter',
    message: `The cells of '${name}' could be separated ${reading(best)}, or ${reading(second)}; expected one reading.`,
    where: name,
    hint: `Say which: ${asOption(best.trial.delimiter)} or ${asOption(second.trial.delimiter)}.`,
  });
}

/** A preamble to which a spreadsheet has added empty cells, so that its lines are as wide as the table's. */
function refusePadded(name: string, { rows, lines }: DelimiterTrial): void {
  const filled = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length;
  const [first = []] = rows;
  if (first.length < LEAST_PADDED || 2 * filled(first) >= first.length) return;
  const header = rows.findIndex((cells) => cells.length >= first.length && filled(cells) === cells.length);
  const line = lines[header];
  if (header < 1 || line === undefined) return;
  throw new ProblemError({
    code: 'input.header',
    message: `The first line of '${name}' names ${filled(first)} of its ${first.length} columns, but line ${line} has a text in each; expected the header first.`,
    where: `${name}:${lines[0] ?? 1}`,
    hint: `Where the header is on line ${line}, give \`--header-line ${line}\`; where it is the first line, give the delimiter with \`--delimiter\`.`,
  });
}

/** Some lines above the table: a report's title, or the date of the export. */
function refusePreamble(name: string, trials: readonly DelimiterTrial[], width: number): void {
  for (const { delimiter, rows, lines } of trials) {
    const below = rows.slice(1);
    const widths = new Map<number, number>();
    for (const cells of below) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    const [most, times] = [...widths].toSorted(([, one], [, other]) => other - one)[0] ?? [0, 0];
    if (most <= width || times < 2 || times / below.length < TABLE_SHARE) continue;
    if (isProse(below, delimiter)) continue;
    const line = lines[rows.findIndex((cells) => cells.length === most)];
    throw new ProblemError({
      code: 'input.header',
      message: `The first line of '${name}' has ${width === 1 ? 'one cell' : `${width} cells`}, but most lines below have ${most}, separated by ${delimiterName(delimiter)}; expected the header first.`,
      where: `${name}:${lines[0] ?? 1}`,
      hint: `Where the header is on line ${line}, give \`--header-line ${line}\`.`,
    });
  }
}
