import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { guessProblem } from '../../src/input/encoding.ts';
import { look, read } from '../support/read.ts';

const LATIN = Buffer.from('name,city\nMüller,Zürich\nCafé,Nîmes\nAcme,Oslo\n', 'latin1');
const fixture = (name: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, '../../fixtures/decode', name, 'input.csv'));

describe('the encoding', () => {
  it('is guessed to be Windows-1252 if it is not UTF-8, with three cells to confirm', () => {
    const detected = look(LATIN);
    expect(detected).toMatchObject({
      encoding: 'windows-1252',
      guessed: { encoding: 'windows-1252', cells: ['Müller', 'Zürich', 'Café'] },
    });
    const problem = guessProblem('in.csv', detected.guessed ?? { encoding: '', cells: [] });
    expect(problem.message).toContain('"Müller", "Zürich", "Café"');
    expect(problem.hint).toContain('`--encoding windows-1252`');
  });
});

describe('bytes that do not decode', () => {
  it('break rows after a head of plain ASCII', async () => {
    const plain = Buffer.from(`a,b\n${'x,1\n'.repeat(80_000)}`);
    const { rows, detected } = await read(Buffer.concat([plain, Buffer.from([0xe9, 0x2c, 0x32, 0x0a])]));
    expect(detected.encoding).toBe('utf-8');
    expect(rows).toHaveLength(80_001);
    expect(rows.filter(isBroken)).toMatchObject([
      { issue: { code: 'encoding', hint: expect.stringContaining('--encoding windows-1252') } },
    ]);
  });

  it('in a very long line use no more memory than other bytes', async () => {
    const bytes = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(3_000_000, 0x81), Buffer.from('\n1,2\n')]);
    const { rows } = await read(bytes, { encoding: 'windows-1252' });
    expect(rows).toMatchObject([{ issue: { code: 'size' } }, { content: ['1', '2'], position: { line: 3 } }]);
  });
});

describe('the same table in four encodings', () => {
  it('has the same rows', async () => {
    const names = ['utf-8-comma', 'utf-8-bom-crlf', 'cp1252-semicolon', 'utf-16-tabs'];
    const results = await Promise.all(
      names.map((name) =>
        read(fixture(`same-table-${name}`), { encoding: name.startsWith('cp') ? 'cp1252' : 'utf-8' }),
      ),
    );
    const contents = results.map(({ rows }) => rows.map((row) => (isBroken(row) ? row.issue : row.content)));
    expect(contents[0]?.length).toBe(5);
    for (const content of contents) expect(content).toEqual(contents[0]);
  });
});
