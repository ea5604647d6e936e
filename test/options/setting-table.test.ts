import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/model/problem.ts';
import { parseRate } from '../../src/options/parse-values.ts';
import {
  findSetting,
  flagOf,
  parseOption,
  settingNames,
  settingProblem,
  settingSpecs,
  variableOf,
} from '../../src/options/setting-table.ts';

describe('the table of settings', () => {
  it.each(settingNames)('gives %s a unique environment variable and a valid default', (name) => {
    const spec = settingSpecs[name];
    expect(settingNames.filter((other) => variableOf(other) === variableOf(name))).toEqual([name]);
    if (spec.default !== undefined) expect(spec.parse(spec.default, {})).toHaveProperty('value');
  });

  it('finds a setting by the name of its flag', () => {
    expect(findSetting('max-bytes')).toBe('max_bytes');
    expect(findSetting('MAX_BYTES')).toBe('max_bytes');
    expect(findSetting('constructor')).toBeUndefined();
    expect(flagOf('max_bytes')).toBe('--max-bytes');
  });
});

describe('problemOf', () => {
  it('says what was found, what was expected, and where', () => {
    expect(settingProblem({ found: 'fast', expected: 'a rate' }, '--rate')).toEqual({
      code: 'settings.value',
      message: 'Found "fast", expected a rate.',
      where: '--rate',
    });
    expect(settingProblem({ found: '', expected: 'a rate' }, '--rate').message).toBe(
      'Found an empty value, expected a rate.',
    );
    expect(settingProblem({ expected: 'a key', hint: 'Fix it.' }, 'X')).toMatchObject({
      message: 'Expected a key.',
      hint: 'Fix it.',
    });
  });
});

describe('optionValue', () => {
  it('returns the parsed value', () => {
    expect(parseOption('--rate', '5/s', parseRate)).toEqual({ count: 5, perMs: 1000 });
  });

  it('throws a problem that names the option', () => {
    expect(() => parseOption('--rate', 'x', parseRate)).toThrow(ProblemError);
    expect(() => parseOption('--rate', 'x', parseRate)).toThrow(/Found "x", expected/);
  });
});
