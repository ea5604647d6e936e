/**
 * Recognises a rejects file of this program by its first two columns. Whatever the options and the mapping say of
 * the file that its rows came from (its delimiter, its quote, that it had no header), a rejects file has a form of
 * its own, and must read back as it is.
 */
import type { DecodeOptions } from './format.ts';

const FIRST_CELLS = /^\u{feff}?_line([^\w\s"]|\t)_reason(?:\1|\r?\n|$)/u;

/** The options with which such a file is read; the given ones for every other file. */
export function asOwnRejects(head: Buffer, options: DecodeOptions): DecodeOptions {
  const delimiter = FIRST_CELLS.exec(head.toString('utf8', 0, 64))?.[1];
  return delimiter === undefined
    ? options
    : { ...options, format: 'csv', header: true, quote: '"', delimiter };
}
