import { describe, expect, it } from 'vitest';
import { decode, detectInput } from '../../src/input/decode.ts';
import type { DetectedInput } from '../../src/input/row-format.ts';
import type { DecodeOptions } from '../../src/model/input-format.ts';
import { problemOf } from '../support/problems.ts';

const OPTIONS: DecodeOptions = { header: true, maxRowBytes: 1000, ragged: 'reject' };
const TABLE = { format: 'xlsx', sheet: 'S', otherSheets: [] } as const;

function detect(lines: readonly string[], options = OPTIONS): DetectedInput {
  return detectInput(
    { name: 'in.xlsx:S', head: Buffer.from(`${lines.join('\n')}\n`), headIsWhole: true, table: TABLE },
    options,
  );
}

async function read(lines: readonly string[], options = OPTIONS) {
  const detected = detect(lines, options);
  const chunks = (async function* () {
    yield Buffer.from(`${lines.join('\n')}\n`);
  })();
  const rows = [];
  for await (const block of decode({ source: 0, chunks, detected }, options)) rows.push(...block.rows);
  return rows;
}

describe('rows of a sheet', () => {
  it('are under the first row with cells, and shorter rows are complete', async () => {
    const lines = ['', '["a","b","c"]', '["1"]', '', '["2","","x","beyond the header"]', '["","",""," "]'];
    expect(detect(lines)).toMatchObject({ columns: ['a', 'b', 'c'], body: { line: 3 } });
    expect((await read(lines)).map(({ position, ...row }) => ({ line: position.line, ...row }))).toEqual([
      { line: 3, content: ['1', '', ''] },
      { line: 5, content: ['2', '', 'x'] },
    ]);
  });

  it('begin after a title, and after the line that is given', () => {
    const lines = ['["Report"]', '', '["Company","Amount"]', '["Acme","5"]', '["Brick","7"]'];
    expect(detect(lines)).toMatchObject({ columns: ['Company', 'Amount'], body: { line: 4 } });
    expect(detect(lines, { ...OPTIONS, headerLine: 1 })).toMatchObject({ columns: ['Report'], body: { line: 2 } });
    expect(problemOf(() => detect(lines, { ...OPTIONS, headerLine: 9 }))).toMatchObject({ code: 'option.header_line' });
  });

  it('name their cells without a value, but not those that have no column', async () => {
    const [row] = await read(['["a","b"]', '[["#N/A"],["=A1+1"],["#REF!"]]']);
    expect(row).toMatchObject({
      content: ['#N/A', ''],
      cellIssues: [
        { column: 'a', text: '#N/A', found: '#N/A' },
        { column: 'b', text: '', found: '=A1+1' },
      ],
    });
  });
});

it('the copy of a workbook from a pipe is recognised by its text', () => {
  const copy = { name: 'stdin.spool', head: Buffer.from('["a","b"]\n["1","2"]\n'), headIsWhole: true };
  expect(detectInput(copy, OPTIONS)).toMatchObject({ format: 'xlsx', columns: ['a', 'b'] });
});
