/** Parquet as text. The fixtures and their rows are made by PyArrow and Python (test/support/parquet.py). */
import { readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { decode, detectInput } from '../../src/input/decode.ts';
import type { OpenInput } from '../../src/input/open-inputs.ts';
import { ParquetReader } from '../../src/input/parquet.ts';
import { problemFrom } from '../support/problems.ts';
import { options } from '../support/read.ts';
import { bytesOf, openOne, put } from './opened.ts';

const fixtures = path.join(import.meta.dirname, '../../fixtures/parquet');
async function textOf(input: OpenInput): Promise<string> {
  return (await bytesOf(input)).toString();
}

/** Parquet of another writer than the fixtures. */
function numbers(rows: number): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'n', data: Array.from({ length: rows }, (_, n) => n), type: 'INT32' },
        { name: 'name', data: Array.from({ length: rows }, (_, n) => `Company ${n}`), type: 'STRING' },
      ],
      rowGroupSize: Math.ceil(rows / 2),
    }),
  );
}

describe('a Parquet file', () => {
  for (const file of readdirSync(fixtures).filter((name) => name.endsWith('.parquet'))) {
    it(`has the rows that its writer has: ${file}`, async () => {
      const text = await textOf(await openOne(path.join(fixtures, file)));
      const expected = readFileSync(path.join(fixtures, file.replace('.parquet', '.ndjson')), 'utf8');
      const objects = (lines: string): unknown[] =>
        lines
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
      expect(objects(text)).toEqual(objects(expected));
    });
  }

  it('is read range by range: every row once, in order', async () => {
    const text = await textOf(await openOne(await put('in.parquet', numbers(60_000))));
    const rows = text.trimEnd().split('\n');
    expect(rows).toHaveLength(60_000);
    for (const [n, row] of rows.entries()) if (row !== `{"n":${n},"name":"Company ${n}"}`) expect([n, row]).toBe('');
  });

  it('is detected by its bytes, and its lines are the numbers of its rows', async () => {
    const input = await openOne(await put('in.parquet', numbers(3)));
    const detected = detectInput(input, options);
    expect(detected).toMatchObject({
      format: 'parquet',
      columns: ['n', 'name'],
      description: ['Parquet', '2 columns'],
    });
    for await (const { rows } of decode({ source: 0, chunks: input.chunks(), detected }, options)) {
      expect(rows.map(({ position }) => position.line)).toEqual([1, 2, 3]);
    }
  });

  it('is refused if two columns have one name', async () => {
    const columnData = ['x', 'y'].map((value) => ({ name: 'a', data: [value], type: 'STRING' as const }));
    const file = await put('in.parquet', Buffer.from(parquetWriteBuffer({ columnData })));
    expect(await problemFrom(openOne(file))).toMatchObject({
      code: 'input.header',
      message: `Two columns of '${file}' have the name "a".`,
    });
  });

  it('is refused if it is damaged', async () => {
    const bytes = numbers(1000);
    const file = await put('in.parquet', bytes.subarray(0, -1));
    const cut = await problemFrom(openOne(file));
    expect(cut).toMatchObject({ code: 'input.failed', where: file });
    expect(cut?.message).toContain('failed before its first row');
    // The header of the first page.
    const holed = Buffer.from(bytes);
    holed.fill(0xff, 4, 40);
    await expect((async () => textOf(await openOne(await put('in.parquet', holed))))()).rejects.toMatchObject({
      problems: [{ code: 'input.failed' }],
    });
  });

  it('is given up if its reader does not return', async () => {
    const damaged = path.join(fixtures, '../parquet-damaged/endless-zstd.parquet');
    const file = await open(damaged);
    const { size } = await file.stat();
    const reader = new ParquetReader(file.fd, size);
    try {
      const { metadata } = await reader.schema();
      await expect(reader.rows(0, 0, Number(metadata.num_rows), 1000)).rejects.toThrow('within 1 seconds');
    } finally {
      await reader.close();
      await file.close();
    }
  });
});
