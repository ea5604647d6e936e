import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { columnsOfObjects, compileMapping, type RowFunction, rowTransform } from '../../src/map/index.ts';
import type { Content } from '../../src/model/row.ts';
import { problemsOf } from '../support/problems.ts';
import { rowOf } from '../support/rows.ts';

const transformed = (fn: RowFunction, content: Content, columns: readonly string[] = ['a', 'b']) =>
  rowTransform(fn, columns)(rowOf(content));

describe('a row function', () => {
  it('gets the cells by column, untrimmed', () => {
    const given: unknown[] = [];
    transformed((row) => given.push(row), [' x ', ''], ['Company Name', '__proto__']);
    expect(given).toEqual([
      Object.fromEntries([
        ['Company Name', ' x '],
        ['__proto__', ''],
      ]),
    ]);
    expect(Object.keys(given[0] ?? {})).toEqual(['Company Name', '__proto__']);
  });

  it('gives a row with the position and text of the original row', () => {
    const row = { ...rowOf({ a: 1 }), text: '{"a":1}' };
    const result = rowTransform(({ a }) => ({ b: Number(a) + 1 }), [])(row);
    expect(result).toEqual({ kind: 'row', row: { ...row, content: { b: 2 } } });
  });

  it('cannot change the row that goes to the rejects file', () => {
    const content = { deep: { value: 1 } };
    transformed((row) => {
      Object.assign(row['deep'] ?? {}, { value: 2 });
      return row;
    }, content);
    expect(content).toEqual({ deep: { value: 1 } });
  });

  it.each([[null], [undefined]])('skips a row by returning %s', (nothing) => {
    expect(transformed(() => nothing, ['1', '2'])).toEqual({ kind: 'dropped' });
  });

  it.each<[string, RowFunction, string]>([
    ['an array', () => [1, 2], 'an array of 2'],
    ['a text', () => 'row', 'row'],
    ['a boolean', () => true, 'true'],
    ['a promise', async () => ({}), 'a promise'],
    ['a promise that fails', () => Promise.reject(new Error('late')), 'a promise'],
  ])('makes only its row invalid by returning %s', (_what, fn, found) => {
    expect(transformed(fn, ['1', '2'])).toEqual({
      kind: 'failed',
      issue: { code: 'transform', found, expected: 'an object, or null to leave the row out' },
    });
  });

  it.each<[string, unknown, string]>([
    ['an error', new TypeError('x is not a function'), 'TypeError: x is not a function'],
    ['a text', 'no such company', 'no such company'],
    ['nothing', undefined, 'undefined'],
    ['what has no text', Object.create(null), 'an error without a message'],
    ['a long story', 'x'.repeat(500), `${'x'.repeat(79)}…`],
  ])('makes only its row invalid by throwing %s', (_what, thrown, found) => {
    const fn: RowFunction = () => {
      throw thrown;
    };
    expect(transformed(fn, ['1', '2'])).toEqual({
      kind: 'failed',
      issue: { code: 'transform', found, expected: 'no error' },
    });
  });

  it('makes only its row invalid if a getter throws', () => {
    const fn: RowFunction = () => ({
      get a() {
        throw new Error('not now');
      },
    });
    expect(transformed(fn, ['1', '2'])).toMatchObject({ kind: 'failed' });
  });
});

describe('the mapping after a row function', () => {
  const fields = {
    company_name: { column: 'Full.Name' },
    signal_title: { column: 'title' },
    signal_source: { value: 'news' },
    company_domain: { value: 'a.com' },
    employee_count: { column: 'staff' },
    location: { column: 'staff' },
  };
  const columns = ['Full.Name', 'Title', 'staff'];

  it('finds columns as in the input, and treats texts as cells', () => {
    const mapping = compileMapping({ fields }, contracts.signals, 'b', columns, 'named cells', 'in.csv');
    const row = rowOf({ 'Full.Name': ' Acme ', Title: 'T', staff: '12' });
    expect(mapping.apply(row).candidate).toEqual({
      company_name: 'Acme',
      signal_title: 'T',
      signal_source: 'news',
      company_domain: 'a.com',
      employee_count: 12,
      location: '12',
    });
  });

  it('does not convert values of the function that are not texts', () => {
    const mapping = compileMapping({ fields }, contracts.signals, 'b', columns, 'named cells', 'in.csv');
    const { candidate } = mapping.apply(rowOf({ 'Full.Name': 7, Title: null, staff: ['x'] }));
    expect(candidate).toMatchObject({ company_name: 7, employee_count: ['x'] });
    expect(candidate).not.toHaveProperty('signal_title');
  });

  it('reports a column that the function does not return', () => {
    const [problem] = problemsOf(() =>
      compileMapping({ fields }, contracts.signals, 'b', ['Full.Name', 'Titel', 'staff'], 'named cells', 'x'),
    );
    expect(problem).toMatchObject({ code: 'mapping.column', hint: 'Did you mean "Titel"?' });
  });

  it('has the paths of the objects that the function returns', () => {
    expect(
      columnsOfObjects([
        { a: 1, b: { c: 2, d: [3] } },
        { a: 1, e: null },
      ]),
    ).toEqual(['a', 'b.c', 'b.d.0', 'e']);
  });
});
