/** Properties of the transforms: they parse what independent code formats, and never throw. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { type CompiledMapping, compileMapping, type FieldMapping } from '../../src/map/index.ts';
import { rowOf } from '../support/rows.ts';

const COLUMNS = ['one', 'two', 'three'];

/** The mapping of a field without a type in the API, so that only the transform affects it. */
function compiled(mapping: FieldMapping, field = 'engagement_date'): CompiledMapping['apply'] {
  const fields = { platform: { value: 'x' }, engagement_type: { value: 'y' }, [field]: mapping };
  return compileMapping(
    { fields },
    { contract: contracts.social, variant: undefined, columns: COLUMNS, rowForm: 'csv', inputName: 'in' },
  ).apply;
}

function read(apply: CompiledMapping['apply'], ...cells: readonly string[]): unknown {
  const [one = '', two = '', three = ''] = cells;
  const { candidate, issues } = apply(rowOf([one, two, three]));
  return issues.length > 0 ? 'invalid' : candidate['engagement_date'];
}

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
/** Whole seconds from 1901 to 2099. */
const instants = fc.integer({ min: -2_177_452_800, max: 4_070_908_799 }).map((s) => new Date(s * 1000));
const iso = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.webUrl(),
  fc.emailAddress(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.double().map(String),
  fc.stringMatching(/^[-+$€ ]?[\d.,' ]{0,12}[kmb%]?$/),
);

describe('as: date', () => {
  const writers: Readonly<Record<string, (at: Date) => string>> = {
    'yyyy-MM-dd HH:mm:ss': (at) => at.toISOString().slice(0, 19).replace('T', ' '),
    'dd.MM.yyyy HH:mm:ss': (at) =>
      `${pad(at.getUTCDate())}.${pad(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ${at.toISOString().slice(11, 19)}`,
    'M/d/yyyy h:mm:ss a': (at) => {
      const hours = at.getUTCHours();
      const clock = `${hours % 12 || 12}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`;
      return `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()} ${clock} ${hours < 12 ? 'AM' : 'PM'}`;
    },
    iso: (at) => at.toISOString(),
    sql: (at) => at.toISOString().slice(0, 19).replace('T', ' '),
    epoch: (at) => String(at.getTime() / 1000),
    epoch_ms: (at) => String(at.getTime()),
    // 25569 is 1970-01-01 in spreadsheets.
    excel: (at) => String(at.getTime() / 86_400_000 + 25_569),
  };

  it.each(Object.keys(writers))('parses every instant formatted as %s', (format) => {
    const apply = compiled({ column: 'one', as: 'date', format });
    fc.assert(
      fc.property(instants, (at) => {
        expect(read(apply, writers[format]?.(at) ?? '')).toBe(iso(at));
      }),
    );
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'])(
    'reads the clock of %s as the platform shows it, and refuses an hour that it showed twice',
    (zone) => {
      const apply = compiled({ column: 'one', as: 'date', format: 'yyyy-MM-dd HH:mm:ss', zone });
      // Formatted by Intl, which does not parse it.
      const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
      const shows = (at: Date): string => clock.format(at);
      // From 1990 on: some earlier offsets have odd seconds.
      const recent = fc.integer({ min: 631_152_000, max: 2_145_916_800 }).map((s) => new Date(s * 1000));
      fc.assert(
        fc.property(recent, (at) => {
          const wall = shows(at);
          const twice = [-2, -1, -0.5, 0.5, 1, 2].some(
            (hours) => shows(new Date(at.getTime() + hours * 3_600_000)) === wall,
          );
          expect(read(apply, wall)).toBe(twice ? 'invalid' : iso(at));
        }),
        { numRuns: 300 },
      );
    },
  );

  it('converts any text to an ISO 8601 date-time or an issue, and with `invalid: omit` to nothing', () => {
    for (const format of Object.keys(writers)) {
      const strict = compiled({ column: 'one', as: 'date', format });
      const lenient = compiled({ column: 'one', as: 'date', format, invalid: 'omit' });
      fc.assert(
        fc.property(anyText, (text) => {
          const value = read(strict, text);
          if (value !== undefined && value !== 'invalid') {
            expect(value).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/);
          }
          expect(read(lenient, text)).toBe(value === 'invalid' ? undefined : value);
        }),
      );
    }
  });
});

describe('as: number', () => {
  /** A number as people write it. */
  const written = fc.record({
    whole: fc.integer({ min: 0, max: 999_999_999 }),
    fraction: fc.option(fc.stringMatching(/^\d{1,3}$/), { nil: undefined }),
    sign: fc.constantFrom('', '-', '+'),
    group: fc.constantFrom('', ' ', '\u00a0', "'", '’', 'other'),
    currency: fc.constantFrom('', '$', '€', '£'),
    behind: fc.boolean(),
    suffix: fc.constantFrom('', 'k', 'M', 'b'),
  });
  const SUFFIXES: Readonly<Record<string, number>> = { '': 0, k: 3, M: 6, b: 9 };

  it.each(['.', ','] as const)('parses every number formatted with the mark %s', (decimal) => {
    const apply = compiled({ column: 'one', as: 'number', decimal });
    fc.assert(
      fc.property(written, ({ whole, fraction, sign, group, currency, behind, suffix }) => {
        const by = group === 'other' ? (decimal === '.' ? ',' : '.') : group;
        const digits = String(whole).replace(/\B(?=(\d{3})+$)/g, by);
        const text = `${behind ? '' : currency}${sign}${digits}${fraction === undefined ? '' : decimal + fraction}${suffix}${behind ? currency : ''}`;
        const value = Number(`${sign}${whole}.${fraction ?? '0'}e${SUFFIXES[suffix] ?? 0}`);
        const tooLarge = Number.isInteger(value) && !Number.isSafeInteger(value);
        expect(read(apply, text)).toBe(tooLarge ? 'invalid' : value);
      }),
      { numRuns: 500 },
    );
  });

  it('converts any text to a number or an issue', () => {
    for (const decimal of [undefined, '.', ','] as const) {
      const apply = compiled({ column: 'one', as: 'number', ...(decimal === undefined ? {} : { decimal }) });
      fc.assert(
        fc.property(anyText, (text) => {
          const value = read(apply, text);
          expect(value === undefined || value === 'invalid' || Number.isFinite(value)).toBe(true);
        }),
      );
    }
  });
});

describe('a cell of a count', () => {
  const cells = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.integer().map(String),
    fc.stringMatching(/^-?0?\d{1,20}(\.\d{0,4})?(e[+-]?\d)?$/),
  );

  it('becomes a number only if formatting the number gives the same cell', () => {
    const { apply } = compileMapping(
      {
        fields: {
          company_name: { value: 'A' },
          company_domain: { value: 'a.com' },
          signal_title: { value: 'T' },
          signal_source: { value: 'news' },
          employee_count: { column: 'one' },
        },
      },
      { contract: contracts.signals, variant: 'b', columns: COLUMNS, rowForm: 'csv', inputName: 'in' },
    );
    fc.assert(
      fc.property(cells, (cell) => {
        const value = apply(rowOf([cell, '', ''])).candidate['employee_count'];
        const text = cell.trim();
        if (typeof value === 'number') {
          expect(JSON.stringify(value)).toBe(text);
          expect(!Number.isInteger(value) || Number.isSafeInteger(value)).toBe(true);
        } else {
          expect(value).toBe(text === '' ? undefined : text);
          const number = Number(text);
          const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
          expect(isExact && String(number) === text).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
