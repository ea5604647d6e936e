import { describe, expect, it } from 'vitest';
import { dateText, kindOfFormat, numberText } from '../../src/input/sheet-rows.ts';
import { unescapeText } from '../../src/input/xml.ts';

describe('the text of a number', () => {
  it.each([
    ['5', '5'],
    ['-0.5', '-0.5'],
    ['1234567890.125', '1234567890.125'],
    ['0.30000000000000004', '0.3'],
    ['1234.0999999999999', '1234.1'],
    ['0.33333333333333331', '0.333333333333333'],
    ['-2.9999999999999996', '-3'],
    ['100.50000000000000', '100.5'],
    ['1.5E+7', '15000000'],
    ['1E-7', '0.0000001'],
    ['-2.5e-5', '-0.000025'],
    ['1.2345678901234567E+19', '12345678901234600000'],
    ['1E+100', '1E+100'],
    ['1E+999', '1E+999'],
    // Not doubles: other programs store ids so.
    ['7130000000000000001', '7130000000000000001'],
    ['9007199254740993', '9007199254740993'],
    ['', ''],
    ['1,5', '1,5'],
  ])('%s is %s', (stored, text) => {
    expect(numberText(stored)).toBe(text);
  });
});

describe('the text of a date', () => {
  it.each([
    ['45981', 'date', '2025-11-20'],
    ['45981.586805555555', 'date', '2025-11-20T14:05:00'],
    ['45981', 'date-time', '2025-11-20T00:00:00'],
    ['45981.5', 'time', '2025-11-20T12:00:00'],
    ['0.586805555555555', 'time', '14:05:00'],
    ['0', 'time', '00:00:00'],
    ['0.999999999', 'time', '1900-01-01'],
    ['45981.000005787037', 'date-time', '2025-11-20T00:00:00.500'],
    ['45981.99999999999', 'date-time', '2025-11-21T00:00:00'],
    ['1', 'date', '1900-01-01'],
    ['59', 'date', '1900-02-28'],
    // Excel shows these days, which were none.
    ['60', 'date', '1900-02-29'],
    ['0', 'date', '1900-01-00'],
    ['61', 'date', '1900-03-01'],
    ['2958465', 'date', '9999-12-31'],
    ['2958466', 'date', '2958466'],
    ['-1', 'date', '-1'],
    ['x', 'date', 'x'],
  ] as const)('%s as a %s is %s', (stored, kind, text) => {
    expect(dateText(stored, kind, false)).toBe(text);
  });

  it.each([
    ['0', 'date', '1904-01-01'],
    ['0.25', 'time', '06:00:00'],
    ['44519', 'date', '2025-11-20'],
  ] as const)('%s as a %s of the 1904 system is %s', (stored, kind, text) => {
    expect(dateText(stored, kind, true)).toBe(text);
  });
});

describe('a number format', () => {
  it.each([
    ['yyyy-mm-dd', 'date'],
    ['d/m/yyyy h:mm', 'date-time'],
    ['h:mm AM/PM', 'time'],
    ['mm:ss.0', 'time'],
    ['mmm', 'date'],
    ['[$-407]d. mmmm yyyy', 'date'],
    ['[Red]dd.mm.yyyy;@', 'date'],
    ['yyyy"年"m"月"', 'date'],
    ['General', undefined],
    ['0.00E+00', undefined],
    ['"day" 0', undefined],
    ['\\d0', undefined],
    ['#,##0.00 [$USD]', undefined],
    ['_(* #,##0_);[Red]_(* (#,##0)', undefined],
    ['[h]:mm', undefined],
    ['[mm]:ss', undefined],
    ['', undefined],
  ])('%s shows %s', (code, kind) => {
    expect(kindOfFormat(code)).toBe(kind);
  });
});

it('escapes of characters that XML cannot hold are resolved once', () => {
  expect(unescapeText('a_x000D_b')).toBe('a\rb');
  expect(unescapeText('a_x005F_x000D_b')).toBe('a_x000D_b');
  expect(unescapeText('snake_x_case _xyz_')).toBe('snake_x_case _xyz_');
});
