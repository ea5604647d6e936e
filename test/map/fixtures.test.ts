/** Every transform, by folders: fixtures/map/<case>/{mapping.yaml,input.json,expected.json}. A new case is a new folder. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { compileMapping, parseMapping, renderMapping } from '../../src/map/index.ts';
import type { Content } from '../../src/model/row.ts';
import { rowOf } from '../support/rows.ts';

interface Input {
  readonly about: string;
  readonly format: 'csv' | 'ndjson';
  readonly columns: readonly string[];
  readonly rows: readonly Content[];
}

interface Expected {
  readonly rows: readonly {
    readonly candidate: unknown;
    readonly issues?: readonly unknown[];
    readonly notes?: readonly string[];
  }[];
}

const root = path.join(import.meta.dirname, '../../fixtures/map');
const read = (name: string, file: string): string => readFileSync(path.join(root, name, file), 'utf8');

describe.each(readdirSync(root))('the mapping in fixtures/map/%s', (name) => {
  const document = parseMapping(read(name, 'mapping.yaml'), 'mapping.yaml');
  const input: Input = JSON.parse(read(name, 'input.json'));
  const expected: Expected = JSON.parse(read(name, 'expected.json'));

  it(`makes what is expected (${input.about})`, () => {
    const mapping = compileMapping(document, {
      contract: contracts[document.type ?? 'signals'],
      variant: document.variant,
      columns: input.columns,
      rowForm: input.format,
      inputName: 'input',
    });
    const made = input.rows.map((content) => {
      const { candidate, issues, notes } = mapping.apply(rowOf(content));
      return { candidate, issues, notes };
    });
    // A field without a value is absent.
    expect(made.map((row) => row.candidate)).toStrictEqual(expected.rows.map((row) => row.candidate));
    expect(made).toEqual(expected.rows.map(({ candidate, issues = [], notes = [] }) => ({ candidate, issues, notes })));
  });

  it('is the same after formatting and parsing', () => {
    expect(parseMapping(renderMapping(document), 'again')).toStrictEqual(document);
  });
});
