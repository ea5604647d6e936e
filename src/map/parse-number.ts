/**
 * `as: number`: numbers as people write them, if they have only one reading.
 *
 * Accepts a sign, a currency sign before or after, a decimal mark, groups of exactly three digits or Indian groups (13,00,000),
 * and a unit such as k, M, Mio or crore ({@link ZEROS}). The decimal mark is the mapping's `decimal`, or else a point; the other
 * of "." and ",", a space or an apostrophe can separate groups. Without `decimal`, "1,234" is ambiguous and invalid;
 * "1,234.56" and "1,234,567" are not. `scale` multiplies numbers without a unit; with one, both would count, so the value is
 * invalid. Percentages, ranges and parentheses for a minus are invalid.
 */
import { decimalOf, isExact } from '../lib/exact-number.ts';
import { type Convert, TransformError } from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';

export type DecimalMark = '.' | ',';

type NumberSpec = Pick<Extract<FieldMapping, { as: 'number' }>, 'decimal' | 'scale'>;

const SIGN = '(?<sign>[+-]?)';
const CURRENCY = '[$€£¥₹]?';
const UNITS: Readonly<Record<number, string>> = {
  3: 'k tsd thousand',
  5: 'lakh lakhs lac lacs',
  6: 'm mm mn mio mln million millions millionen',
  7: 'cr crore crores',
  9: 'b bn mrd billion billions',
};
const ZEROS: ReadonlyMap<string, number> = new Map(
  Object.entries(UNITS).flatMap(([zeros, names]) => names.split(' ').map((name) => [name, Number(zeros)] as const)),
);
const SUFFIX = `(?:(?<suffix>${[...ZEROS.keys()].join('|')})\\.?)?`;
/** Groups of two digits, and a last one of three: lakh and crore. */
const INDIAN = '[1-9]\\d?(?:,\\d{2})+,\\d{3}';
/** `1,234`, `$500,000`, `1,234k`, but not `1,234.5` or `1,234,567`. */
const ONE_COMMA_GROUP = /^\D*\d{1,3},\d{3}\D*$/;

export function numberConverter({ decimal, scale = 1 }: NumberSpec): Convert {
  const mark = decimal ?? '.';
  const pattern = grouped(mark);
  const expected = `a number such as ${mark === '.' ? '1234.5 or 1,234.50' : '1234,5 or 1.234,50'}`;
  const otherMark = grouped(',');
  const zeros = Math.round(Math.log10(scale));
  return (value) => {
    if (typeof value === 'number') return scale === 1 ? value : scaled(value, zeros);
    if (typeof value !== 'string') return new TransformError('type', value, expected);
    const plain = decimal !== ',' && scale === 1 ? decimalOf(value) : undefined;
    const number = plain ?? read(value, pattern, zeros);
    const twoWays = decimal === undefined && number !== undefined && ONE_COMMA_GROUP.test(value);
    if (number !== undefined && isExact(number) && !twoWays) return number;
    if (twoWays) {
      return new TransformError(
        'number',
        value,
        'an unambiguous number',
        'add `decimal: "."` to the field in the mapping if the comma separates thousands, or `decimal: ","` if it is the decimal mark',
      );
    }
    const commaHelps = decimal === undefined && number === undefined && read(value, otherMark, zeros) !== undefined;
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
  const indian = mark === '.' ? `|${INDIAN}` : '';
  const digits = `(?:[1-9]\\d{0,2}(?<by>${separator})\\d{3}(?:\\k<by>\\d{3})*|\\d+${indian})`;
  const fraction = `(?:[${mark}](?<fraction>\\d+))?`;
  const space = '[ \\u00a0]?';
  return new RegExp(
    `^(?:${CURRENCY}${SIGN}|(?<outer>[+-])${CURRENCY})${space}(?<whole>${digits})${fraction}${space}${SUFFIX}${space}${CURRENCY}$`,
    'iu',
  );
}

/** Shifts the decimal point, as multiplying would round. Numbers below 1e-6 have an exponent already. */
function scaled(value: number, zeros: number): number {
  const [digits, exponent] = String(value).split('e');
  return Number(`${digits}e${Number(exponent ?? 0) + zeros}`);
}

/** Rewrites the text for `Number`, so that "1.1m" is exactly 1100000. Multiplying would round. */
function read(text: string, pattern: RegExp, scale: number): number | undefined {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { sign, outer, whole = '', fraction = '0', suffix } = groups;
  if (suffix !== undefined && scale !== 0) return undefined;
  const zeros = suffix === undefined ? scale : (ZEROS.get(suffix.toLowerCase()) ?? 0);
  return Number(`${outer ?? sign}${whole.replace(/\D/g, '')}.${fraction}e${zeros}`);
}
