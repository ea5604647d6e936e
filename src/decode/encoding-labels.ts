/** The encodings that can be read, by the names that people give them (WHATWG Encoding, "Names and labels"). */
import { TextDecoder } from 'node:util';
import { ProblemError } from '../model/problem.ts';

export type Encoding =
  | { readonly kind: 'utf-8'; readonly name: 'utf-8' }
  | { readonly kind: 'utf-16'; readonly name: 'utf-16le' | 'utf-16be'; readonly bigEndian: boolean }
  /** `table`: the UTF-8 of each byte from 0x80 on; nothing where there is no character. */
  | { readonly kind: 'single'; readonly name: string; readonly table: readonly (Buffer | undefined)[] }
  /** Several bytes a character; decoded by the platform. */
  | { readonly kind: 'multi'; readonly name: string };

export const UTF_8: Encoding = { kind: 'utf-8', name: 'utf-8' };
export const UTF_16LE: Encoding = { kind: 'utf-16', name: 'utf-16le', bigEndian: false };
export const UTF_16BE: Encoding = { kind: 'utf-16', name: 'utf-16be', bigEndian: true };

const SEVERAL_BYTES: readonly string[] = [
  'big5',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'gbk',
  'iso-2022-jp',
  'shift_jis',
];

/** What people call them and the standard does not. */
const ALIASES: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  'latin-1': 'windows-1252',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
};

/**
 * The bytes 0x80 to 0x9F of Windows-1252. Written out, because some versions of Node take them for those of
 * ISO 8859-1, and because the standard gives control characters to the five bytes that have no character: in a
 * file of names and titles, such a byte shows that the encoding is another one.
 */
const WINDOWS_1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** The encoding of that name. @throws ProblemError `option.encoding` where there is none */
export function encodingNamed(label: string): Encoding {
  // "ISO 8859-2" is how people write it.
  const plain = label.trim().toLowerCase().replace(/\s+/g, '-');
  const name = standardName(ALIASES[plain] ?? plain);
  if (name === undefined) {
    throw new ProblemError({
      code: 'option.encoding',
      message: `There is no encoding '${label.slice(0, 80)}' that this program can read.`,
      hint: 'Usual are utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis, gbk, big5, euc-kr. Of another one, such as cp437 or cp850, make UTF-8 first: `iconv -f cp850 -t utf-8 FILE > NEW-FILE`.',
    });
  }
  if (name === 'utf-8') return UTF_8;
  if (name === 'utf-16le') return UTF_16LE;
  if (name === 'utf-16be') return UTF_16BE;
  if (SEVERAL_BYTES.includes(name)) return { kind: 'multi', name };
  return { kind: 'single', name, table: tableOf(name) };
}

/** As people write it: `UTF-8`, `Windows-1252`, `ISO-8859-2`, `shift_jis`. */
export function encodingTitle(name: string): string {
  if (/^(utf|iso|euc)-/.test(name)) return name.toUpperCase();
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

function tableOf(name: string): readonly (Buffer | undefined)[] {
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
