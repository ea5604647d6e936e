/** Several inputs in one run, laid out alike and unlike. On the built program. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, run, service, summaryOf, workspace, write } from '../support/program.ts';

const HEADER = 'Company,Website,Headline,Signal Source,Announced';

describe('inputs without a mapping', () => {
  test('with the same columns in another order are one layout, each mapped by its own header', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'a.csv', `${HEADER}\nNorthwind,https://northwind.example,Opens a plant,news,2026-11-03\n`);
    await write(
      cwd,
      'b.csv',
      'Announced,Signal Source,Headline,Website,Company\n2026-11-04,news,Hires a CFO,https://brightleaf.example,Brightleaf\n',
    );
    const done = await run(cwd, ['upload', 'a.csv', 'b.csv', '--json'], { env: at(there) });
    expect(done.code).toBe(0);
    expect(summaryOf(done)).toMatchObject({ rows: { delivered: 2 } });
    const records = await (await fetch(`${there.url}/sandbox/records`)).text();
    expect(records).toContain('"company_domain":"brightleaf.example"');
  });

  test('that come to different mappings are refused before anything is sent, with commands that work', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'a.csv', `${HEADER}\nNorthwind,https://northwind.example,Opens a plant,news,2026-11-03\n`);
    await write(cwd, 'a2.csv', `${HEADER}\nNorthwind,https://northwind.example,Closes a plant,news,2026-11-05\n`);
    await write(cwd, 'b.csv', 'Account,Headline,Signal Source,Industry\nBrightleaf,Hires a CFO,news,Health\n');
    const refused = await run(cwd, ['upload', 'a.csv', 'b.csv', 'a2.csv'], { env: at(there) });
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
    for (const words of commands) expect((await run(cwd, words, { env: at(there) })).code).toBe(0);
  });

  test('of which one has a further column for a field are refused: it would be left out in silence', async () => {
    const cwd = await workspace();
    await write(cwd, 'a.csv', 'Company,Headline,Signal Source\nNorthwind,Opens a plant,news\n');
    await write(cwd, 'b.csv', 'Company,Headline,Signal Source,Industry\nBrightleaf,Hires a CFO,news,Health\n');
    const refused = await run(cwd, ['upload', 'a.csv', 'b.csv', '--sandbox']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('only it has a column for industry (Industry)');
  });

  test('of which one has a further column that means nothing go together, and that is said', async () => {
    const cwd = await workspace();
    await write(cwd, 'a.csv', 'Company,Headline,Signal Source\nNorthwind,Opens a plant,news\n');
    await write(cwd, 'b.csv', 'Company,Headline,Signal Source,Shoe\nBrightleaf,Hires a CFO,news,42\n');
    const done = await run(cwd, ['upload', 'a.csv', 'b.csv', '--sandbox']);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('Also unused, in b.csv: "Shoe".');
  });

  test('show together how dates are written: one file says what another leaves open', async () => {
    const cwd = await workspace();
    const columns = 'Company,Headline,Signal Source,Announced';
    await write(cwd, 'a.csv', `${columns}\nNorthwind,Opens a plant,news,03/04/2026\n`);
    await write(cwd, 'b.csv', `${columns}\nBrightleaf,Hires a CFO,news,14/04/2026\n`);
    await write(cwd, 'c.csv', `${columns}\nCobalt,Hires a CTO,news,04/14/2026\n`);
    const day = await run(cwd, ['check', 'a.csv', 'b.csv']);
    expect(day.stdout + day.stderr).toContain('format: d/M/yyyy');
    const both = await run(cwd, ['check', 'a.csv', 'b.csv', 'c.csv']);
    expect(both.stdout + both.stderr).toContain('detected_at is left out');
  });

  test('in NDJSON are one layout, although a path is missing in one of them', async () => {
    const cwd = await workspace();
    await write(cwd, 'a.ndjson', '{"company":{"name":"Northwind"},"signal_title":"Opens","signal_source":"news"}\n');
    await write(
      cwd,
      'b.ndjson',
      '{"company":{"name":"Brightleaf","domain":"brightleaf.example"},"signal_title":"Hires","signal_source":"news"}\n',
    );
    const done = await run(cwd, ['check', 'a.ndjson', 'b.ndjson', '--json']);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('company_domain from "company.domain"');
    expect(summaryOf(done)).toMatchObject({ rows: { read: 2, invalid: 0 } });
  });
});

test('an encoding that is declared for all inputs is refused where one of them reads as UTF-8', async () => {
  const cwd = await workspace();
  const columns = 'company_name,signal_title,signal_source';
  await write(cwd, 'old.csv', Buffer.from(`${columns}\nM\xfcller,Round,news\n`, 'latin1'));
  await write(cwd, 'new.csv', `${columns}\nMüller,Round,news\n`);
  const refused = await run(cwd, ['check', 'old.csv', 'new.csv', '--encoding', 'windows-1252']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("'new.csv' is valid UTF-8");
  for (const args of [['old.csv', '--encoding', 'windows-1252'], ['new.csv']]) {
    const alone = await run(cwd, ['check', ...args]);
    expect(alone.code).toBe(0);
    expect(alone.stdout + alone.stderr).toContain('Müller');
  }
});

test('files of a folder that are not read, and folders in it, are named', async () => {
  const cwd = await workspace();
  await mkdir(path.join(cwd, 'exports/old'), { recursive: true });
  await write(cwd, 'exports/a.csv', 'company_name,signal_title,signal_source\nAcme,Round,news\n');
  await write(cwd, 'exports/b.xls', 'PK');
  const done = await run(cwd, ['check', 'exports']);
  expect(done.code).toBe(0);
  expect(done.stdout).toContain("Not read: 'exports/b.xls' and 'exports/old/'.");
  expect((await run(cwd, ['check', 'exports/a.csv'])).stdout).not.toContain('Not read');
});
