import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { guessProblem } from '../../src/input/encoding.ts';
import { problemOf } from '../support/problems.ts';
import { chunked, look, read } from '../support/read.ts';

const LATIN = Buffer.from('name,city\nMüller,Zürich\nCafé,Nîmes\nAcme,Oslo\n', 'latin1');
const fixture = (name: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, '../../fixtures/decode', name, 'input.csv'));

/** Bytes in UTF-16, with or without a mark. */
function utf16(text: string, { big = false, mark = false } = {}): Buffer {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le');
  return big ? bytes.swap16() : bytes;
}

describe('the encoding', () => {
  it('is shown by a byte order mark', () => {
    expect(look('\ufeffa,b')).toMatchObject({ encoding: 'utf-8', body: { byte: 6 } });
    expect(look(utf16('a,b', { mark: true }))).toMatchObject({ encoding: 'utf-16le', columns: ['a', 'b'] });
    expect(look(utf16('a,b', { mark: true, big: true }))).toMatchObject({ encoding: 'utf-16be' });
  });

  it('is shown by the zero bytes of UTF-16 without a mark, in either order', () => {
    const text = 'name,city\nAcme,Oslo\n';
    expect(look(utf16(text))).toMatchObject({ encoding: 'utf-16le', columns: ['name', 'city'] });
    expect(look(utf16(text, { big: true }))).toMatchObject({ encoding: 'utf-16be' });
    expect(look(utf16('名前,都市,年\n株式会社,東京,2020\n'))).toMatchObject({ encoding: 'utf-16le' });
  });

  it('is UTF-8 if zero bytes are data', () => {
    expect(look('a,b\nx\0y,z\n\0,\0\0\n').encoding).toBe('utf-8');
    // One in twelve bytes is zero, always at even offsets: in UTF-16 the bytes between would be no text.
    expect(look('name,city\n'.repeat(3) + '12345,7890\n\0'.repeat(200)).encoding).toBe('utf-8');
  });

  it('must not leave zero bytes in many places', () => {
    const padded = problemOf(() => look(`a,b\n${'ab\0\0\0\0,cd\0\0\n'.repeat(20)}`));
    expect(padded).toMatchObject({
      code: 'input.encoding',
      message: "'in' does not read as UTF-8: 120 of its first 244 bytes are zero, and text has hardly any.",
    });
    expect(padded.hint).toContain('tr -d');
    const wide = Buffer.concat([...'name,city\nAcme,Oslo\n'].map((letter) => Buffer.from(`${letter}\0\0\0`)));
    // UTF-32 whose byte order mark has lost its end is not UTF-16.
    const damaged = problemOf(() => look(Buffer.concat([Buffer.from([0xff, 0xfe]), wide])));
    expect(damaged.message).toContain('does not read as UTF-16LE with BOM');
    expect(damaged.hint).toContain('UTF-32');
    const declared = problemOf(() => look(utf16('name,city\nAcme,Oslo\n'), { encoding: 'utf-8' }));
    expect(declared.hint).toBe('It is probably UTF-16LE: use `--encoding utf-16le`.');
  });

  it('is UTF-8 if the head is cut inside a character', () => {
    const cut = Buffer.from('name\nMüller\n漢').subarray(0, -1);
    expect(look(cut, { cut: true }).encoding).toBe('utf-8');
    expect(look(cut, { encoding: 'utf-8' }).encoding).toBe('utf-8');
  });

  it('is UTF-8 if well-formed characters outnumber bad bytes', () => {
    const bytes = Buffer.concat([Buffer.from('a\né\nü\n漢\n'), Buffer.from([0xe9, 0x0a])]);
    expect(look(bytes)).toMatchObject({ encoding: 'utf-8' });
    expect(look(bytes).guessed).toBeUndefined();
  });

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

  it('is not guessed if a byte has no character in Windows-1252', () => {
    const problem = problemOf(() => look(Buffer.from([0x61, 0x0a, 0x81, 0xe9, 0x0a])));
    expect(problem).toMatchObject({ code: 'input.encoding' });
    expect(problem.hint).toContain('--encoding');
  });

  it('is guessed to be Mac OS Roman if only that has letters inside the words', () => {
    const mac = Buffer.from(
      [...'name,city\nM\x9fller,Z\x9frich\nCaf\x8e Stra\xa7e,N\x94mes\n'].map((c) => c.charCodeAt(0)),
    );
    expect(look(mac).guessed).toEqual({ encoding: 'macintosh', cells: ['Müller', 'Zürich', 'Café Straße'] });
    // A curly apostrophe of Windows-1252, and a small letter of Mac OS Roman.
    expect(look(Buffer.from('a\nDon\x92t stop\x97ever\n', 'latin1')).guessed?.encoding).toBe('windows-1252');
    // Shift_JIS, Cyrillic in Windows-1251, and German of MS-DOS are no words in Mac OS Roman either.
    const others = [
      [0x93, 0x8c, 0x8b, 0x9e],
      [0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0],
    ];
    for (const bytes of others)
      expect(look(Buffer.from([0x61, 0x0a, ...bytes])).guessed?.encoding).toBe('windows-1252');
    expect(problemOf(() => look(Buffer.from('a\nM\x81ller\n', 'latin1'))).code).toBe('input.encoding');
  });

  it('is the declared one, under any of its names', () => {
    for (const name of ['windows-1252', 'CP1252', 'ISO-8859-1', 'latin1', 'ansi']) {
      const detected = look(LATIN, { encoding: name });
      expect(detected).toMatchObject({ encoding: 'windows-1252' });
      expect(detected.guessed).toBeUndefined();
    }
    expect(look(LATIN, { encoding: 'ISO-8859-1' }).description).toContain('Windows-1252 (which includes ISO-8859-1)');
    expect(look(utf16('a,b'), { encoding: 'utf-16' }).encoding).toBe('utf-16le');
    expect(look(utf16('a,b', { big: true }), { encoding: 'utf-16' }).encoding).toBe('utf-16be');
  });

  it('is that of the byte order mark, whatever is declared', () => {
    expect(look('\ufeffMüller', { encoding: 'windows-1252' }).columns).toEqual(['Müller']);
  });

  it('is UTF-8 for our rejects files, whatever is declared', () => {
    const detected = look('{"_line":3,"_reason":"x","name":"Müller"}\n', { encoding: 'utf-16le' });
    expect(detected).toMatchObject({ encoding: 'utf-8', format: 'ndjson' });
  });

  it('is described as doubtful if the declared text is also valid UTF-8', () => {
    expect(look('a,Müller', { encoding: 'windows-1252' }).description).toContain(
      'Windows-1252 (as declared, although it is valid UTF-8)',
    );
  });

  it('must be supported', () => {
    for (const encoding of ['klingon', 'utf-32', 'utf-7', '']) {
      expect(problemOf(() => look('a', { encoding })).code).toBe('option.encoding');
    }
  });

  it('must not be UTF-32', () => {
    const wide = Buffer.concat([...'name,city\n'].map((letter) => Buffer.from([letter.charCodeAt(0), 0, 0, 0])));
    expect(problemOf(() => look(wide)).message).toContain('UTF-32');
    expect(problemOf(() => look(Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]))).message).toContain('UTF-32');
    expect(problemOf(() => look(Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]))).message).toContain('UTF-32');
  });

  it('decodes the euro sign and curly quotes of Windows-1252, which some versions of Node decode wrongly', async () => {
    const { rows } = await read(Buffer.from([0x61, 0x0a, 0x80, 0x93, 0x94, 0x9f, 0xff, 0x0a]), {
      encoding: 'windows-1252',
    });
    expect(rows).toMatchObject([{ content: ['€“”Ÿÿ'] }]);
  });
});

describe('bytes that do not decode', () => {
  const cases: readonly [string, Buffer, string, string, string][] = [
    // Encoding, bytes of the middle row, found, expected, raw.
    ['utf-8', Buffer.from('x\xe9y,2', 'latin1'), 'byte 0xE9 at character 2', 'UTF-8 text', 'xéy,2'],
    ['windows-1252', Buffer.from('é\x81y,2', 'latin1'), 'byte 0x81 at character 2', 'Windows-1252 text', 'é\x81y,2'],
    ['iso-8859-8', Buffer.from('x\xa1y,2', 'latin1'), 'byte 0xA1 at character 2', 'ISO-8859-8 text', 'x¡y,2'],
    [
      'shift_jis',
      Buffer.from([0x93, 0x8c, 0xa0, 0x78, 0x2c, 0x32]),
      'byte 0xA0 at character 2',
      'shift_jis text',
      '東\xa0x,2',
    ],
    ['gbk', Buffer.from([0xb1, 0xb1, 0xb1, 0x20, 0x2c, 0x32]), 'byte 0xB1 at character 2', 'gbk text', '北± ,2'],
  ];

  it.each(cases)('break only their row in %s, and are reported with their position in the row', async (...given) => {
    const [encoding, bad, found, expected, raw] = given;
    const bytes = Buffer.concat([Buffer.from('a,b\n1,2\n'), bad, Buffer.from('\n3,4\n')]);
    for (const size of [1, 3, 1000]) {
      const { rows } = await read(bytes, { encoding, chunks: chunked(bytes, () => size) });
      expect(rows).toMatchObject([
        { content: ['1', '2'] },
        { raw, issue: { code: 'encoding', found, expected }, position: { line: 3, row: 2 } },
        { content: ['3', '4'], position: { line: 4 } },
      ]);
      const [, row] = rows;
      expect(row !== undefined && isBroken(row) && row.issue.hint).toContain('--encoding');
    }
  });

  it('break only their row in UTF-16: half a surrogate pair, and half a unit at the end', async () => {
    const bytes = Buffer.concat([
      utf16('a,b\n1,😀\nx', { mark: true }),
      Buffer.from([0x3d, 0xd8]),
      utf16('y,2\n3,4\n5'),
      Buffer.from([0x36]),
    ]);
    for (const size of [1, 2, 3, 1000]) {
      const { rows } = await read(bytes, { chunks: chunked(bytes, () => size) });
      expect(rows).toMatchObject([
        { content: ['1', '😀'] },
        {
          issue: { code: 'encoding', found: 'byte 0x3D at character 2', expected: 'UTF-16LE text' },
          raw: 'x=Øy,2',
        },
        { content: ['3', '4'] },
        { issue: { found: 'byte 0x36 at character 2' }, raw: '56' },
      ]);
    }
  });

  it('never become a replacement character; one in the input is data', async () => {
    const { rows } = await read('a,b\n\ufffd,1\n');
    expect(rows).toMatchObject([{ content: ['\ufffd', '1'] }]);
    const wide = await read(utf16('a,b\n\ufffd,1\n', { mark: true }));
    expect(wide.rows).toMatchObject([{ content: ['\ufffd', '1'] }]);
  });

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
