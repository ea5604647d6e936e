/** Guesses the encoding of text that is neither Unicode nor declared. The user must confirm a guess. */
import { isUtf8 } from 'node:buffer';
import { cut } from '../lib/text.ts';
import type { Problem } from '../model/problem.ts';
import { encodingTitle, tableOf } from './encoding-labels.ts';
import type { EncodingGuess } from './format.ts';
import { firstBadByte } from './utf8-text.ts';

/** Number and length of the cells that illustrate a guess. */
const GUESS_CELLS = 3;
const GUESS_CHARACTERS = 40;

/** A byte beyond ASCII inside a word. */
const INSIDE_WORD = /(?<=[A-Za-z])[^\0-\x7f](?=[a-z])/g;

/** What is inside words: small letters, apostrophes, and dashes between two words. */
const FITS_INSIDE = /^[\p{Ll}‘’–—]$/u;

/** Share of the bytes beyond ASCII that are inside words. In scripts other than Latin, hardly any is. */
const MIN_INSIDE = 0.25;

/** Share of those that prove, as others read well in both encodings. */
const MIN_PROOF = 0.25;

/**
 * Whether the bytes inside words prove Mac OS Roman rather than Windows-1252. In "Müller" of an old Mac, Windows-1252 has
 * "MŸller": a capital letter or a symbol where only a small letter can be.
 */
export function isMacRoman(head: Buffer): boolean {
  const inside = head.toString('latin1').match(INSIDE_WORD) ?? [];
  const beyondAscii = head.reduce((sum, byte) => (byte > 0x7f ? sum + 1 : sum), 0);
  if (inside.length === 0 || inside.length < MIN_INSIDE * beyondAscii) return false;
  const misfits = inside.length - countFitting(inside, 'windows-1252');
  return misfits >= MIN_PROOF * inside.length && countFitting(inside, 'macintosh') === inside.length;
}

/** How many of the bytes can be inside words of that encoding. */
function countFitting(inside: readonly string[], encoding: string): number {
  const fits = tableOf(encoding).map((character) => FITS_INSIDE.test(String(character ?? '')));
  return inside.filter((byte) => fits[byte.charCodeAt(0) - 0x80]).length;
}

/**
 * The problem of a guess that the user has not confirmed.
 *
 * @param continued whether commands with the guess follow
 */
export function guessProblem(name: string, { encoding, cells }: EncodingGuess, continued = false): Problem {
  const shown = cells.map((cell) => `"${cell}"`).join(', ');
  const ifRight = continued ? 'use the commands below' : `run the command again with \`--encoding ${encoding}\``;
  return {
    code: 'input.encoding',
    message: `'${name}' is not UTF-8. It is probably ${encodingTitle(encoding)}, in which it contains ${shown}; expected UTF-8 or \`--encoding\`.`,
    where: name,
    hint: `If that reads right, ${ifRight}. If not, pass the right encoding (windows-1250, windows-1251, macintosh, shift_jis, gbk, …), or save the file as CSV UTF-8.`,
  };
}

/**
 * Whether the text is UTF-8, possibly damaged: it has more well-formed multi-byte characters than malformed sequences.
 * Text in another encoding hardly ever contains a well-formed one.
 */
export function isMostlyUtf8(text: Buffer): boolean {
  if (isUtf8(text)) return true;
  let characters = 0;
  let bad = 0;
  let afterBad = -1;
  for (let start = 0; start < text.length; ) {
    const index = firstBadByte(text, start);
    const end = index < 0 ? text.length : index;
    for (let at = start; at < end; at += 1) if ((text[at] ?? 0) >= 0xc2) characters += 1;
    if (index < 0) break;
    if (index !== afterBad) bad += 1;
    start = index + 1;
    afterBad = start;
  }
  return characters > bad;
}

/** The first different cells with a non-ASCII character, in any format. */
export function nonAsciiCells(text: Buffer): readonly string[] {
  const cells = new Set<string>();
  for (const piece of text.toString('utf8').split(/[,;|^\t\r\n"{}[\]]+/)) {
    const cell = piece.trim();
    if (/[^\0-\x7f]/.test(cell)) cells.add(cut(cell, GUESS_CHARACTERS));
    if (cells.size === GUESS_CELLS) break;
  }
  return [...cells];
}
