/**
 * Makes text that a file or a server wrote safe to show: nothing in it can move the cursor, change a colour,
 * turn the reading direction, hide itself or start a line. Every door to the terminal passes text through here.
 *
 * Limits: letters that merely look alike are left as they are, and the escapes are for reading, not for
 * parsing: a backslash of the text itself is not doubled.
 */

/**
 * Controls (C0, C1, DEL), format characters (bidi, zero-width, BOM, tags), line and paragraph separators,
 * lone surrogates, and other characters that show as nothing. The emoji variation selector stays: it is part
 * of ordinary text and changes a picture only.
 */
const UNSAFE = /(?!\u{fe0f})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * The text with every unsafe character as a visible escape (`\n`, `\x1b`, `\u202e`, `\u{e0041}`), in one line,
 * and at most `limit` characters (code points) long: a longer one ends in `…`. An escape is never cut in half.
 */
export function printable(text: string, limit = Number.POSITIVE_INFINITY): string {
  if (text.length <= limit && !UNSAFE.test(text)) return text;
  let shown = '';
  let length = 0;
  // Where the text can still be cut so that the ellipsis fits in.
  let cut = '';
  for (const character of text) {
    const piece = UNSAFE.test(character) ? escaped(character) : character;
    const width = piece === character ? 1 : piece.length;
    if (length + width > limit) return limit < 1 ? '' : `${cut}…`;
    shown += piece;
    length += width;
    if (length < limit) cut = shown;
  }
  return shown;
}

function escaped(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** Ranges of characters that take two columns of a terminal. Generous: too wide a guess only cuts earlier. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23f3],
  [0x2600, 0x27bf],
  [0x2b1b, 0x2b55],
  [0x2e80, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f000, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Columns of a terminal that a printable text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** A printable text cut so that it takes at most `columns` columns of a terminal; a cut one ends in `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (columns < 1) return '';
  let width = 0;
  let end = 0;
  let cut = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) return `${text.slice(0, cut)}…`;
    end += character.length;
    if (width < columns) cut = end;
  }
  return text;
}

function columnsOf(character: string): 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0x1100 && WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
