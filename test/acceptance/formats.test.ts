/** The same table in many forms: what arrives at the service must not differ. On the built program. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  at,
  csvOf,
  readRun,
  recordsAt,
  root,
  run,
  service,
  summaryOf,
  withWrongKey,
  workspace,
  write,
} from '../support/program.ts';

const table = (form: string): string => path.join(root, 'fixtures', 'decode', `same-table-${form}`, 'input.csv');

describe('the same table as UTF-8 comma, BOM and CRLF, cp1252 semicolon, and UTF-16 tabs', () => {
  test('uploads four identical sequences of records', async () => {
    const forms: readonly (readonly string[])[] = [
      [table('utf-8-comma')],
      [table('utf-8-bom-crlf')],
      [table('cp1252-semicolon'), '--encoding', 'windows-1252'],
      [table('utf-16-tabs')],
    ];
    const sent: (readonly string[])[] = [];
    for (const form of forms) {
      const cwd = await workspace();
      const there = await service();
      const ended = await run(cwd, ['upload', ...form, '--batch-size', '2', '--concurrency', '1', '--json'], {
        env: at(there),
      });
      expect(ended.stderr).toContain('CSV');
      expect(ended.code).toBe(0);
      expect(summaryOf(ended)).toMatchObject({
        balanced: true,
        state: 'complete',
        rows: { read: 5, delivered: 5 },
        inputs: [{ bytesUnread: 0 }],
      });
      sent.push(there.requests().map(({ digest = 'none' }) => digest));
    }
    expect(sent[0]).toHaveLength(3);
    for (const digests of sent) expect(digests).toEqual(sent[0]);
  });
});

test('empty rows at the end of a spreadsheet export are blank lines, not events of constants', async () => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', 'Name,Company\nAnn,Acme\n,\n"", \nBob,Beta\n,\n,\n');
  const constants = ['--set', 'platform=linkedin', '--set', 'engagement_type=like'];
  const options = ['--type', 'social', '-c', 'engager_name=Name', ...constants, '--json'];
  const ended = await run(cwd, ['upload', 'in.csv', ...options], { env: at(there) });
  expect(ended.code).toBe(0);
  expect(summaryOf(ended)).toMatchObject({ balanced: true, rows: { read: 2, delivered: 2, invalid: 0 } });
  expect(await recordsAt(there)).toHaveLength(2);
});

test('a first row of 300 KiB is read, and the numbers of NDJSON rejects keep their text', async () => {
  const cwd = await workspace();
  const there = await service();
  const event = (more: object) => JSON.stringify({ platform: 'linkedin', engagement_type: 'like', ...more });
  const long = event({ engager_name: 'Ann', comment: 'x'.repeat(300 * 1024) });
  const bad = '{ "platform": "linkedin", "_reason": "mine", "id": 12345678901234567890, "score": 1.0 }';
  await write(cwd, 'in.ndjson', `${long}\n${bad}\n`);
  await write(cwd, 'in.json', `[${long},${event({ engager_name: 'Bob' })}]`);
  const ended = await run(cwd, ['upload', 'in.ndjson', '--type', 'social', '--json'], { env: at(there) });
  expect(ended.code).toBe(3);
  expect(summaryOf(ended).rows).toMatchObject({ read: 2, delivered: 1, invalid: 1 });
  expect(await readRun(cwd, 'rejects/in.ndjson')).toMatch(
    /^\{"_line":2,"_reason":"[^"]+","platform": "linkedin","id": 12345678901234567890,"score": 1\.0\}\n$/,
  );
  const array = await run(cwd, ['upload', 'in.json', '--type', 'social', '--json'], { env: at(there) });
  expect(array.code).toBe(0);
});

test('an undecodable row is rejected with its line, and the corrected rejects file is delivered', async () => {
  const cwd = await workspace();
  const there = await service();
  const text = 'Report;;\nFirma;Titel;Art\nMüller;Runde;news\nBad\x81;Runde;news\n';
  await write(cwd, 'in.csv', Buffer.from(text, 'latin1'));
  await write(
    cwd,
    'map.yaml',
    [
      'type: signals',
      'input: { encoding: windows-1252, header_line: 2 }',
      'fields: { company_name: Firma, signal_name: Titel, source: Art }',
    ].join('\n'),
  );
  const ended = await run(cwd, ['upload', 'in.csv', '-m', 'map.yaml', '--json'], { env: at(there) });
  expect(ended.code).toBe(3);
  const rejects = await readRun(cwd, 'rejects/in.csv');
  expect(rejects).toMatch(/\n4;.*byte 0x81 at character 4.*--encoding/);

  await write(cwd, 'again.csv', `\ufeff${rejects.split('\r\n')[0]?.replace('\ufeff', '')}\r\n4;;Götz;Runde;news\r\n`);
  const again = await run(cwd, ['upload', 'again.csv', '-m', 'map.yaml', '--out', 'second', '--json'], {
    env: at(there),
  });
  expect(again.code).toBe(0);
  const names = (await recordsAt(there)).map((record) => record['company_name']);
  expect(names).toEqual(expect.arrayContaining(['Müller', 'Götz']));
});

describe('a compressed file', () => {
  test('is uploaded as what is in it, under its own name', async () => {
    const cwd = await workspace();
    const there = await service();
    const plain = `${csvOf(250)},x.example,no company,news,2026-11-20\n`;
    await write(cwd, 'in.csv.gz', gzipSync(plain));
    const ended = await run(cwd, ['upload', '*.csv.gz', '--json'], { env: at(there) });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({
      balanced: true,
      state: 'complete',
      rows: { read: 251, delivered: 250, invalid: 1 },
      inputs: [{ source: 'in.csv.gz', bytes: Buffer.byteLength(plain), bytesUnread: 0 }],
    });
    expect(await readRun(cwd, 'rejects/in.csv')).toContain('\n252,');
  });

  test('that is torn stops the run as an input that fails half-way, with what came before delivered', async () => {
    const cwd = await workspace();
    const there = await service();
    const packed = gzipSync(csvOf(20_000));
    await write(cwd, 'in.csv.gz', packed.subarray(0, packed.length - 20));
    const ended = await run(cwd, ['upload', 'in.csv.gz', '--json'], { env: at(there) });
    expect(ended.code).toBe(6);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({ balanced: true, state: 'stopped', inputs: [{ bytesUnread: null }] });
    expect(summary.rows['delivered']).toBeGreaterThan(1000);
    expect(ended.stderr).toContain('failed at byte');
  });
});

test('a JSON array uploads the same records as its objects one a line, and its rejects are lines', async () => {
  const cwd = await workspace();
  const rows = Array.from({ length: 5 }, (_, n) => ({
    company_name: n === 3 ? '' : `Company ${n}`,
    signal_name: 'Raised a round',
    source: 'funding',
  }));
  await write(cwd, 'in.json', JSON.stringify(rows, null, 2));
  await write(cwd, 'in.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
  const digests: unknown[] = [];
  for (const file of ['in.json', 'in.ndjson']) {
    const there = await service();
    const ended = await run(cwd, ['upload', file, '--out', `runs-${file}`, '--json'], { env: at(there) });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended).rows).toMatchObject({ read: 5, delivered: 4, invalid: 1 });
    digests.push(there.requests().map(({ digest }) => digest));
    const [folder = ''] = (await readdir(path.join(cwd, `runs-${file}`))).filter((name) => !name.startsWith('.'));
    const rejects = await readFile(path.join(cwd, `runs-${file}`, folder, 'rejects', 'in.ndjson'), 'utf8');
    expect(rejects.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(rejects)).toMatchObject({
      _line: file === 'in.json' ? 17 : 4,
      signal_name: 'Raised a round',
    });
  }
  expect(digests[0]).toEqual(digests[1]);
});

/** A row of 1,000 that is not the last one, and one at the very end without a line end, show that nothing is lost. */
const big = csvOf(1000).trimEnd();
const forms: readonly (readonly [string, Buffer, readonly string[]])[] = [
  ['packed.csv.gz', gzipSync(big), []],
  ['wide.csv', Buffer.from(`\ufeff${big}`, 'utf16le'), []],
  ['declared.csv', Buffer.from(`Preamble\n${big}, Zürich`, 'latin1'), ['--encoding', 'cp1252', '--header-line', '2']],
  [
    'array.json',
    Buffer.from(
      JSON.stringify(
        Array.from({ length: 1000 }, (_, n) => ({
          company_name: `C ${n}`,
          signal_name: 'T',
          source: 'news',
        })),
      ),
    ),
    [],
  ],
];

test.each(forms)('a stopped run with %s resumes, and sends every row once', async (name, bytes, options) => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, name, bytes);
  const wrong = withWrongKey(there);
  const stopped = await run(cwd, ['upload', name, ...options, '--concurrency', '1'], { env: wrong });
  expect(stopped.code).toBe(5);
  const ended = await run(cwd, ['resume', 'last', '--json'], { env: at(there) });
  expect(ended.stderr).toContain(name);
  expect(summaryOf(ended)).toMatchObject({
    state: 'complete',
    balanced: true,
    rows: { read: 1000, pending: 0 },
    inputs: [{ bytesUnread: 0 }],
  });
  const { delivered = 0, invalid = 0 } = summaryOf(ended).rows;
  expect(delivered + invalid).toBe(1000);
  const accepted = there.requests().reduce((sum, request) => sum + (request.accepted ?? 0), 0);
  expect(accepted).toBe(delivered);
});
