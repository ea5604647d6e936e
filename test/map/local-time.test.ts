import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { LOCALES } from '../../src/map/local-time.ts';
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
