import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createUndeliveredFile, UNDELIVERED } from '../../src/journal/undelivered.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { hasPayloads, prepareStored } from '../../src/run/stored-batches.ts';

const PAYLOAD = '{"events":[{"engager_name":"Ann"}]}';

/** A folder with one refused batch, whose line may be changed. */
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
  await file.add({ ...wanted, payload, offsets: [11, payload.length - 1], rows: [] }, 'refused');
  await file.close();
  const name = path.join(folder, UNDELIVERED);
  await writeFile(name, change(await readFile(name, 'utf8'), digestOf));
  const payloads: string[] = [];
  for await (const items of prepareStored(folder, [wanted])) {
    for (const item of items) if ('batch' in item) payloads.push(Buffer.from(item.batch.payload).toString());
  }
  return { isThere: await hasPayloads(folder, [wanted]), payloads };
}

test('a payload is sent as it was sealed', async () => {
  expect(await stored((line) => line)).toEqual({ isThere: true, payloads: [PAYLOAD] });
});

test.each([
  ['was changed', (line: string) => line.replace('Ann', 'Bob')],
  [
    'was changed together with its digest',
    (line: string, digestOf: (text: string) => string) =>
      line.replace('Ann', 'Bob').replace(digestOf(PAYLOAD), digestOf(PAYLOAD.replace('Ann', 'Bob'))),
  ],
  ['is of another batch', (line: string) => line.replace('"batch":"1"', '"batch":"2"')],
  ['is incomplete', (line: string) => line.slice(0, -3)],
])('a payload that %s is not sent', async (_what, change) => {
  expect(await stored(change)).toEqual({ isThere: false, payloads: [] });
});
