/**
 * Reads damaged workbooks and archives: each is read, or refused with words for the user, in bounded
 * memory. `npm run fuzz:packed` reads 100,000 of each. A failure names the number of its file, and SIGNALS_FUZZ_FROM repeats it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { decode, detectInput } from '../../src/input/decode.ts';
import { openInputs } from '../../src/input/open-inputs.ts';
import { openZip } from '../../src/input/zip.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { generator } from '../../src/sandbox/fault.ts';
import { csvOf } from '../support/program.ts';
import { type ZipPart, zipOf } from '../support/zip.ts';
import { damage } from './mutate.ts';

const FILES = Number(process.env['SIGNALS_FUZZ_FILES'] ?? 300);
const FROM = Number(process.env['SIGNALS_FUZZ_FROM'] ?? 0);

const MAX_FAILURES = 5;

/** Most memory of this process, which includes the test runner. */
const MAX_BYTES = 600 * 2 ** 20;

const fixtures = path.join(import.meta.dirname, '..', '..', 'fixtures');
const scratch = path.join(import.meta.dirname, '..', '.tmp', `fuzz-${process.pid}`);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function partsOf(file: string): Promise<readonly ZipPart[]> {
  const handle = await open(file, 'r');
  try {
    const archive = await openZip(file, handle);
    const parts: ZipPart[] = [];
    for (const member of archive.members) {
      const chunks: Buffer[] = [];
      for await (const chunk of archive.read(member)) chunks.push(chunk);
      parts.push({ path: member.path, bytes: Buffer.concat(chunks) });
    }
    return parts;
  } finally {
    await handle.close();
  }
}

const OPTIONS = { header: true, maxRowBytes: 2 ** 20, ragged: 'reject' } as const;

/** The number of its rows, or the code of the problem that refuses it. */
async function readRows(file: string, sheet: string | undefined): Promise<number | string> {
  let rows = 0;
  try {
    const inputs = await openInputs([file], Readable.from([]), { sheet });
    try {
      for (const input of inputs) {
        const detected = detectInput(input, OPTIONS);
        for await (const block of decode({ source: 0, chunks: input.chunks(), detected }, OPTIONS)) {
          rows += block.rows.length;
        }
      }
    } finally {
      for (const input of inputs) await input.close();
    }
    return rows;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    for (const { message, hint } of error.problems) expect(`${message}\n${hint ?? ''}`).toMatch(/[^.]\.\n.*[^.][.`]$/s);
    return error.problems[0]?.code ?? '';
  }
}

interface Original {
  readonly bytes: Buffer;
  /** The members of an archive. */
  readonly parts: readonly ZipPart[];
}

function fixturesOf(folder: string, extension: string): readonly string[] {
  const names = readdirSync(path.join(fixtures, folder)).filter((name) => name.endsWith(extension));
  return names.map((name) => path.join(fixtures, folder, name));
}

async function workbooks(): Promise<readonly Original[]> {
  const files = fixturesOf('workbooks', '.xlsx');
  return Promise.all(files.map(async (file) => ({ bytes: readFileSync(file), parts: await partsOf(file) })));
}

/** Archives with inputs, and with files that are none. hyparquet does not promise to end with damaged Parquet. */
async function archives(): Promise<readonly Original[]> {
  const [workbook = ''] = fixturesOf('workbooks', '.xlsx');
  const texts = [
    { path: 'a.csv', bytes: csvOf(20) },
    { path: 'folder/b.csv.gz', bytes: gzipSync(csvOf(20)) },
    { path: 'c.ndjson', bytes: '{"a":1,"b":"x"}\n{"a":2}\n' },
    { path: 'README.txt', bytes: 'About' },
    { path: 'inner.zip', bytes: zipOf([{ path: 'd.csv', bytes: csvOf(2) }]) },
  ];
  const packed = [{ path: 'a.xlsx', bytes: readFileSync(workbook) }];
  return [texts, [...texts, ...packed], packed].map((parts) => ({ bytes: zipOf(parts), parts }));
}

it.each([
  ['workbooks', workbooks],
  ['archives', archives],
])(`reads or refuses ${FILES} damaged %s`, { timeout: Math.max(90_000, 100 * FILES) }, async (kind, find) => {
  mkdirSync(scratch, { recursive: true });
  const file = path.join(scratch, 'in');
  const originals = await find();
  const failures: string[] = [];
  const counts = new Map<string, number>();
  let most = 0;
  for (let number = FROM; number < FROM + FILES; number += 1) {
    const random = generator(number);
    const original = originals[Math.floor(random() * originals.length)];
    if (original === undefined) throw new RangeError('there is no file to damage');
    writeFileSync(file, damage(random, original.bytes, original.parts));
    const result = await readRows(file, random() < 0.8 ? undefined : '1').catch((error: unknown) => {
      failures.push(`${number}: ${error instanceof Error ? error.stack : String(error)}`);
      return 'failed';
    });
    if (failures.length > MAX_FAILURES) break;
    if (number % 50 === 0) most = Math.max(most, process.memoryUsage.rss());
    expect(most, `memory after file ${number}`).toBeLessThan(MAX_BYTES);
    const outcome = typeof result === 'number' ? 'read' : result;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  expect(failures, 'files that are neither read nor refused').toEqual([]);
  expect(counts.get('read')).toBeGreaterThan(FILES / 10);
  if (FILES > 1000) {
    const list = [...counts].map(([outcome, count]) => `${outcome}: ${count}`).join(', ');
    process.stdout.write(`${kind}: ${list}; at most ${Math.round(most / 2 ** 20)} MiB\n`);
  }
});
