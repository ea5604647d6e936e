/** Judges columns of amounts and headcounts. An amount with a unit is never used as it is: 12 in a column "(mm)" is 12,000,000. */
import type { FieldMapping } from '../document-schema.ts';
import { numberConverter } from '../parse-number.ts';
import type { Column } from './column.ts';
import * as values from './column-facts.ts';
import { isEnough, judgeValues, MIN_SHARE, unfit, type Verdict } from './verdict.ts';

/** Units in headers, as powers of ten. The first that matches counts. */
const UNITS: readonly (readonly [number, RegExp])[] = [
  [9, /\b(?:in )?(?:bn|billions?|mrd|milliarden|milliards)\b/iu],
  [8, /亿|億|억/u],
  [6, /百万/u],
  [7, /\b(?:cr|crores?)\b|천만/iu],
  [
    6,
    /\b(?:mm|mn|mio|millions?|millionen|millones|milioni|milhoes|miljoen|mln|milj|mkr|msek|mdkk|mnok|meur|musd|musd)\b|(?:[$€£¥]|\b(?:usd|eur|gbp))[\s_]?m\b|\bm[\s_]?(?:[$€£¥]|(?:usd|eur|gbp)\b)|[([]m[)\]]/iu,
  ],
  [5, /\b(?:lakhs?|lacs?)\b/iu],
  [4, /万|만/u],
  [3, /\b(?:k|000s?|'000|tsd|thousands?|tausend|milliers|miles|tys)\b|[$€£]k\b|千|천/iu],
];

/** Amounts below are too small for a round: a unit that the header does not state is likely. */
const SMALL = 1000;

/** The share of amounts from which the others are words such as "secret", and the user decides. */
const SOME = 0.4;

type NumberMapping = Extract<FieldMapping, { as: 'number' }>;

/** The power of ten of the unit in a header. */
function unitInHeader(header: string): number | undefined {
  const split = header.replace(/_/gu, ' ').normalize('NFC');
  return UNITS.find(([, unit]) => unit.test(split))?.[0];
}

export function judgeAmount({ name, profile }: Column): Verdict {
  const amounts = judgeValues(profile, 'amounts', values.isAmount);
  const readable = profile.texts.filter(values.isAmount);
  if (readable.length < SOME * profile.texts.length || readable.length === 0) return unfit('values are not amounts');
  const found = numberMapping(name, readable);
  const asNumber: NumberMapping | undefined =
    found === undefined || amounts.factor === 1 ? found : { ...found, invalid: 'omit' };
  const unit = unitInHeader(name);
  if (unit !== undefined) {
    const scaled: NumberMapping = { ...(asNumber ?? { column: name, as: 'number' }), scale: 10 ** unit };
    const unscaled: readonly FieldMapping[] = asNumber === undefined ? [] : [asNumber];
    const why = `the header has a unit: multiply by ${(10 ** unit).toLocaleString('en-US')}`;
    return { factor: 0.7, why, alternatives: [scaled, ...unscaled] };
  }
  if (values.share(profile, (text) => /\p{L}/u.test(text.replace(values.CURRENCY, ''))) > 0) {
    // The unit stays in the text: 65억 원.
    if (asNumber === undefined && readable.length === profile.texts.length)
      return { factor: 0.9, why: 'amounts with units' };
    const why = asNumber === undefined ? 'values have units that cannot be read' : 'values have units';
    const ways: readonly FieldMapping[] = [...(asNumber === undefined ? [] : [asNumber]), { column: name }];
    return { factor: 0.7, why, alternatives: ways };
  }
  if (amounts.factor === 0) {
    return {
      factor: 0.7,
      why: amounts.why,
      alternatives: [...(asNumber === undefined ? [] : [asNumber]), { column: name }],
    };
  }
  if (areSmall(readable, asNumber)) {
    const ways: readonly FieldMapping[] = [{ column: name, as: 'number', scale: 1_000_000 }, { column: name }];
    return { factor: 0.7, why: 'the amounts are small, perhaps millions', alternatives: ways };
  }
  return amounts;
}

/** Whether most amounts are too small for a round, with or without a sign of a currency: "$612". */
function areSmall(texts: readonly string[], way: NumberMapping | undefined): boolean {
  const read = way === undefined ? Number : numberConverter(way);
  const amounts = texts.map(read).filter((each) => typeof each === 'number' && each > 0);
  return amounts.filter((each) => typeof each === 'number' && each < SMALL).length > amounts.length / 2;
}

/** `as: number` with the decimal mark that the values need; undefined if no mark allows nearly all of them. */
function numberMapping(column: string, texts: readonly string[]): NumberMapping | undefined {
  const ways = [{}, { decimal: '.' }, { decimal: ',' }] as const;
  const fitting = ways.find((way) => {
    const read = numberConverter(way);
    return isEnough(texts.filter((text) => typeof read(text) === 'number').length, texts.length);
  });
  return fitting === undefined ? undefined : { column, as: 'number', ...fitting };
}

/** @param trust in the header: a bare "Size" is a headcount if its values are ranges of people */
export function judgeHeadcount({ profile }: Column, trust: number): Verdict {
  const verdict = judgeValues(profile, 'employee counts or ranges', values.isHeadcount);
  if (verdict.factor === 0) return unfit('values are not employee counts');
  const ranges = values.share(profile, values.isHeadcountRange) >= MIN_SHARE;
  return trust < 0.8 && ranges ? { factor: 1.4, why: verdict.why } : verdict;
}
