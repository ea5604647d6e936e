/** Rows whose records would be constants only, and numbers that no double can hold. */
import { describe, expect } from 'vitest';
import { expectEnd, readRun, recordsAt, run, test, write } from '../support/program.ts';

const CONSTANTS = ['--type', 'social', '--set', 'platform=linkedin', '--set', 'engagement_type=like'];

describe('a record of constants only', () => {
  test.for([
    ['CSV', 'in.csv', 'engager_name,Note\nAna,x\n,only in an unmapped column\n,\nBen,\n'],
    ['NDJSON', 'in.ndjson', '{"engager_name":"Ana"}\n{"Note":"x"}\n{"engager_name":" "}\n{"engager_name":"Ben"}\n'],
  ] as const)('is invalid: %s', async ([_format, name, text], { cwd, there, signals }) => {
    await write(cwd, name, text);
    const ended = await signals('upload', name, ...CONSTANTS, '--json');
    expectEnd(ended, 3, { rows: { delivered: 2 } });
    const names = (await recordsAt(there)).map((record) => record['engager_name']);
    expect(names).toEqual(['Ana', 'Ben']);
    expect(await readRun(cwd, `rejects/${name}`)).toContain('expected a value in at least one mapped column');
  });

  test('is invalid if no column is mapped at all', async ({ cwd }) => {
    await write(cwd, 'in.csv', 'a,b\n1,2\n');
    const ended = await run(cwd, ['check', 'in.csv', ...CONSTANTS, '--json']);
    expectEnd(ended, 3, { rows: { read: 1, invalid: 1 } });
  });
});

describe('a whole number above 2^53 in a field without a type', () => {
  const NUMBERS = ['9007199254740991', '9007199254740992', '9007199254740993', '12345678901234567000', '1e+21'];
  const MAPPING = ['--type', 'signals', '--variant', 'b', '--set', 'signal_source=funding'];
  const HEADER = 'company_name,company_domain,signal_title,funding_amount,employee_count';

  test('stays text in CSV, digit for digit', async ({ cwd, there, signals }) => {
    const rows = NUMBERS.map((number, index) => `C${index},c${index}.example,T,${number},"${number}"`);
    await write(cwd, 'in.csv', [HEADER, ...rows, ''].join('\n'));
    const ended = await signals('upload', 'in.csv', ...MAPPING, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    const sent = (await recordsAt(there)).map((record) => [record['funding_amount'], record['employee_count']]);
    // A column is of one kind: text, because one of its values is no exact number.
    expect(sent).toEqual(NUMBERS.map((text) => [text, text]));
  });

  test('is invalid in NDJSON, and sent once it is in quotes as the message says', async ({ cwd, there, signals }) => {
    const line = (number: string): string =>
      `{"company_name":"C","company_domain":"c.example","signal_title":"T","funding_amount":${number}}\n`;
    await write(cwd, 'in.ndjson', line('9007199254740993'));
    const refused = await signals('upload', 'in.ndjson', ...MAPPING);
    expect(refused.code).toBe(3);
    expect(await readRun(cwd, 'rejects/in.ndjson')).toMatch(/found 9007199254740992.*put it in quotes/);
    await write(cwd, 'quoted.ndjson', line('"9007199254740993"'));
    const ended = await signals('upload', 'quoted.ndjson', ...MAPPING, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    expect(await recordsAt(there)).toMatchObject([{ funding_amount: '9007199254740993' }]);
  });
});
