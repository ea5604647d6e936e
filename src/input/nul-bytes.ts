/**
 * What NUL bytes in an input say: UTF-16 and UTF-32 have many, other text has next to none. An input of 0 bytes is refused in
 * input-problems.ts.
 */
import { isUtf8 } from 'node:buffer';
import { count } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { encodingTitle } from './encoding-labels.ts';
import { withoutCutCharacter } from './utf8-text.ts';

/** Bytes of the head searched for the zero bytes of UTF-16 and UTF-32. */
const SAMPLE_BYTES = 4096;

/**
 * Detects UTF-16 and UTF-32 without a byte order mark. In Latin letters, digits, delimiters and line ends, one byte of
 * two or three of four are zero. Zeros at both odd and even offsets are data, and so are those between bytes that are
 * text of their own: in UTF-16, the bytes of most other scripts are not.
 */
export function zeroPattern(head: Buffer): 'utf-16le' | 'utf-16be' | 'utf-32' | undefined {
  const sample = head.subarray(0, SAMPLE_BYTES);
  if (!sample.includes(0)) return undefined;
  const zeros = [0, 0, 0, 0];
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  }
  if (zeros.filter((number) => number > sample.length / 8).length === 3) return 'utf-32';
  const [a = 0, b = 0, c = 0, d = 0] = zeros;
  const even = a + c;
  const odd = b + d;
  const most = Math.max(even, odd);
  if (most <= sample.length / 16 || 8 * Math.min(even, odd) > most) return undefined;
  const isHalf = most > sample.length / 4;
  if (!isHalf && isUtf8(withoutCutCharacter(sample)) && !sample.some(isControl)) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** Whether a byte that is not zero occurs in no text. */
function isControl(byte: number): boolean {
  return (byte > 0 && byte < 0x09) || (byte > 0x0d && byte < 0x20);
}

/** With fewer, they are data. */
const MIN_ZEROS = 8;

/** Share of NULs from which on a text is not what it was taken for. Half of the bytes of misread UTF-16 are zero. */
const MAX_SHARE = 0.1;

/**
 * Refuses text in which many characters are U+0000: it is in another encoding, padded, or not text. A few are data.
 *
 * @param text the decoded head of the input
 * @param title of the encoding that it was decoded from
 */
export function refuseZeros(name: string, head: Buffer, text: Buffer, title: string): void {
  if (!text.includes(0)) return;
  const zeros = text.reduce((sum, byte) => (byte === 0 ? sum + 1 : sum), 0);
  if (zeros < MIN_ZEROS || zeros < MAX_SHARE * text.length) return;
  const better = zeroPattern(head);
  const isBetter = better !== undefined && better !== 'utf-32' && encodingTitle(better) !== title;
  throw new ProblemError({
    code: 'input.encoding',
    message: `'${name}' does not read as ${title}: ${count(zeros)} of its first ${count(text.length)} bytes are zero, and text has hardly any.`,
    where: name,
    hint: isBetter
      ? `It is probably ${encodingTitle(better)}: use \`--encoding ${better}\`.`
      : "It is in another encoding, such as UTF-32 without its byte order mark, or not text. Save it again as CSV UTF-8. If the zeros only pad its cells, remove them: `tr -d '\\000' < FILE > NEW-FILE`.",
  });
}
