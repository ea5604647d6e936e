import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { csvOf, expectEnd, readRun, recordsAt, run, summaryOf, test, withWrongKey, write } from '../support/program.ts';

test('a first row of 300 KiB is read, and the numbers of NDJSON rejects keep their text', async ({ cwd, signals }) => {
  const event = (more: object) => JSON.stringify({ platform: 'linkedin', engagement_type: 'like', ...more });
  const long = event({ engager_name: 'Ann', comment: 'x'.repeat(300 * 1024) });
  const bad = '{ "platform": "linkedin", "_reason": "mine", "id": 12345678901234567890, "score": 1.0 }';
  await write(cwd, 'in.ndjson', `${long}\n${bad}\n`);
  await write(cwd, 'in.json', `[${long},${event({ engager_name: 'Bob' })}]`);
  const ended = await signals('upload', 'in.ndjson', '--type', 'social', '--json');
  expectEnd(ended, 3, { rows: { read: 2, delivered: 1, invalid: 1 } });
  expect(await readRun(cwd, 'rejects/in.ndjson')).toMatch(
    /^\{"_line":2,"_reason":"[^"]+","platform": "linkedin","id": 12345678901234567890,"score": 1\.0\}\n$/,
  );
  const array = await signals('upload', 'in.json', '--type', 'social', '--json');
  expect(array.code).toBe(0);
});

test('an undecodable row is rejected with its line, and delivered once corrected', async ({ cwd, there, signals }) => {
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
  const ended = await signals('upload', 'in.csv', '-m', 'map.yaml', '--json');
  expect(ended.code).toBe(3);
  const rejects = await readRun(cwd, 'rejects/in.csv');
  expect(rejects).toMatch(/\n4;.*an undecodable byte at character 4.*--encoding/);

  await write(cwd, 'again.csv', `\ufeff${rejects.split('\r\n')[0]?.replace('\ufeff', '')}\r\n4;;Götz;Runde;news\r\n`);
  const again = await signals('upload', 'again.csv', '-m', 'map.yaml', '--out', 'second', '--json');
  expect(again.code).toBe(0);
  const names = (await recordsAt(there)).map((record) => record['company_name']);
  expect(names).toEqual(expect.arrayContaining(['Müller', 'Götz']));
});

describe('a compressed file', () => {
  test('that is cut off stops the run half-way, with what came before delivered', async ({ cwd, signals }) => {
    const packed = gzipSync(csvOf(20_000));
    await write(cwd, 'in.csv.gz', packed.subarray(0, packed.length - 20));
    const ended = await signals('upload', 'in.csv.gz', '--json');
    expect(ended.code).toBe(6);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({ balanced: true, state: 'stopped', inputs: [{ bytesUnread: null }] });
    expect(summary.rows['delivered']).toBeGreaterThan(1000);
    expect(ended.stderr).toContain('failed at byte');
  });
});

/** A row of 1,000 that is not the last one, and one at the very end without a line end, show that nothing is lost. */
const big = csvOf(1000).trimEnd();
const forms: readonly (readonly [string, Buffer, readonly string[]])[] = [
  ['wide.csv', Buffer.from(`\ufeff${big}`, 'utf16le'), []],
  ['declared.csv', Buffer.from(`Preamble\n${big}, Zürich`, 'latin1'), ['--encoding', 'cp1252', '--header-line', '2']],
];

test.for(forms)(
  'a stopped run with %s resumes, and sends every row once',
  async ([name, bytes, options], { cwd, there, signals }) => {
    await write(cwd, name, bytes);
    const wrong = withWrongKey(there);
    const stopped = await run(cwd, ['upload', name, ...options, '--concurrency', '1'], { env: wrong });
    expect(stopped.code).toBe(5);
    const ended = await signals('resume', 'last', '--json');
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
  },
);
