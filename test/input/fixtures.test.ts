import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BrokenRow, Row } from '../../src/model/row.ts';
import { chunked, type options, read } from '../support/read.ts';

/**
 * The expected files are written by hand, or by expected.py in this folder with Python's csv module
 * and codecs (those of JSON by Python's json module).
 */
interface Expected {
  readonly options?: Partial<typeof options>;
  readonly columns: string[];
  readonly body: { byte: number; line: number };
  readonly description: string;
  readonly rows: object[];
  readonly cursor: object;
}

const folder = path.join(import.meta.dirname, '../../fixtures/decode');
const cases = readdirSync(folder);

function flat(row: Row | BrokenRow): object {
  const { source, ...position } = row.position;
  expect(source).toBe(4);
  return 'issue' in row ? { ...position, issue: row.issue, raw: row.raw } : { ...position, content: row.content };
}

describe('the fixtures of decode', () => {
  for (const name of cases) {
    for (const size of [1, 2, 7, 65_536]) {
      it(`${name} reads as expected in chunks of ${size}`, async () => {
        const files = readdirSync(path.join(folder, name));
        const file = files.find((entry) => entry.startsWith('input.'));
        if (file === undefined) throw new Error(`no input in ${name}`);
        const bytes = readFileSync(path.join(folder, name, file));
        const expected: Expected = JSON.parse(readFileSync(path.join(folder, name, 'expected.json'), 'utf8'));
        const result = await read(bytes, { name: file, chunks: chunked(bytes, () => size), ...expected.options });
        expect(result.detected.columns).toEqual(expected.columns);
        expect(result.detected.body).toEqual(expected.body);
        expect(result.detected.description.join(', ')).toBe(expected.description);
        expect(result.rows.map(flat)).toMatchObject(expected.rows);
        expect(result.rows).toHaveLength(expected.rows.length);
        expect(result.cursor).toEqual(expected.cursor);
      });
    }
  }
});
