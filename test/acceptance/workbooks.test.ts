/** Excel workbooks. The service's log is the witness. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import {
  expectEnd,
  printed,
  readRun,
  recordsAt,
  run,
  runFolder,
  runInProcess,
  summaryOf,
  test,
  timesDelivered,
  write,
  writeCsv,
} from '../support/program.ts';
import { type CellOf, errorCell, type SheetOf, workbookOf, workbookParts } from '../support/workbook.ts';
import { zipOf } from '../support/zip.ts';

const HEADER = ['company_name', 'company_domain', 'signal_title', 'signal_source', 'detected_at'];

/** Of a column that no field has. */
const UNUSED = 'zz';

function dealRow(n: number, ...more: readonly CellOf[]): readonly CellOf[] {
  return [`Company ${n}`, `company${n}.example`, 'Raised a round', 'funding', '2026-11-20T09:15:00Z', ...more];
}

function deals(rows: number): SheetOf {
  return { name: 'Deals', rows: [HEADER, ...Array.from({ length: rows }, (_, n) => dealRow(n + 1))] };
}

const NOTES: SheetOf = { name: 'Notes', rows: [['Exported on Monday']] };
const LISTS: SheetOf = { name: 'Lists', hidden: true, rows: [HEADER, dealRow(900)] };

test('an export goes from the file to the service in one command, and the other sheets are named', async ({ cwd }) => {
  await write(cwd, 'in.xlsx', workbookOf([NOTES, deals(3), LISTS]));
  const ended = await run(cwd, ['upload', 'in.xlsx', '--sandbox']);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain(
    'in.xlsx:Deals  Excel, sheet "Deals" (not read: "Notes" and "Lists" (hidden); --sheet reads another), market signals (a), all 5 columns match by name',
  );
  expect(ended.stdout).toContain('3 of 3 rows delivered to the sandbox');
  const stopped = await runInProcess(cwd, ['upload', 'in.xlsx', '--sandbox', '--again', '--min-rows', '9', '-q']);
  expect(stopped.stderr).toMatch(/^in\.xlsx:Deals\nStopped: /);
});

test('a sheet that another input reads is not named as unread', async ({ cwd }) => {
  const archive = { ...deals(2), name: 'Archive' };
  await write(cwd, 'in.xlsx', workbookOf([deals(3), archive, NOTES]));
  const two = await printed(cwd, 'check', 'in.xlsx:Deals', 'in.xlsx:Archive');
  expect(two.split('\n').slice(0, 2)).toEqual([
    'in.xlsx:Deals and in.xlsx:Archive  Excel, market signals (a), all 5 columns match by name',
    'Sheets that are not read: "Notes".',
  ]);
  const [one] = (await printed(cwd, 'check', 'in.xlsx:Deals')).split('\n');
  expect(one).toContain('(not read: "Archive" and "Notes"; ');
});

test('a first sheet without the data is refused, and the other sheets are named', async ({ cwd }) => {
  const about: SheetOf = {
    name: 'About',
    rows: [
      ['Report', 'Week'],
      ['Pipeline', '47'],
      ['Owner', 'Ana'],
    ],
  };
  await write(cwd, 'in.xlsx', workbookOf([about, deals(3)]));
  await write(cwd, 'map.yaml', 'type: signals\nfields:\n  company_name: company_name\n');
  for (const options of [[], ['--type', 'signals'], ['-m', 'map.yaml']]) {
    const ended = await runInProcess(cwd, ['upload', 'in.xlsx', '--sandbox', ...options]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('\n  Read: sheet "About" (not read: "Deals"; --sheet reads another).\n');
  }
});

describe('--sheet', () => {
  test.for([
    ['a name', 'Lists'],
    ['a name in other letters', 'lists'],
    ['a number', '3'],
  ] as const)('takes %s', async ([_what, sheet], { cwd, there, signals }) => {
    await write(cwd, 'in.xlsx', workbookOf([NOTES, deals(3), LISTS]));
    expect((await signals('upload', 'in.xlsx', '--sheet', sheet)).code).toBe(0);
    expect((await recordsAt(there)).map((record) => record['company_name'])).toEqual(['Company 900']);
  });

  test('is saved in a mapping, which also reads CSV, and a sheet can be named after the file', async ({ cwd }) => {
    await write(cwd, 'in.xlsx', workbookOf([deals(1), { ...deals(2), name: 'Old deals' }]));
    await writeCsv(cwd, 'in.csv', 5);
    expect((await runInProcess(cwd, ['map', 'in.xlsx', '--sheet', 'Old deals', '--save'])).code).toBe(0);
    expect(await readFile(path.join(cwd, 'in.xlsx.mapping.yaml'), 'utf8')).toContain('input: { sheet: Old deals }');
    const both = await runInProcess(cwd, ['check', 'in.xlsx', 'in.csv', '-m', 'in.xlsx.mapping.yaml', '--json']);
    expect(summaryOf(both).rows['read']).toBe(7);
    const two = await runInProcess(cwd, ['check', 'in.xlsx:Deals', 'in.xlsx:Old deals', '--json']);
    expect(summaryOf(two).rows['read']).toBe(3);
  });
});

describe('the rows of a sheet', () => {
  test('an error and a formula without a value cost their row only if the mapping reads the cell', async ({ cwd }) => {
    const rows = [
      [...HEADER, UNUSED],
      dealRow(1, errorCell('#N/A')),
      ['Company 2', errorCell('#REF!'), 'Raised a round', 'funding'],
      [],
      [{ xml: '<c r="A5"><f>B2&amp;"x"</f></c>' }, 'company3.example', 'Raised a round', 'funding'],
      dealRow(4),
    ];
    await write(cwd, 'in.xlsx', workbookOf([{ name: 'Deals', rows }]));
    const ended = await runInProcess(cwd, ['upload', 'in.xlsx', '--sandbox', '--json']);
    expectEnd(ended, 3, { rows: { read: 4, delivered: 2, invalid: 2 } });
    const rejects = await readRun(cwd, 'rejects/in.csv');
    expect(rejects.split('\r\n').slice(1, 3)).toEqual([
      '3,"company_domain: found ""#REF!"", expected a value. Correct the formula in the workbook.",Company 2,[no value: #REF!],Raised a round,funding,,',
      '5,"company_name: found ""=B2&""x"""", expected a calculated value. Open the workbook in Excel or LibreOffice, save it, and upload it again.","[no value: =B2&""x""]",company3.example,Raised a round,funding,,',
    ]);
    const found = await runInProcess(cwd, ['runs', 'find', 'last', 'in.xlsx:Deals:5']);
    expect(found.stdout).toContain('in.xlsx:Deals:5  invalid');
    expect(await printed(cwd, 'runs', 'find', 'last', 'in.xlsx:Deals:4')).toContain('the line is blank');
    expect(await printed(cwd, 'runs', 'find', 'last', 'Company 4')).toContain('in.xlsx:Deals:6  delivered');
    // The rejects are a file of their own, with the same columns.
    const again = await runInProcess(cwd, ['check', path.join(await runFolder(cwd), 'rejects', 'in.csv'), '--json']);
    expect(summaryOf(again).rows['read']).toBe(2);
  });

  test('an error or an empty formula is not delivered from the rejects file either', async ({
    cwd,
    there,
    signals,
  }) => {
    const rows = [
      [...HEADER, 'employee_count', UNUSED],
      dealRow(1, errorCell('#DIV/0!')),
      dealRow(2, { xml: '<c><f>A1+1</f></c>' }),
      [errorCell('#REF!'), 'company3.example', 'Raised a round', 'funding', 'soon'],
      ['Company 4', 'company4.example', 'Raised a round', 'gossip', '2026-11-20', 4, errorCell('#N/A')],
    ];
    await write(cwd, 'in.xlsx', workbookOf([{ name: 'Deals', rows }]));
    const map = ['--type', 'signals', ...[...HEADER, 'employee_count'].flatMap((name) => ['-c', `${name}=${name}`])];
    expect((await signals('upload', 'in.xlsx', ...map, '--json')).code).toBe(3);
    const fixed = await signals('fix', 'last');
    expect(fixed.stdout).not.toContain('refused');
    expect(fixed.stdout).toContain(
      '1 row: company_name is an error in the workbook, found "#REF!" (at in.xlsx:Deals:4). Put',
    );
    expect(fixed.stdout).toContain('or correct the formulas in Excel or LibreOffice, save the workbook');
    const folder = await runFolder(cwd);
    const file = path.join(folder, 'rejects', 'in.csv');
    const text = await readFile(file, 'utf8');
    expect(text).toContain('4,[no value: #N/A]');
    const again = ['upload', file, '-m', path.join(folder, 'mapping.yaml'), '--json'];
    expect(summaryOf(await signals(...again)).rows).toMatchObject({ read: 4, invalid: 4 });
    // Other cells are corrected.
    const edited = text
      .replace(',gossip,', ',news,')
      .replace(',soon,', ',2026-11-20,')
      .replace(/^\uFEFF_line,_reason/, '_line,why');
    await writeFile(file, edited);
    expect(summaryOf(await signals(...again)).rows).toMatchObject({ delivered: 1, invalid: 3 });
    const sent = await recordsAt(there);
    expect(sent.map((record) => record['company_name'])).toEqual(['Company 4']);
  });

  test('--skip and --limit count them, also across files, and a folder takes its workbooks', async ({ cwd }) => {
    await mkdir(path.join(cwd, 'exports'));
    await write(cwd, 'exports/a.xlsx', workbookOf([deals(5)]));
    await writeCsv(cwd, 'exports/b.csv', 5);
    await write(cwd, 'exports/~$a.xlsx', 'the lock file of Excel');
    const ended = await runInProcess(cwd, ['check', 'exports', '--skip', '3', '--limit', '4', '--json']);
    expect(summaryOf(ended).rows).toMatchObject({ read: 10, valid: 4, skipped: 6 });
  });
});

test('a killed upload resumes in the same sheet of the moved workbook', async ({ cwd, there, signals }) => {
  there.fault = () => ({ latencyMs: 20 });
  await write(cwd, 'in.xlsx', workbookOf([NOTES, { ...deals(1), name: 'Small' }, deals(3000)]));
  const killed = signals.start('upload', 'in.xlsx', '--sheet', 'Deals', '--batch-size', '50');
  while ((await recordsAt(there)).length < 500) await sleep(20);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await rename(path.join(cwd, 'in.xlsx'), path.join(cwd, 'moved.xlsx'));
  const ended = await signals('resume', 'last', '--input', 'in.xlsx=moved.xlsx', '--json');
  expectEnd(ended, 0, { rows: { read: 3000, delivered: 3000 } });
  expect((await timesDelivered(there, 'company_name')).size).toBe(3000);
});

describe('what cannot be read is refused, with what to do', () => {
  const sheetXml = 'xl/worksheets/sheet1.xml';
  const parts = workbookParts([deals(200)]);
  const without = (wanted: string): Buffer => zipOf(parts.filter((part) => part.path !== wanted));
  const changed = (wanted: string, change: (text: string) => string): Buffer =>
    zipOf(parts.map((part) => (part.path === wanted ? { ...part, bytes: change(part.bytes.toString()) } : part)));

  test.for([
    [
      'in the old format, or with a password',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'is an old Excel workbook (.xls), or protected by a password',
      'save it as an Excel workbook (.xlsx) without a password',
    ],
    [
      'in the binary format',
      changed('_rels/.rels', (text) => text.replace('workbook.xml', 'workbook.bin')),
      '(.xlsb)',
      '(.xlsx)',
    ],
    ['without a part', without(sheetXml), 'the part of its sheet "Deals" is missing', 'export it again'],
    [
      'with XML that is cut',
      changed(sheetXml, (text) => text.slice(0, -40)),
      "'in.xlsx:Deals:201' cannot be read: its XML is invalid",
      'export it again',
    ],
    [
      'with a document type',
      changed(sheetXml, (text) => `<!DOCTYPE x [<!ENTITY a "aaaa">]>${text}`),
      'it declares a document type',
      'export it again',
    ],
    [
      'with rows that go back',
      changed(sheetXml, (text) => text.replace('</sheetData>', '<row r="5"/></sheetData>')),
      "'in.xlsx:Deals:201' cannot be read: after row 201 comes row 5",
      'export it again',
    ],
    ['without visible rows', workbookOf([{ name: 'Empty' }, LISTS]), 'has no visible sheet with rows', '--sheet'],
  ] as const)('a workbook %s', async ([_what, bytes, problem, hint], { cwd }) => {
    await write(cwd, 'in.xlsx', bytes);
    const ended = await runInProcess(cwd, ['check', 'in.xlsx']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(problem);
    expect(ended.stderr).toContain(hint);
  });
});
