import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/model/problem.ts';
import { parseOption, parseOptions, settingsOf, typedOptions } from '../../src/options/option-spec.ts';
import { optionTable, sharedOptions } from '../../src/options/option-table.ts';
import { parseRate } from '../../src/options/parse-values.ts';
import { parseSetting } from '../../src/options/resolve-settings.ts';

const settings = settingsOf(optionTable);

describe('the settings of the option table', () => {
  it.each(settings)('give $name a unique environment variable and a valid default', ({ name, variable, spec }) => {
    expect(settings.filter((other) => other.variable === variable)).toMatchObject([{ name }]);
    if (spec.default !== undefined) expect(parseSetting(spec, spec.default, {})).toHaveProperty('value');
  });
});

describe('--setting', () => {
  const upload = sharedOptions('upload');
  const parse = (...setting: readonly string[]) => parseOptions(upload, { setting });

  it('gives a setting as text; of one given twice the last counts', () => {
    const given = parse('timeout=5s', 'timeout=6s', 'MAX-WAIT=1m', 'quote=');
    expect(given).toMatchObject({ timeout: '6s', maxWait: '1m', quote: '' });
  });

  it('is overridden by the option of that name', () => {
    expect(parseOptions(upload, { setting: ['rate=5/s'], rate: '1/s' })).toMatchObject({ rate: '1/s' });
  });

  it('names what is no setting, and never takes the key', () => {
    expect(() => parse('timeuot=5s')).toThrow('There is no setting "timeuot". Did you mean timeout?');
    expect(() => parse('timeout')).toThrow('--setting is "timeout": expected timeout=VALUE.');
    expect(() => parse('api_key=secret')).toThrow('The key is not accepted as an argument.');
  });

  it('is repeated as typed', () => {
    const typed = typedOptions(upload, { setting: ['ragged=pad'], header: false, column: ['a=b'], dedupe: true });
    expect([...typed.values()].flat()).toEqual([
      ...['--column', 'a=b', '--no-header', '--setting', 'ragged=pad', '--dedupe'],
    ]);
  });
});

describe('parseOption', () => {
  it('throws a problem that names the option', () => {
    expect(() => parseOption('--rate', 'x', parseRate)).toThrow(ProblemError);
    expect(() => parseOption('--rate', 'x', parseRate)).toThrow(/Found "x", expected/);
  });
});
