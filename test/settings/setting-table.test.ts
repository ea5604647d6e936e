import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/model/problem.ts';
import { parseRate } from '../../src/settings/parse-values.ts';
import {
  flagOf,
  optionValue,
  problemOf,
  settingNamed,
  settingNames,
  specs,
} from '../../src/settings/setting-table.ts';

describe('the table of settings', () => {
  it.each(settingNames)('gives %s a unique environment variable and a valid default', (name) => {
    const spec = specs[name];
    expect(spec.name).toBe(name);
    expect(settingNames.filter((other) => specs[other].env === spec.env)).toEqual([name]);
    if (spec.default !== undefined) expect(spec.parse(spec.default, {})).toHaveProperty('value');
  });

  it('finds a setting by the name of its flag', () => {
    expect(settingNamed('max-bytes')).toBe('max_bytes');
    expect(settingNamed('MAX_BYTES')).toBe('max_bytes');
    expect(settingNamed('constructor')).toBeUndefined();
    expect(flagOf('max_bytes')).toBe('--max-bytes');
  });
});

describe('problemOf', () => {
  it('says what was found, what was expected, and where', () => {
    expect(problemOf({ found: 'fast', expected: 'a rate' }, '--rate')).toEqual({
      code: 'settings.value',
      message: 'Found "fast", expected a rate.',
      where: '--rate',
    });
    expect(problemOf({ found: '', expected: 'a rate' }, '--rate').message).toBe(
      'Found an empty value, expected a rate.',
    );
    expect(problemOf({ expected: 'a key', hint: 'Fix it.' }, 'X')).toMatchObject({
      message: 'Expected a key.',
      hint: 'Fix it.',
    });
  });
});

describe('optionValue', () => {
  it('returns the parsed value', () => {
    expect(optionValue('--rate', '5/s', parseRate)).toEqual({ count: 5, perMs: 1000 });
  });

  it('throws a problem that names the option', () => {
    expect(() => optionValue('--rate', 'x', parseRate)).toThrow(ProblemError);
    expect(() => optionValue('--rate', 'x', parseRate)).toThrow(/Found "x", expected/);
  });
});
