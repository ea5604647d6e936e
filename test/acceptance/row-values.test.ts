/** Rows whose records would be constants only, and numbers that no double can hold, on the built program. */
import { describe, expect, test } from 'vitest';
import { at, readRun, recordsAt, run, service, summaryOf, workspace, write } from '../support/program.ts';

const CONSTANTS = ['--type', 'social', '--set', 'platform=linkedin', '--set', 'engagement_type=like'];

describe('a record in which nothing comes from the row', () => {
  test.each([
    ['CSV', 'in.csv', 'engager_name,Note\nAna,x\n,only in an unmapped column\n,\nBen,\n'],
    ['NDJSON', 'in.ndjson', '{"engager_name":"Ana"}\n{"Note":"x"}\n{"engager_name":" "}\n{"engager_name":"Ben"}\n'],
  ])('is invalid: %s', async (_format, name, text) => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, name, text);
    const ended = await run(cwd, ['upload', name, ...CONSTANTS, '--json'], { env: at(there) });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({ rows: { delivered: 2 } });
    const names = (await recordsAt(there)).map((record) => record['engager_name']);
    expect(names).toEqual(['Ana', 'Ben']);
    expect(await readRun(cwd, `rejects/${name}`)).toContain('expected a value in at least one mapped column');
  });

  test('is invalid if no column is mapped at all', async () => {
    const cwd = await workspace();
    await write(cwd, 'in.csv', 'a,b\n1,2\n');
    const ended = await run(cwd, ['check', 'in.csv', ...CONSTANTS, '--json']);
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({ rows: { read: 1, invalid: 1 } });
  });
});
