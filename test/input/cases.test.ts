/** What is detected and read of an input: each line of fixtures/input/*.ndjson is a case, without code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { problemFrom } from '../support/problems.ts';
import { chunked, type Given, look, read } from '../support/read.ts';

interface Case {
  readonly about: string;
  /** The input as text, or as hexadecimal digits where it is not UTF-8. */
  readonly text?: string;
  readonly hex?: string;
  readonly given?: Omit<Given, 'chunks'> & { readonly cut?: boolean };
  readonly detected?: object;
  /** A property that is not detected. */
  readonly lacks?: string;
  /** Words of the description. */
  readonly says?: string;
  readonly problem?: object;
  /** Words of the problem's message and hint. */
  readonly words?: readonly string[];
  /** The rows, wherever the chunks are cut, words of their hints, and the cursor after the last one. */
  readonly rows?: readonly object[];
  readonly hints?: readonly (string | null)[];
  readonly cursor?: object;
}

const folder = path.join(import.meta.dirname, '../../fixtures/input');

describe.each(readdirSync(folder).filter((name) => name !== 'lines.ndjson'))('%s', (file) => {
  const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n');

  test.each(lines.map((line): Case => JSON.parse(line)))('$about', async (one) => {
    const bytes = one.hex === undefined ? Buffer.from(one.text ?? '') : Buffer.from(one.hex, 'hex');
    const { detected, problem, rows, given = {} } = one;
    if (problem !== undefined) {
      const work = async (): Promise<unknown> => look(bytes, given) && read(bytes, given);
      const found = await problemFrom(work());
      expect(found).toMatchObject(problem);
      for (const word of one.words ?? []) expect(`${found.message} ${found.hint}`).toContain(word);
      return;
    }
    if (rows === undefined || detected !== undefined || one.says !== undefined) {
      const found = look(bytes, given);
      expect(found).toMatchObject(detected ?? {});
      if (one.lacks !== undefined) expect(JSON.parse(JSON.stringify(found))).not.toHaveProperty(one.lacks);
      expect(found.description.join(', ')).toContain(one.says ?? '');
    }
    for (const size of rows === undefined ? [] : [1, 3, 1000]) {
      const result = await read(bytes, { ...given, chunks: chunked(bytes, () => size) });
      expect(result.rows).toMatchObject(rows ?? []);
      expect(result.rows).toHaveLength(rows?.length ?? 0);
      if (one.cursor !== undefined) expect(result.cursor).toMatchObject(one.cursor);
      for (const [index, hint] of (one.hints ?? []).entries()) {
        const row = result.rows[index];
        if (hint !== null) expect(row !== undefined && isBroken(row) && row.issue.hint).toContain(hint);
      }
    }
  });
});
