/** Makes text from files and servers safe for a terminal. The escapes are for reading: a backslash in the text is not doubled. */

/** Controls, format characters (bidi, zero-width, tags), separators and other invisible ones, but not the emoji variation selector. */
const UNSAFE = /(?!\u{fe0f})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * The text in one line with each unsafe character as a visible escape: `\n`, `\x1b`, `\u202e`, `\u{e0041}`. A text of
 * more than `limit` code points is cut, not inside an escape, and ends in `…`.
 */
export function printable(text: string, limit = Number.POSITIVE_INFINITY): string {
  if (text.length <= limit && !UNSAFE.test(text)) return text;
  let shown = '';
  let length = 0;
  // The longest prefix that leaves space for the ellipsis.
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

/** Characters that take two columns of a terminal. Includes too many, which only truncates text earlier. */
const WIDE =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{Extended_Pictographic}\p{RI}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Cuts a printable text to at most `columns` columns of a terminal. A cut text ends in `…`. */
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
  return character >= '\u1100' && WIDE.test(character) ? 2 : 1;
}
