import { DateTime, FixedOffsetZone } from 'luxon';
import { describe, expect, it } from 'vitest';
import localTimes from '../../fixtures/dates/local-times.json' with { type: 'json' };
import {
  datePattern,
  LOCALES,
  localesOf,
  localToUtcIn,
  parseByPattern,
  withEnglishMonths,
} from '../../src/map/local-time.ts';
import { dateConverter } from '../../src/map/parse-date.ts';

const MONTHS = Array.from({ length: 12 }, (_, month) => DateTime.utc(2026, month + 1, 17));

describe('names of months', () => {
  it.each(LOCALES)('are parsed in "%s" as the platform writes them, whole and short', (locale) => {
    for (const [format, written] of [
      ['d MMMM yyyy', 'd MMMM yyyy'],
      ['d MMM yyyy', 'd MMM yyyy'],
      ['d MMM yyyy', 'd LLL yyyy'],
    ] as const) {
      const read = dateConverter({ format, locale });
      for (const moment of MONTHS) {
        const text = moment.setLocale(locale).toFormat(written);
        // Czech writes short dates in numbers.
        if (!/\p{L}/u.test(text)) continue;
        expect([text, read(text)]).toEqual([text, moment.toISO()?.replace('.000Z', 'Z')]);
      }
    }
  });
});

it('takes the languages in which every text has a month', () => {
  expect(localesOf(['3 mars 2026', '4 août 2026'])).toEqual(['fr']);
  expect(localesOf(['3 March 2026', '4 août 2026', '5 2026'])).toEqual([]);
  expect(withEnglishMonths('le 3 août', 'fr', 'whole')).toBe('le 3 August');
});

describe('a local time', () => {
  it.each(Object.entries(localTimes))('in the format %s', (format, texts) => {
    const pattern = datePattern(format);
    const parse = (text: string) => pattern && parseByPattern(text, pattern, (local) => local);
    for (const [text, expected] of Object.entries(texts)) {
      const time = expected === null ? Number.NaN : Date.parse(expected.includes('T') ? `${expected}Z` : expected);
      expect([text, parse(text)]).toEqual([text, time]);
    }
  });

  it.each([
    ...['yyyy-MM', 'yyyy-dd', 'MM-dd', 'yyyy-MM-dd h:mm', 'yyyy-MM-dd HH:mm a', 'd.d.yyyy M', 'yyyy-M-d M'],
    ...["yyyy-MM-dd 'x", 'yyyy-MM-dd HH h a', 'yyyy-MM-dd constructor', 'yyyy-MM-dd EEE', ''],
  ])('is not read in the format %s', (format) => {
    expect(datePattern(format)).toBeUndefined();
  });
});

describe('the offset of a zone', () => {
  const DAY = 86_400_000;

  it('of UTC is the same on every day', () => {
    expect(localToUtcIn(FixedOffsetZone.instance(90))(Date.UTC(1900, 0, 1, 2))).toBe(Date.UTC(1900, 0, 1, 0, 30));
  });

  it('is asked once for each day, and not known around a change', () => {
    const change = Date.UTC(2026, 2, 29);
    const asked: number[] = [];
    const offset = (at: number): number => {
      asked.push(at);
      return at >= change ? 120 : 60;
    };
    const toUtc = localToUtcIn({ isUniversal: false, offset });
    const days = [-4, -3, -2, 1, 2, 3].map((day) => {
      const local = change + day * DAY + 3 * 3_600_000;
      return [day, (local - toUtc(local)) / 60_000];
    });
    expect(days).toEqual([
      [-4, 60],
      [-3, Number.NaN],
      [-2, Number.NaN],
      [1, Number.NaN],
      [2, 120],
      [3, 120],
    ]);
    expect(asked[0]).toBe(change - 4 * DAY);
    const times = asked.length;
    expect(toUtc(change + 3 * DAY + 1)).toBe(change + 3 * DAY + 1 - 2 * 3_600_000);
    expect(asked).toHaveLength(times);
  });

  it.each([
    [Date.UTC(1972, 3, 1) - 1, Number.NaN],
    [Date.UTC(1972, 3, 1), Date.UTC(1972, 2, 31, 22, 30)],
    [Date.UTC(2100, 0, 1) - 1, Date.UTC(2099, 11, 31, 22, 29, 59, 999)],
    [Date.UTC(2100, 0, 1), Number.NaN],
  ])('is known from March 1972 to 2100: %s', (local, utc) => {
    expect(localToUtcIn({ isUniversal: false, offset: () => 90 })(local)).toBe(utc);
  });
});
