/** Dates that are parsed without luxon, compared with luxon: generated texts, formats and zones, with clock changes. */
import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import { describe, expect, it, vi } from 'vitest';
import generated from '../../fixtures/dates/generated.json' with { type: 'json' };
import withoutLuxon from '../../fixtures/dates/without-luxon.json' with { type: 'json' };
import { type DateSpec, dateConverter, dateSpecError, luxonDateConverter } from '../../src/map/parse-date.ts';

const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 60);
const DAY = 86_400_000;
const MINUTE = 60_000;

const zones = fc.oneof(
  fc.constantFrom(...generated.zones),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone').filter((name) => IANAZone.isValidZone(name))),
);

/** The clock changes of a zone in a year, to the minute. */
function changes(name: string, year: number): number[] {
  const zone = IANAZone.create(name);
  const found: number[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  for (let at = Date.UTC(year, 0, 1); at < end; at += DAY) {
    if (zone.offset(at) === zone.offset(at + DAY)) continue;
    let low = at;
    let high = at + DAY;
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
      if (zone.offset(middle) === zone.offset(low)) low = middle;
      else high = middle;
    }
    found.push(high);
  }
  return found;
}

const usualYears = fc.integer({ min: Date.UTC(1965, 0, 1), max: Date.UTC(2105, 0, 1) });
const instants = fc.oneof(
  { weight: 6, arbitrary: usualYears },
  { weight: 2, arbitrary: usualYears.map((at) => Math.floor(at / DAY) * DAY) },
  { weight: 2, arbitrary: usualYears.map((at) => Math.floor(at / 1000) * 1000) },
  { weight: 1, arbitrary: fc.integer({ min: Date.UTC(0, 0, 1), max: Date.UTC(9999, 11, 31) }) },
);

const edits = fc.array(fc.tuple(fc.nat(24), fc.constantFrom(0, 0, 1, 1, 2), fc.constantFrom(...generated.edits)), {
  maxLength: 2,
});

/** A text in the format, sometimes with another character somewhere. */
function textOf(format: string, at: DateTime, changed: readonly (readonly [number, number, string])[]): string {
  let text =
    format === 'iso'
      ? at.toISO({
          suppressMilliseconds: true,
          includeOffset: at.second % 2 === 0,
          suppressSeconds: at.minute % 2 === 0,
        })
      : format === 'sql'
        ? at.toSQL({ includeOffset: at.second % 3 === 0 })
        : format === 'epoch'
          ? String(at.toMillis() / 1000)
          : format === 'epoch_ms'
            ? String(at.toMillis())
            : format === 'excel'
              ? String(at.toMillis() / DAY + 25_569)
              : at.toFormat(format, { locale: 'en-US' });
  text ??= '';
  if (text.length > 10 && at.day % 5 === 0) text = text.slice(0, 10);
  for (const [index, cut, put] of changed) text = text.slice(0, index) + put + text.slice(index + cut);
  return at.millisecond % 7 === 1 ? text.toLowerCase() : text;
}

function expectTheSame(spec: DateSpec, text: unknown): void {
  expect(dateConverter(spec)(text)).toEqual(luxonDateConverter(spec)(text));
}

describe('a date that is parsed without luxon', () => {
  it.each(generated.formats)('equals the result of luxon in any zone: %s', (format) => {
    fc.assert(
      fc.property(zones, instants, edits, (zone, at, changed) => {
        expect(dateSpecError({ format, zone })).toBeUndefined();
        expectTheSame({ format, zone }, textOf(format, DateTime.fromMillis(at, { zone }), changed));
      }),
      { numRuns: RUNS },
    );
  });

  it('equals the result of luxon around clock changes', () => {
    const formats = fc.constantFrom('yyyy-MM-dd HH:mm', 'dd.MM.yyyy', 'iso', 'sql', 'excel');
    fc.assert(
      fc.property(
        zones.filter((zone) => zone.includes('/')),
        fc.integer({ min: 1968, max: 2037 }),
        fc.oneof(fc.integer({ min: -6 * 1440, max: 6 * 1440 }), fc.integer({ min: -120, max: 120 })),
        formats,
        (zone, year, minutes, format) => {
          for (const change of changes(zone, year)) {
            // In UTC, so that local times occur that do not exist in the zone.
            const at = DateTime.fromMillis(change + minutes * MINUTE, { zone: 'utc' });
            const local = at.plus({ minutes: IANAZone.create(zone).offset(change) });
            expectTheSame({ format, zone }, textOf(format, local, []));
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it.each(['de', 'en', 'fr'] as const)('has months in the language of the mapping: %s', (locale) => {
    const months = fc.constantFrom('März', 'mars', 'Sept.', 'Jan', 'January', 'Mai', 'May', 'août', 'Okt', 'x');
    fc.assert(
      fc.property(months, fc.nat(33), fc.nat(9999), (month, day, year) => {
        const text = `${day}. ${month} ${String(year).padStart(4, '0')}`;
        expectTheSame({ format: 'd. MMMM yyyy', locale }, text);
        expectTheSame({ format: 'd. MMM yyyy', locale }, text);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(
    Object.entries(withoutLuxon).flatMap(([format, texts]) =>
      Object.entries(texts).map(([text, utc]) => [format, text, utc]),
    ),
  )('does not need luxon in the format %s for %s', (format = '', text, utc) => {
    const locale = format.includes('MMMM') ? 'de' : undefined;
    const convert = dateConverter({ format, locale });
    const made = (['fromISO', 'fromSQL', 'fromMillis', 'fromFormatParser'] as const).map((name) =>
      vi.spyOn(DateTime, name),
    );
    expect(convert(text)).toBe(utc);
    for (const spy of made) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    expectTheSame({ format, locale }, text);
  });

  it.each([
    ['iso', ['2026-11-20Z', '2026-11-20+01:00', '0099-12-31', '9999-12-31', '9999-12-31T23:59:59-01:00']],
    ['sql', ['2026-11-20Z', '2026-11-20 +01:00', 'x']],
    ['epoch', ['', 'x', '1e3', '253402300799', '253402300800', '-62167219200', '-62167219201']],
    ['epoch_ms', ['1.5', 'x']],
    ['excel', ['60', '60.9', 'x', '']],
    ['yyyy-MM-dd', ['0099-01-01', null, {}, 20261120, ['2026-11-20']]],
  ])('equals the result of luxon at the limits of the format %s', (format, given) => {
    for (const value of given) expectTheSame({ format }, value);
  });
});
