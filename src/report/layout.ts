/** The pieces of which the texts are laid out: aligned tables, headed sections, lists of names. Pure. */
import { displayWidth, printable } from './printable.ts';
import type { Style } from './style.ts';
import { count } from './units.ts';

const NAME_LIMIT = 120;
const NAMES_SHOWN = 3;

/**
 * Lines of a table, indented by two. Columns are padded to their widest cell; a number is set to the right, a
 * text to the left. Cells must be printable.
 */
export function table(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? count(cell) : cell)));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
    }
  }
  return rows.map((row, line) => {
    const padded = row.map((cell, index) => {
      const text = cells[line]?.[index] ?? '';
      const space = ' '.repeat((widths[index] ?? 0) - displayWidth(text));
      return typeof cell === 'number' ? space + text : text + space;
    });
    return `  ${padded.join('  ')}`.trimEnd();
  });
}

/** A heading and its lines, or nothing where there are no lines. */
export function section(heading: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : [[style.bold(heading), ...lines].join('\n')];
}

/** One sentence a bullet; what follows a line end inside one stays under its bullet. */
export function bullets(sentences: readonly string[]): readonly string[] {
  return sentences.map((sentence) => `  - ${sentence.replaceAll('\n', '\n    ')}`);
}

/** `a.csv`, `a.csv and b.csv`, `a.csv, b.csv, c.csv and 4 more`. */
export function nameList(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => printable(name, NAME_LIMIT));
  if (names.length > NAMES_SHOWN) shown.push(`${count(names.length - NAMES_SHOWN)} more`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** `in.csv:12`. */
export function place(
  names: readonly string[],
  at: { readonly source: number; readonly line: number },
): string {
  return `${printable(names[at.source] ?? `input ${at.source + 1}`, NAME_LIMIT)}:${at.line}`;
}
