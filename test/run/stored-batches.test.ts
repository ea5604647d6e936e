import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createUndeliveredFile, UNDELIVERED } from '../../src/journal/undelivered.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { hasPayloads, prepareStored, RejectingBatches } from '../../src/run/stored-batches.ts';
import { follow, range, sealed, settled } from '../support/run-states.ts';

const PAYLOAD = '{"events":[{"engager_name":"Ann"}]}';

/** A folder with one refused batch and another one, whose lines may be changed. */
async function stored(change: (line: string, digestOf: (text: string) => string) => string) {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'stored-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const digests = await loadDigests();
  const digestOf = (text: string): string => digests.digestOf(Buffer.from(text));
  const ranges = [{ source: 0, firstRow: 1, lastRow: 1, firstLine: 2, lastLine: 2, start: 10, end: 20 }];
  const wanted = { id: '1', digest: digestOf(PAYLOAD), records: 1, ranges };
  const file = createUndeliveredFile(path.join(folder, UNDELIVERED));
  const payload = Buffer.from(PAYLOAD);
  const batch = { ...wanted, payload, offsets: [11, payload.length - 1], rows: [] };
  for (let times = 0; times < 2; times += 1) await file.add(batch, 'refused', { reason: 'no', content: ['Ann'] });
  const other = Buffer.from('{"events":[{"engager_name":"Cid"}]}');
  const second = { ...batch, id: '3', payload: other, digest: digests.digestOf(other) };
  await file.add(second, 'unknown');
  await file.close();
  const name = path.join(folder, UNDELIVERED);
  await writeFile(name, change(await readFile(name, 'utf8'), digestOf));
  const items: Prepared[] = [];
  const all = [wanted, { ...wanted, id: '3', digest: second.digest }];
  for await (const some of prepareStored(folder, all)) items.push(...some);
  return { isThere: await hasPayloads(folder, all), items };
}

test('a payload is sent once and as it was sealed, with the row that was refused', async () => {
  const position = { source: 0, row: 1, line: 2, nextLine: 3, start: 10, end: 10 };
  const { isThere, items } = await stored((lines) => lines);
  expect([isThere, items.length]).toEqual([true, 2]);
  for (const [n, name] of ['Ann', 'Cid'].entries()) {
    const payload = Buffer.from(PAYLOAD.replace('Ann', name));
    const rows = [n === 0 ? { position, content: ['Ann'] } : { position }];
    expect(items[n]).toMatchObject({ kind: 'rebuilt', matches: true, batch: { payload, offsets: [11, 34], rows } });
  }
});

test.each([
  ['was changed', (line: string) => line.replaceAll('Ann', 'Bob')],
  [
    'was changed together with its digest',
    (line: string, digestOf: (text: string) => string) =>
      line.replaceAll('Ann', 'Bob').replaceAll(digestOf(PAYLOAD), digestOf(PAYLOAD.replace('Ann', 'Bob'))),
  ],
  ['is of another batch', (line: string) => line.replaceAll('"batch":"1"', '"batch":"2"')],
  ['is incomplete', (lines: string) => lines.replaceAll('}]}}\n', '}]\n')],
])('a payload that %s is not sent', async (_what, change) => {
  const { isThere, items } = await stored(change);
  expect([isThere, items.filter((item) => item.kind !== 'rebuilt' || item.batch.id !== '3')]).toEqual([false, []]);
});

test('delivered batches with rejected records are found, in the order of their rows', () => {
  const rejecting = new RejectingBatches();
  const on = follow(rejecting.on);
  const receipt = (rejected?: number) => ({ receipt: { batchId: 'b', rejected } });
  for (const [n, id] of ['1', '2', '3', '4', '5'].entries()) on(sealed(id, 2, [range(0, 20 - 2 * n, 21 - 2 * n)]));
  on(settled('1', receipt(1)));
  on(settled('2', { ...receipt(1), outcome: 'refused' }));
  on(settled('3', receipt(0)));
  on(settled('4', {}));
  on(settled('5', { ...receipt(2), unaccounted: -1 }));
  const found = { digest: '00', records: 2 };
  expect(rejecting.all()).toEqual([
    { ...found, id: '5', ranges: [range(0, 12, 13)], rejected: 2, isUnaccounted: true },
    { ...found, id: '1', ranges: [range(0, 20, 21)], rejected: 1, isUnaccounted: false },
  ]);
});
