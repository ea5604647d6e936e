/** What is fuzzed: the readers of texts and files that other programs have written, and what must be true of each. */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { contracts, recordTypes } from '../../src/contract/index.ts';
import { decide } from '../../src/deliver/decide.ts';
import { readRetryAfter } from '../../src/deliver/throttle-rules.ts';
import { decode, decodedText, detectInput, isBroken, readRow } from '../../src/input/decode.ts';
import { readHead } from '../../src/input/encoding.ts';
import { openInputs } from '../../src/input/open-inputs.ts';
import { transcode } from '../../src/input/transcode.ts';
import { readJournal } from '../../src/journal/read-journal.ts';
import { parseUrl } from '../../src/lib/url.ts';
import { compileMapping, type MappingTarget } from '../../src/map/compile-mapping.ts';
import type { MappingDocument } from '../../src/map/document-schema.ts';
import { parseMapping } from '../../src/map/parse-document.ts';
import { renderMapping } from '../../src/map/render-mapping.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { RecordType } from '../../src/model/record.ts';
import { isRejectsFile } from '../../src/model/rejects-file.ts';
import type { BrokenRow, Content, Row } from '../../src/model/row.ts';
import { parseOptions, settingsOf } from '../../src/options/option-spec.ts';
import { optionTable } from '../../src/options/option-table.ts';
import { hidePassword } from '../../src/options/parse-values.ts';
import { parseSetting, textOf } from '../../src/options/resolve-settings.ts';
import { columnsOfObjects, transformedRow } from '../../src/plan/row-function-worker.ts';
import { createRecordReader } from '../../src/prepare/record.ts';
import { between } from '../chaos/random.ts';
import { chunked } from '../support/read.ts';
import { rowOf } from '../support/rows.ts';
import { damage, mutate, pick, type Random } from './mutate.ts';

export interface Target {
  /** Throws if the program breaks a promise for the input. @param random chooses the options */
  readonly check: (bytes: Buffer, random: Random) => unknown;
  /** Files of fixtures/ to start from. */
  readonly files?: readonly string[];
  /** Default: bytes and words. */
  readonly mutate?: typeof mutate;
  /** How many times as long a case takes as one of the others: it gets fewer of them. */
  readonly cost?: number;
}

export const scratch = path.join(import.meta.dirname, `../.tmp/fuzz-${process.pid}`);

/** What `work` gives, or the problem that it throws instead: a sentence with a code. Any other error is a bug. */
async function valueFrom<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    for (const { code, message, hint = '' } of error.problems) {
      assert.match(`${code}: ${message}`, /^[a-z]+(\.[a-z_]+)?: .*[^.][.?]$/s);
      if (code.startsWith('input.')) assert.match(hint, /[^.][.`]$/);
    }
    return undefined;
  }
}

const pieces = (bytes: Buffer, size: number) => chunked(bytes, () => size);

async function arrayOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const decodeOptions = (random: Random) => ({
  name: pick(random, ['in', 'in.csv', 'in.tsv', 'in.ndjson', 'in.json']),
  format: pick(random, [undefined, undefined, 'csv', 'ndjson', 'json'] as const),
  header: random() < 0.8,
  maxRowBytes: pick(random, [2 ** 20, 2 ** 20, 40]),
  ragged: pick(random, ['reject', 'pad'] as const),
  delimiter: pick(random, [undefined, undefined, ',', ';', 'tab', '|']),
  quote: pick(random, [undefined, undefined, "'", '']),
  encoding: pick(random, [undefined, undefined, 'utf-8', 'windows-1252', 'utf-16le', 'shift_jis']),
});

async function checkRows(bytes: Buffer, random: Random): Promise<void> {
  const { name, ...options } = decodeOptions(random);
  const detected = await valueFrom(() => detectInput({ name, head: bytes, headIsWhole: true }, options));
  if (detected === undefined) return;
  const rowsOf = async (size: number, more = {}) => {
    const rows: (Row | BrokenRow)[] = [];
    let end = 0;
    const isWhole = await valueFrom(async () => {
      for await (const block of decode({ source: 0, chunks: pieces(bytes, size), detected, ...more }, options)) {
        rows.push(...block.rows);
        end = block.cursor.byte;
      }
      return true;
    });
    return { rows, end, isWhole };
  };
  const one = await rowsOf(bytes.length);
  const { rows, isWhole } = await rowsOf(pick(random, [1, 7, 19, 64]));
  // Of an array that is no whole one, a larger block may give fewer rows before its end.
  assert.deepEqual(rows.slice(0, one.rows.length), one.rows, 'rows do not depend on blocks');
  assert.equal(isWhole, one.isWhole);
  if (!isWhole) return;
  assert.equal(rows.length, one.rows.length);
  assert.deepEqual((await rowsOf(64, { isHead: true })).rows, rows, 'a head has the same rows');
  const text = Buffer.concat(await arrayOf(decodedText(pieces(bytes, 64), detected)));
  if (rows.length > 0) assert.equal(one.end, text.length, 'the cursor is at the end');
  const ignored = new Set(detected.format === 'csv' ? [detected.delimiter, detected.quote] : [',', ']']);
  let [byte, line] = [detected.body.byte, detected.body.line];
  for (const row of [...rows, undefined]) {
    const gap = text.toString('utf8', byte, row?.position.start);
    const rest = [...gap].filter((each) => !ignored.has(each)).join('');
    assert.match(rest, /^[\s\u0085]*$/, 'only blank rows are left out');
    if (row === undefined) break;
    const { position } = row;
    const own = text.subarray(position.start, position.end);
    assert.equal(position.row, rows.indexOf(row) + 1);
    assert.equal(position.line, line + gap.split('\n').length - 1, 'its line');
    ({ nextLine: line, end: byte } = position);
    const isLast: boolean = byte === text.length && own.at(-1) !== 0x0a;
    assert.equal(line, position.line + own.toString('latin1').split('\n').length - (isLast ? 0 : 1), 'the next line');
    if (isBroken(row)) {
      const isOwn = typeof row.raw !== 'string' || !isUtf8(own) || own.toString().startsWith(row.raw);
      assert.ok(isOwn, 'a broken row keeps the start of its text');
    } else if (!isRejectsFile(detected.columns)) {
      assert.deepEqual(readRow(own, detected, options), row.text ?? row.content, 'it can be read again');
      if (detected.format !== 'csv') assert.deepEqual(row.content, JSON.parse(own.toString().trim()), 'its values');
    }
  }
  const last = rows[between(random, 0, rows.length - 1)]?.position;
  if (last === undefined) return;
  const from = { rows: last.row, line: last.nextLine, byte: last.end };
  assert.deepEqual((await rowsOf(64, { from })).rows, rows.slice(last.row), 'reading goes on between rows');
}

async function checkLayout(head: Buffer, random: Random): Promise<void> {
  const { name, ...given } = { ...decodeOptions(random), format: 'csv' } as const;
  const look = (options: object) =>
    valueFrom(() => detectInput({ name, head, headIsWhole: true }, { ...given, ...options }));
  const { columns, body, delimiter, quote, encoding } = (await look({})) ?? {};
  // Text that is a rejects file of objects stays one.
  if (columns === undefined || body === undefined || delimiter === undefined) return;
  assert.equal(new Set(columns).size, columns.length, 'each name once');
  assert.ok(columns.length > 0 && columns.every((name) => name.trim() !== ''), 'each has a name');
  assert.ok(body.byte <= 3 * head.length && delimiter !== quote && delimiter?.length === 1, 'a layout');
  const again = await look({ delimiter, encoding });
  assert.deepEqual([again?.columns, again?.body], [columns, body], 'the same with what was detected as options');
}

const ENCODINGS =
  'utf-8 utf-16le utf-16be windows-1252 iso-8859-2 macintosh shift_jis gbk gb18030 big5 euc-kr euc-jp iso-2022-jp'.split(
    ' ',
  );

async function checkEncoding(bytes: Buffer, random: Random): Promise<void> {
  const declared = pick(random, [undefined, undefined, ...ENCODINGS]);
  const head = await valueFrom(() => readHead({ name: 'in', head: bytes, headIsWhole: true }, declared));
  if (head === undefined) return;
  const { encodingName } = head;
  if (encodingName === 'utf-8') return assert.deepEqual(head.bytes, bytes.subarray(head.offset));
  const parts = await arrayOf(transcode(pieces(bytes, pick(random, [1, 2, 3, 40])), encodingName));
  assert.deepEqual(Buffer.concat(parts), head.bytes, 'the text does not depend on blocks');
  assert.ok(!head.bytes.includes('\ufffd'), 'what does not decode is no valid character');
  const valid = Buffer.from(head.bytes.toString('latin1').replaceAll('\xff\xbf\xbd', '\xef\xbf\xbd'), 'latin1');
  assert.ok(isUtf8(valid), 'the rest is UTF-8');
  const text = valid.toString();
  const isWide = encodingName.startsWith('utf-16');
  const given = isWide ? new TextDecoder(encodingName).decode(bytes) : bytes.toString('latin1');
  assert.equal(text.split('\n').length, given.split('\n').length, 'it has the lines of the input');
  const isExact = encodingName !== 'windows-1252' && !text.includes('\ufffd');
  if (isExact) assert.equal(text, new TextDecoder(encodingName).decode(bytes));
}

async function checkMapping(bytes: Buffer, random: Random): Promise<void> {
  const document = await valueFrom(() => parseMapping(bytes.toString(), 'm.yaml'));
  if (document === undefined) return;
  assert.deepEqual(parseMapping(renderMapping(document), 'again.yaml'), document, 'it reads as it was written');
  const type = document.type ?? pick(random, recordTypes);
  const columns = ['Company', 'Website', 'Date', 'a.b', 'Amount'];
  const rowForm = pick(random, ['csv', 'ndjson'] as const);
  const cells = ['Acme', 'https://acme.example/x', '11/20/2026', bytes.toString().slice(0, 9), '$1,234.50'];
  const content = rowForm === 'csv' ? cells : Object.fromEntries(columns.map((name, index) => [name, cells[index]]));
  await checkRecord(document, type, { columns, rowForm }, content);
}

/** A record is JSON of texts and finite numbers; otherwise there are issues. */
async function checkRecord(
  document: MappingDocument,
  type: RecordType,
  row: Omit<MappingTarget, 'contract' | 'variant' | 'inputName'>,
  content: Content,
): Promise<void> {
  const contract = contracts[type];
  const variant = document.variant ?? contract.variants[0];
  const mapping = await valueFrom(() => compileMapping(document, { ...row, contract, variant, inputName: 'in' }));
  if (mapping === undefined) return;
  const record = createRecordReader(contract, variant, mapping.columnOf)(mapping.apply({ content }));
  if ('issues' in record) return assert.ok(record.issues.length > 0, 'a reason');
  const values = Object.values(JSON.parse(record.json));
  const isValue = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);
  assert.ok(values.every(isValue), 'a record of values');
}

async function checkJournal(lines: Buffer, random: Random): Promise<void> {
  const crc = (text: string): string => crc32(text).toString(16).padStart(8, '0');
  const sign = (_line: string, body: string): string => `${body},"crc":"${crc(body)}"}`;
  const isRaw = random() < 0.1;
  const signed = isRaw ? lines : Buffer.from(lines.toString().replace(/(.*)\}(?=\n)/g, sign));
  const bytes = random() < 0.3 ? mutate(random, [signed], []) : signed;
  const eventsOf = async (journal: Buffer) => {
    const events: unknown[] = [];
    writeFileSync(path.join(scratch, 'journal.ndjson'), journal);
    try {
      const { runState, ...read } = await readJournal(scratch, { onEvent: (event) => events.push(event) });
      assert.ok(Object.values({ ...runState.rows, ...runState.batches }).every(Number.isFinite), 'counts');
      return { events, read: read.bytes };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      assert.match(error.problems[0]?.code ?? '', /^journal\.(damaged|empty)$/);
      return { events };
    }
  };
  const all = await eventsOf(bytes);
  const wholeLines = bytes.toString('latin1').split('\n').length - 1;
  if (all.read !== undefined)
    assert.deepEqual([all.events.length, all.read], [wholeLines, bytes.lastIndexOf('\n') + 1]);
  const cutOff = bytes.subarray(0, between(random, 0, bytes.length));
  const kept = cutOff.toString('latin1').split('\n').length - 1;
  assert.deepEqual((await eventsOf(cutOff)).events, all.events.slice(0, kept), 'whole lines keep their events');
}

function checkReceipt(bytes: Buffer, random: Random): void {
  const type = pick(random, recordTypes);
  const [status, records] = [pick(random, [200, 200, 201, 299, 199, 300, 400, 500, 503]), between(random, 1, 100)];
  const [whole, written, maybeProcessed] = [random() < 0.9, random() < 0.9, random() < 0.2];
  const body = bytes.toString();
  const flags = { anyDelivered: true, resendUnknown: false, isolate: random() < 0.5 };
  const answer = { kind: 'answered', status, headers: {}, body, whole, written } as const;
  const decision = decide(answer, { contract: contracts[type], records, maybeProcessed, ...flags });
  let receipt = Object(undefined);
  try {
    receipt = Object(JSON.parse(body.replace(/^\ufeff/, '')));
  } catch {}
  const { accepted, deduplicated, rejected } = receipt.stats ?? {};
  const counts = type === 'social' ? [receipt.promotedToPipeline] : [accepted, deduplicated, rejected];
  const isReceipt = receipt.success === true && typeof receipt.batchId === 'string';
  const isDelivered = isReceipt && counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  const isAccepted = isDelivered && status >= 200 && status < 300 && whole && written;
  assert.equal(decision.do === 'deliver', isAccepted, 'delivered only with a receipt');
  assert.ok(JSON.stringify(decision).length < 5000, 'a bounded reason');
  if (decision.do !== 'deliver') return;
  const sum = type === 'social' ? records : accepted + deduplicated + rejected;
  assert.deepEqual([decision.unaccounted, decision.receipt.batchId], [records - sum, receipt.batchId.slice(0, 200)]);
}

const DAY = 86_400_000;
const HEADERS = ['retry-after', 'ratelimit-reset', 'ratelimit'];

function checkHeaders(bytes: Buffer, random: Random): void {
  const given = bytes.toString('latin1').split('\n');
  const headers = Object.fromEntries(HEADERS.flatMap((name, index) => (given[index] ? [[name, given[index]]] : [])));
  const now = Date.parse('2026-11-20T09:15:00Z');
  const maxWait = pick(random, [0, 1000, 300_000, DAY]);
  const { ms, invalid } = readRetryAfter(headers, now, maxWait);
  if (ms !== undefined) assert.ok(Number.isSafeInteger(ms) && ms >= 0 && ms <= DAY, 'a bounded wait');
  const text = headers['retry-after'] ?? headers['ratelimit-reset'];
  if (text === undefined) return;
  assert.ok(ms !== undefined || invalid === text, 'a wait or what is wrong');
  if (/^\d+$/.test(text)) assert.equal(ms, 1000 * Number(text) > DAY ? maxWait : 1000 * Number(text));
  else if (ms !== undefined && !/^\s*[\d.]+\s*$/.test(text))
    assert.match(text, /\d:\d\d/, 'what is no number is a time');
}

/** JSON has no words for these. */
const VALUES: Readonly<Record<string, unknown>> = {
  '@nan': Number.NaN,
  '@undefined': undefined,
  '@bigint': 2n ** 70n,
  '@date': new Date(Number.NaN),
  '@map': new Map([['a', 1]]),
  '@bytes': new Uint8Array(3),
};

async function checkTransform(bytes: Buffer, random: Random): Promise<void> {
  const text = bytes.toString();
  let value: unknown = text;
  try {
    value = JSON.parse(text, (_key, each) =>
      typeof each === 'string' && Object.hasOwn(VALUES, each) ? VALUES[each] : each,
    );
  } catch {}
  const given = rowOf(pick(random, [['1', '2'], { a: 1 }]));
  const row = transformedRow(given, { kind: 'value', value: structuredClone(value) });
  assert.equal(row === undefined, value === undefined || value === null, 'null leaves the row out');
  if (row === undefined) return;
  assert.deepEqual(row.position, given.position);
  assert.equal(isBroken(row), typeof value !== 'object' || Array.isArray(value), 'an object is a row');
  if (isBroken(row)) return assert.equal(row.issue.code, 'transform');
  assert.equal(Object.getPrototypeOf(row.content), Object.prototype);
  const columns = columnsOfObjects([row.content]);
  const type = pick(random, recordTypes);
  const ways = columns.flatMap(
    (column) => [{ column }, { column, as: 'domain' }, { column, as: 'number' }, { first: columns }] as const,
  );
  if (ways.length === 0) return;
  const fields = Object.fromEntries(contracts[type].fields.map(({ name }) => [name, pick(random, ways)]));
  const rowForm = pick(random, ['named cells', 'ndjson'] as const);
  await checkRecord({ fields }, type, { columns, rowForm }, row.content);
}

async function checkSetting(bytes: Buffer, random: Random): Promise<void> {
  const [given = '', named = '', rest = ''] = /^(\w+)=(.*)$/s.exec(bytes.toString()) ?? [bytes.toString()];
  const settings = settingsOf(optionTable);
  const setting = settings.find((each) => each.key === named);
  const { key, spec, name } = setting ?? pick(random, settings);
  const text = setting === undefined ? given : rest;
  await valueFrom(() => parseOptions(optionTable, { setting: [pick(random, [text, `${key}=${text}`])] }));
  const allowHttp = random() < 0.5;
  const parsed = parseSetting(spec, text, { allowHttp });
  const shown = JSON.stringify(parsed);
  const password = parseUrl(text.trim())?.password ?? '';
  if (password.length > 3 && !'/*:'.includes(password)) {
    assert.notEqual(parseUrl(hidePassword(text))?.password, password, 'a hidden password');
    if ('issue' in parsed && (name === 'baseUrl' || spec.mayHavePassword === true))
      assert.ok(!shown.includes(`:${password}@`), 'no password in a message');
  }
  if ('issue' in parsed) {
    assert.ok(parsed.issue.expected.length > 0, 'what is expected');
    if (spec.secret) assert.ok(text.trim().length < 12 || !shown.includes(text.trim()), 'no key in a message');
    return;
  }
  const { value } = parsed;
  if (typeof value === 'number') assert.ok(Number.isSafeInteger(value) && value >= 0, 'a number');
  const safe = allowHttp ? /^https?:\/\/.*[^/]$/ : /^https:\/\/.*[^/]$|^http:\/\/(localhost|127\.|\[)/;
  if (name === 'baseUrl') assert.match(String(value), safe);
  assert.deepEqual(parseSetting(spec, textOf(value, text), { allowHttp }), parsed, 'what is stored reads as before');
}

/** A workbook or an archive is read, or refused. */
async function checkPacked(bytes: Buffer, random: Random): Promise<void> {
  const file = path.join(scratch, 'in');
  writeFileSync(file, bytes);
  // Other tests ran in this process before.
  const before = process.memoryUsage.rss();
  const options = { header: true, maxRowBytes: 2 ** 20, ragged: 'reject' } as const;
  await valueFrom(async () => {
    const sheet = random() < 0.8 ? undefined : '1';
    const inputs = await openInputs([file], Readable.from([]), { sheet });
    try {
      for (const input of inputs) {
        const detected = detectInput(input, options);
        await arrayOf(decode({ source: 0, chunks: input.chunks(), detected }, options));
      }
    } finally {
      for (const input of inputs) await input.close();
    }
  });
  assert.ok(process.memoryUsage.rss() - before < 700 * 2 ** 20, 'bounded memory');
}

const TABLES = ['decode/*/input*', 'messy/*.csv', '*.csv', '*.ndjson'];

export const targets: Readonly<Record<string, Target>> = {
  rows: { files: TABLES, check: checkRows, cost: 2 },
  layouts: { files: TABLES, check: checkLayout, cost: 2 },
  encodings: { files: TABLES, check: checkEncoding },
  mappings: { files: ['map/*/mapping.yaml', 'messy/*.yaml', '*.yaml'], check: checkMapping, cost: 5 },
  journals: { check: checkJournal, cost: 10 },
  receipts: { check: checkReceipt },
  headers: { check: checkHeaders },
  transforms: { check: checkTransform },
  settings: { check: checkSetting },
  workbooks: { files: ['workbooks/*.xlsx'], check: checkPacked, mutate: damage, cost: 100 },
  // hyparquet does not promise to end with damaged Parquet.
  archives: { files: ['fuzz/archives/*.zip'], check: checkPacked, mutate: damage, cost: 100 },
};
