/** Finds encodings by the labels of WHATWG Encoding ("Names and labels") and by other common names. */
import { TextDecoder } from 'node:util';
import { ProblemError } from '../model/problem.ts';

export type Encoding =
  | { readonly kind: 'utf-8'; readonly name: 'utf-8' }
  | { readonly kind: 'utf-16'; readonly name: 'utf-16le' | 'utf-16be'; readonly bigEndian: boolean }
  /** `table`: the UTF-8 of each byte from 0x80; undefined if the byte has no character. */
  | { readonly kind: 'single'; readonly name: string; readonly table: readonly (Buffer | undefined)[] }
  /** Several bytes per character; decoded by the platform. */
  | { readonly kind: 'multi'; readonly name: string };

export const UTF_8: Encoding = { kind: 'utf-8', name: 'utf-8' };
export const UTF_16LE: Encoding = { kind: 'utf-16', name: 'utf-16le', bigEndian: false };
export const UTF_16BE: Encoding = { kind: 'utf-16', name: 'utf-16be', bigEndian: true };

const MULTI_BYTE: readonly string[] = ['big5', 'euc-jp', 'euc-kr', 'gb18030', 'gbk', 'iso-2022-jp', 'shift_jis'];

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

/** @throws ProblemError `option.encoding` if no encoding has that label */
export function encodingNamed(label: string): Encoding {
  // Also accepts "ISO 8859-2".
  const plain = label.trim().toLowerCase().replace(/\s+/g, '-');
  const name = standardName(ALIASES[plain] ?? plain);
  if (name === undefined) {
    throw new ProblemError({
      code: 'option.encoding',
      message: `The encoding '${label.slice(0, 80)}' is not supported.`,
      hint: 'Common encodings are utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis, gbk, big5, euc-kr. Convert others, such as cp437 or cp850, first: `iconv -f cp850 -t utf-8 FILE > NEW-FILE`.',
    });
  }
  if (name === 'utf-8') return UTF_8;
  if (name === 'utf-16le') return UTF_16LE;
  if (name === 'utf-16be') return UTF_16BE;
  if (MULTI_BYTE.includes(name)) return { kind: 'multi', name };
  return { kind: 'single', name, table: tableOf(name) };
}

/** The usual name: `UTF-8`, `Windows-1252`, `ISO-8859-2`, `Mac OS Roman`, `shift_jis`. */
export function encodingTitle(name: string): string {
  if (/^(utf|iso|euc)-/.test(name)) return name.toUpperCase();
  if (name === 'macintosh') return 'Mac OS Roman';
  return name.replace(/^windows/, 'Windows');
}

function standardName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The UTF-8 of each byte from 0x80 in an encoding of one byte per character. */
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
