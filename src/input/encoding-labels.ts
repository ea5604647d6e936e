/** Finds encodings by the labels of WHATWG Encoding ("Names and labels") and by other common names. */
import { TextDecoder } from 'node:util';
import { ProblemError } from '../model/problem.ts';

/** Common names that the standard does not have. */
const ALIASES: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  'latin-1': 'windows-1252',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
};

/**
 * The bytes 0x80 to 0x9F of Windows-1252. Some versions of Node decode them as ISO 8859-1. The standard decodes the five
 * bytes without a character as control characters; here they stay undefined, because they show that the guess is wrong.
 */
const WINDOWS_1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** The WHATWG name of an encoding. @throws ProblemError `option.encoding` if none has that label */
export function encodingNamed(label: string): string {
  // Also accepts "ISO 8859-2".
  const plain = label.trim().toLowerCase().replace(/\s+/g, '-');
  try {
    return new TextDecoder(ALIASES[plain] ?? plain).encoding;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProblemError({
      code: 'option.encoding',
      message: `The encoding '${label.slice(0, 80)}' is not supported.`,
      hint: 'Common encodings are utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis, gbk, big5, euc-kr. Convert others, such as cp437 or cp850, first: `iconv -f cp850 -t utf-8 FILE > NEW-FILE`.',
    });
  }
}

/** The usual name: `UTF-8`, `Windows-1252`, `ISO-8859-2`, `Mac OS Roman`, `shift_jis`. */
export function encodingTitle(name: string): string {
  if (/^(utf|iso|euc)-/.test(name)) return name.toUpperCase();
  if (name === 'macintosh') return 'Mac OS Roman';
  return name.replace(/^windows/, 'Windows');
}

/** The UTF-8 of each byte from 0x80 in an encoding of one byte per character; undefined if the byte has no character. */
export function tableOf(name: string): readonly (Buffer | undefined)[] {
  return Array.from({ length: 128 }, (_, index) => {
    const character = characterOf(name, 0x80 + index);
    return character === undefined ? undefined : Buffer.from(character);
  });
}

function characterOf(name: string, byte: number): string | undefined {
  if (name === 'windows-1252') {
    const character = byte < 0xa0 ? WINDOWS_1252.charAt(byte - 0x80) : String.fromCharCode(byte);
    return character === '\0' ? undefined : character;
  }
  try {
    return new TextDecoder(name, { fatal: true }).decode(Uint8Array.of(byte));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
