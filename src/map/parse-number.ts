/**
 * `as: number`: numbers as people write them, if they have only one reading.
 *
 * Accepts a sign, a currency sign before or after, a decimal mark, groups of exactly three digits, and k, m, b for thousand,
 * million, billion. The decimal mark is the mapping's `decimal`, or else a point; the other of "." and ",", a space or an
 * apostrophe can separate groups. Without `decimal`, "1,234" is ambiguous and invalid; "1,234.56" and "1,234,567" are not.
 * Percentages, ranges and parentheses for a minus are invalid.
 */
import { type Convert, TransformError } from './transform-error.ts';

export type DecimalMark = '.' | ',';

const SIGN = '(?<sign>[+-]?)';
const CURRENCY = '[$€£¥₹]?';
const SUFFIX = '(?<suffix>[kmb]?)';
const ZEROS: Readonly<Record<string, number>> = { '': 0, k: 3, m: 6, b: 9 };
/** `1,234`, `$500,000`, `1,234k`, but not `1,234.5` or `1,234,567`. */
const ONE_COMMA_GROUP = /^\D*\d{1,3},\d{3}\D*$/;
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** @param decimal the mapping's */
export function numberConverter(decimal: DecimalMark | undefined): Convert {
  const mark = decimal ?? '.';
  const pattern = grouped(mark);
  const expected = `a number such as ${mark === '.' ? '1234.5 or 1,234.50' : '1234,5 or 1.234,50'}`;
  const otherMark = grouped(mark === '.' ? ',' : '.');
  return (value) => {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return new TransformError('type', value, expected);
    const number = decimal !== ',' && PLAIN.test(value) ? Number(value) : read(value, pattern);
    const twoWays = decimal === undefined && number !== undefined && ONE_COMMA_GROUP.test(value);
    if (number !== undefined && certain(number) && !twoWays) return number;
    if (twoWays) {
      return new TransformError(
        'number',
        value,
        'an unambiguous number',
        'add `decimal: "."` to the field in the mapping if the comma separates thousands, or `decimal: ","` if it is the decimal mark',
      );
    }
    const commaHelps = decimal === undefined && number === undefined && read(value, otherMark) !== undefined;
    const hint = commaHelps
      ? 'add `decimal: ","` to the field in the mapping'
      : number === undefined
        ? undefined
        : 'a number this large would be rounded';
    return new TransformError('number', value, expected, hint);
  };
}

function grouped(mark: DecimalMark): RegExp {
  const group = mark === '.' ? ',' : '.';
  const separator = `[${group}'’ \\u00a0\\u2009\\u202f]`;
  // The same separator throughout: "1,234 567" is invalid. A group has no leading zero.
  const digits = `(?:[1-9]\\d{0,2}(?<by>${separator})\\d{3}(?:\\k<by>\\d{3})*|\\d+)`;
  const fraction = `(?:[${mark}](?<fraction>\\d+))?`;
  const space = '[ \\u00a0]?';
  return new RegExp(
    `^(?:${CURRENCY}${SIGN}|(?<outer>[+-])${CURRENCY})${space}(?<whole>${digits})${fraction}${space}${SUFFIX}${space}${CURRENCY}$`,
    'iu',
  );
}

/** Rewrites the text for `Number`, so that "1.1m" is exactly 1100000. Multiplying would round. */
function read(text: string, pattern: RegExp): number | undefined {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { sign, outer, whole = '', fraction = '0', suffix = '' } = groups;
  const zeros = ZEROS[suffix.toLowerCase()] ?? 0;
  return Number(`${outer ?? sign ?? ''}${whole.replace(/\D/g, '')}.${fraction}e${zeros}`);
}

/** Integers above 2^53 would lose digits on the wire. */
function certain(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}
