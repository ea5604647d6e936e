/** Several inputs in one run, laid out alike and unlike. */

import { describe, expect } from 'vitest';
import { expectEnd, run, runInProcess, test, write } from '../support/program.ts';

const HEADER = 'Company,Website,Headline,Signal Source,Announced';

describe('inputs without a mapping', () => {
  test('with the same columns in another order are each mapped by their header', async ({ cwd, there, signals }) => {
    await write(cwd, 'a.csv', `${HEADER}\nNorthwind,https://northwind.example,Opens a plant,news,2026-11-03\n`);
    await write(
      cwd,
      'b.csv',
      'Announced,Signal Source,Headline,Website,Company\n2026-11-04,news,Hires a CFO,https://brightleaf.example,Brightleaf\n',
    );
    const done = await signals('upload', 'a.csv', 'b.csv', '--json');
    expectEnd(done, 0, { rows: { delivered: 2 } });
    const records = await (await fetch(`${there.url}/sandbox/records`)).text();
    expect(records).toContain('"company_domain":"brightleaf.example"');
  });

  test('that come to different mappings are refused, with commands that work', async ({ cwd, there, signals }) => {
    await write(cwd, 'a.csv', `${HEADER}\nNorthwind,https://northwind.example,Opens a plant,news,2026-11-03\n`);
    await write(cwd, 'a2.csv', `${HEADER}\nNorthwind,https://northwind.example,Closes a plant,news,2026-11-05\n`);
    await write(cwd, 'b.csv', 'Account,Headline,Signal Source,Industry\nBrightleaf,Hires a CFO,news,Health\n');
    const refused = await signals('upload', 'a.csv', 'b.csv', 'a2.csv');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("'b.csv' needs a different mapping than 'a.csv'");
    expect(refused.stderr).toContain('company_name comes from Account, not Company');
    expect(there.requests()).toHaveLength(0);
    const commands = [...refused.stderr.matchAll(/`[^`]*?(upload [^`]*)`/g)].map(([, words]) =>
      (words ?? '').split(' '),
    );
    expect(commands).toEqual([
      ['upload', 'a.csv', 'a2.csv'],
      ['upload', 'b.csv'],
    ]);
    for (const words of commands) expect((await signals(...words)).code).toBe(0);
  });

  test('of which one has a further column for a field are refused', async ({ cwd }) => {
    await write(cwd, 'a.csv', 'Company,Headline,Signal Source\nNorthwind,Opens a plant,news\n');
    await write(cwd, 'b.csv', 'Company,Headline,Signal Source,Industry\nBrightleaf,Hires a CFO,news,Health\n');
    const refused = await run(cwd, ['upload', 'a.csv', 'b.csv', '--sandbox']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('only it has a column for industry (Industry)');
  });

  test('show together how dates are written: one file says what another leaves open', async ({ cwd }) => {
    const columns = 'Company,Headline,Signal Source,detected_at';
    await write(cwd, 'a.csv', `${columns}\nNorthwind,Opens a plant,news,03/04/2026\n`);
    await write(cwd, 'b.csv', `${columns}\nBrightleaf,Hires a CFO,news,14/04/2026\n`);
    await write(cwd, 'c.csv', `${columns}\nCobalt,Hires a CTO,news,04/14/2026\n`);
    const day = await runInProcess(cwd, ['check', 'a.csv', 'b.csv']);
    expect(day.stdout + day.stderr).toMatch(/^ +detected_at +detected_at +3 April 2026 .*\n {4}day first$/m);
    const both = await runInProcess(cwd, ['check', 'a.csv', 'b.csv', 'c.csv']);
    // Month first and day first: no format reads all of them.
    expect(both.stdout + both.stderr).toMatch(/3 {2}detected_at {2}not a date/);
  });
});

test('an encoding that is declared for all inputs is refused where one of them reads as UTF-8', async ({ cwd }) => {
  const columns = 'company_name,signal_title,signal_source';
  await write(cwd, 'old.csv', Buffer.from(`${columns}\nM\xfcller,Round,news\n`, 'latin1'));
  await write(cwd, 'new.csv', `${columns}\nMüller,Round,news\n`);
  const refused = await runInProcess(cwd, ['check', 'old.csv', 'new.csv', '--encoding', 'windows-1252']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("'new.csv' is valid UTF-8");
  for (const args of [['old.csv', '--encoding', 'windows-1252'], ['new.csv']]) {
    const alone = await runInProcess(cwd, ['check', '-v', ...args]);
    expect(alone.code).toBe(0);
    expect(alone.stdout + alone.stderr).toContain('Müller');
  }
});
