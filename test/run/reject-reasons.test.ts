import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRejects, type RejectsForm } from '../../src/report/csv-files.ts';
import { originOfReject, readRejectReasons } from '../../src/run/rejects-folder.ts';

const REASON = 'signal_source (column "Kind"): found "a;b", expected one of funding, news';

async function reasonsIn(form: RejectsForm, wanted: readonly number[], text?: string): Promise<Record<number, string>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signals-rejects-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'in');
  const rejects = createRejects(form, 'in.csv');
  const content = form.format === 'csv' ? ['Acme', '3\n4,"no row"'] : '{"a":1}';
  const rows = [
    rejects.line(2, REASON, content),
    rejects.line(7, 'company_name is missing', content),
    rejects.line(9, '-1 is no number', content),
  ];
  await writeFile(file, text ?? rejects.header + rows.join(''));
  return Object.fromEntries(await readRejectReasons(file, new Set(wanted)));
}

test.each([
  { format: 'csv', columns: ['a', 'b'], delimiter: ',' },
  { format: 'csv', columns: ['a', 'b'], delimiter: ';' },
  { format: 'csv', columns: ['a', 'b'], delimiter: '\t' },
  { format: 'ndjson' },
] as const)('reads the reasons that the rejects file was written with: %o', async (form) => {
  expect(await reasonsIn(form, [2, 7, 9])).toStrictEqual({
    2: REASON,
    7: 'company_name is missing',
    9: "'-1 is no number",
  });
});

test('a torn or a changed file gives what can be read of it', async () => {
  expect(await reasonsIn({ format: 'ndjson' }, [1, 2], '{"_line":1,"_reason":7}\n{"_line":2,"_rea')).toStrictEqual({});
  expect(await readRejectReasons('/no/such/file', new Set([1]))).toStrictEqual(new Map());
});

test.each([
  ['3,company_name is missing,,Acme', 'a.csv:3'],
  ['\ufeff3;"a ""b"";c:4"; Acme', 'a.csv:3'],
  ['3,company_name is missing,b.csv:12,,Acme', 'b.csv:12'],
  ['3;"found ""x;y""";"b;c.csv:12";Acme', 'a.csv:3'],
  ['{"_line":3,"_reason":"found \\"x\\"","a":"b.csv:12"}', 'a.csv:3'],
  ['{"_line":3,"_reason":"found \\"x\\"","_origin_line":"b.ndjson:12"}', 'b.ndjson:12'],
  ['_line,_reason', undefined],
])('knows where a reject comes from: %s', (text, origin) => {
  expect(originOfReject(text, 'a.csv')).toBe(origin);
});
