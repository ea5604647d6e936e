/**
 * Detects which character separates the cells of a CSV input, from its first rows only: a file named .csv may contain
 * tabs or semicolons.
 *
 * A candidate must separate the first row. Of several, the one wins under which most rows have as many cells as the
 * first. A character that occurs only where prose or a decimal comma has one (before a space, between two digits) loses
 * to one that does not. If two candidates fit equally well, the user must choose.
 */
import { ProblemError } from '../model/problem.ts';
import { findHeaderRow, type HeaderRow, headerProblem } from './header-row.ts';

/** The delimiters that detection tries. */
export const CANDIDATES: readonly string[] = [',', ';', '\t', '|', '^'];

/** The first rows of an input, parsed with `delimiter`. */
export interface DelimiterTrial {
  readonly delimiter: string;
  readonly rows: readonly (readonly string[])[];
  /** Physical line of each of the rows. */
  readonly lines: readonly number[];
}

/** Two candidates whose shares of fitting rows differ by less than this fit equally well. */
const CLEAR_MARGIN = 0.2;

/** Below this share of fitting rows, the first row is probably not the header. */
const LIKELY_HEADER = 0.5;

/** Share of rows with the same width that indicates a table after a preamble. */
const TABLE_SHARE = 0.6;

interface ScoredTrial extends DelimiterTrial {
  readonly headerRow: HeaderRow;
  /** Cells of the header. */
  readonly width: number;
  /** Share of the rows after it with as many cells; 1 if there is none. */
  readonly fit: number;
  /** Whether the character occurs only where a text or a number has it. */
  readonly prose: boolean;
}

/** What separates the cells, and the physical line of the header. */
export interface FoundTable {
  readonly delimiter: string;
  /** Absent if it is the first. */
  readonly line?: number | undefined;
}

/**
 * @param trials one for each candidate whose first row could be read
 * @param fallback for a single column; also wins if it separates cells and the file name indicates it (`named`)
 * @param header whether to search for a header
 * @throws ProblemError `input.delimiter` if two fit, `input.header` if the table begins further down
 */
export function chooseDelimiter(
  name: string,
  trials: readonly DelimiterTrial[],
  { fallback, named, header }: { fallback: string; named: boolean; header: boolean },
): FoundTable {
  const scored = trials.map((trial) => scoreTrial(trial, header)).filter(({ width }) => width > 1);
  const atTop = scored.filter(({ headerRow }) => headerRow.index === 0);
  const all = atTop.some(({ fit, prose }) => fit >= LIKELY_HEADER && !prose) ? atTop : scored;
  const plausible = all.some(({ prose }) => !prose) ? all.filter(({ prose }) => !prose) : all;
  const [best, second] = plausible.toSorted((one, other) => other.fit - one.fit || other.width - one.width);
  if (header && (best?.fit ?? 0) < LIKELY_HEADER) refusePreamble(name, trials, best?.width ?? 1);
  const preferred = named ? all.find(({ delimiter }) => delimiter === fallback) : undefined;
  if (best === undefined) return { delimiter: fallback };
  const isClear =
    preferred !== undefined ||
    second === undefined ||
    best.fit - second.fit >= CLEAR_MARGIN ||
    (best.fit >= second.fit && best.width >= 2 * second.width);
  if (isClear) return tableOf(name, preferred ?? best);
  const [reading, other] = [best, second].map(
    ({ delimiter, width }) => `by ${delimiterName(delimiter)} into ${width} columns`,
  );
  throw new ProblemError({
    code: 'input.delimiter',
    message: `The delimiter of '${name}' is ambiguous: cells could be separated ${reading} or ${other}.`,
    where: name,
    hint: `Pass ${asOption(best.delimiter)} or ${asOption(second.delimiter)}.`,
  });
}

/** @throws ProblemError `input.header` if it is not clear which row is the header */
function tableOf(name: string, { delimiter, rows, lines, headerRow }: ScoredTrial): FoundTable {
  if (!headerRow.isClear) throw headerProblem(name, rows, lines, headerRow);
  return { delimiter, line: headerRow.index === 0 ? undefined : lines[headerRow.index] };
}

/** The header under a delimiter that the user has given. */
export function findHeader(name: string, trial: DelimiterTrial): FoundTable {
  return tableOf(name, scoreTrial(trial, true));
}

const FIRST_ROW: HeaderRow = { index: 0, isClear: true };

function scoreTrial(trial: DelimiterTrial, header: boolean): ScoredTrial {
  const headerRow = header ? findHeaderRow(trial.rows) : FIRST_ROW;
  const scored = scoreFrom(trial, headerRow);
  const isTable = headerRow.index === 0 || (scored.fit >= TABLE_SHARE && !scored.prose);
  return isTable ? scored : scoreFrom(trial, FIRST_ROW);
}

function scoreFrom(trial: DelimiterTrial, headerRow: HeaderRow): ScoredTrial {
  const rows = trial.rows.slice(headerRow.index);
  const [first = [], ...others] = rows;
  const width = first.length;
  const fitting = others.filter((cells) => fits(cells, width)).length;
  const fit = others.length === 0 ? 1 : fitting / others.length;
  return { ...trial, headerRow, width, fit, prose: isProse(rows, trial.delimiter) };
}

/** Spreadsheets write empty cells after the last column. */
function fits(cells: readonly string[], width: number): boolean {
  return cells.length >= width && cells.slice(width).every((cell) => cell.trim() === '');
}

/** Whether the delimiter occurs only where prose has it or, for a comma, where a number has it. */
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

const NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
  '^': 'caret',
  ' ': 'space',
};

export function delimiterName(delimiter: string): string {
  return NAMES[delimiter] ?? `delimiter ${delimiter}`;
}

/** A delimiter as a command-line option. */
function asOption(delimiter: string): string {
  return delimiter === '\t' ? '`--delimiter tab`' : `\`--delimiter '${delimiter}'\``;
}

/** Refuses lines before the table, such as a title or the date of the export. */
function refusePreamble(name: string, trials: readonly DelimiterTrial[], width: number): void {
  for (const { delimiter, rows, lines } of trials) {
    const others = rows.slice(1);
    const widths = new Map<number, number>();
    for (const cells of others) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    const [most, times] = [...widths].toSorted(([, one], [, other]) => other - one)[0] ?? [0, 0];
    if (most <= width || times < 2 || times / others.length < TABLE_SHARE) continue;
    if (isProse(others, delimiter)) continue;
    const line = lines[rows.findIndex((cells) => cells.length === most)];
    throw new ProblemError({
      code: 'input.header',
      message: `The first line of '${name}' has ${width === 1 ? 'one cell' : `${width} cells`}, but most lines below have ${most}, separated by ${delimiterName(delimiter)}; expected the header first.`,
      where: `${name}:${lines[0] ?? 1}`,
      hint: `If the header is on line ${line}, use \`--header-line ${line}\`.`,
    });
  }
}
