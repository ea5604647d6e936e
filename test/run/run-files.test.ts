/** The files of a run: on a full disk, which is /dev/full, and where not all of them can be opened. */
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAppend } from '../../src/journal/append-file.ts';
import { newRunState } from '../../src/journal/apply-event.ts';
import { encodeLine } from '../../src/journal/lines.ts';
import { createUndeliveredFile } from '../../src/journal/undelivered.ts';
import type { Batch } from '../../src/model/batch.ts';
import { createRejectsFiles, editedRejects, rejectsFileNames } from '../../src/run/rejects-folder.ts';
import { openIn } from '../support/files.ts';
import { ORIGIN, runFilesInTemp } from '../support/open-run-files.ts';
import { workspace } from '../support/program.ts';
import { started } from '../support/run-states.ts';

const STARTED = started(['stdin']);

/** A journal that finds no space, and the file that reserves some. */
async function journalOnFullDisk(folder: string) {
  const reserve = path.join(folder, 'journal.reserve');
  const journal = await openAppend('/dev/full', { reserve });
  onTestFinished(() => journal.close());
  return { journal, reserve };
}

test.runIf(existsSync('/dev/full'))(
  'the copy of a pipe does not use the space that is reserved for the journal',
  async () => {
    const { journal, reserve } = await journalOnFullDisk(await workspace());
    let end: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => {
      end = resolve;
    });
    const copied = journal.copy(() => underWay);
    const line = journal.append(encodeLine(STARTED));
    line.catch(() => undefined);
    await expect.poll(() => journal.diskFull?.message).toContain('ENOSPC');
    await sleep(50);
    // The write in progress would use the space.
    expect(existsSync(reserve)).toBe(true);
    end();
    await copied;
    await expect(line).rejects.toThrow();
    expect(existsSync(reserve)).toBe(false);

    await expect(journal.copy(() => expect.unreachable('the copy goes on'))).rejects.toThrow('ENOSPC');
  },
);

test.runIf(existsSync('/dev/full'))(
  'on a full disk neither rejects nor payloads use the space that is reserved for the journal',
  async () => {
    const folder = await workspace();
    const { journal } = await journalOnFullDisk(folder);
    await journal.append(encodeLine(STARTED)).catch(() => undefined);
    expect(journal.diskFull?.message).toContain('ENOSPC');
    const blockedBy = () => journal.diskFull;
    const rejects = createRejectsFiles(folder, ORIGIN, { blockedBy });
    const undelivered = createUndeliveredFile(path.join(folder, 'undelivered.ndjson'), { blockedBy });
    const position = { source: 0, row: 1, line: 2, nextLine: 3, start: 2, end: 4 };
    const payload = Buffer.from('{"events":[{}]}');
    const facts = { id: '1', digest: '0', records: 1, ranges: [], offsets: [11, 14] };
    const batch: Batch = { ...facts, payload, rows: [{ position, content: 'a' }] };
    await expect(rejects.add({ source: 0, line: 2, reason: '', content: 'a' })).rejects.toThrow('ENOSPC');
    await expect(undelivered.add(batch, 'refused')).rejects.toThrow('ENOSPC');
    for (const file of [rejects, undelivered]) await file.close();
    const names = await readdir(folder, { recursive: true });
    const sizes = names.map((name) => [name, statSync(path.join(folder, name)).size]);
    expect(Object.fromEntries(sizes)).toMatchObject({ 'undelivered.ndjson': 0 });
    expect(Object.fromEntries(sizes)).toMatchObject({ [path.join('rejects', 'in.csv')]: 0 });
  },
);

test('a reject that could not be written is not counted, and the file can be cut back and used again', async () => {
  let full: Error | undefined;
  const rejects = createRejectsFiles(await workspace(), ORIGIN, { blockedBy: () => full });
  onTestFinished(() => rejects.close());
  const reject = (line: number): Promise<void> => rejects.add({ source: 0, line, reason: 'no', content: 'a' });
  const length = (): number | undefined => rejects.lengths()[0];
  await reject(2);
  const one = length() ?? 0;
  await reject(3);
  const two = length();
  full = new Error('ENOSPC');
  await expect(reject(4)).rejects.toThrow('ENOSPC');
  await rejects.truncate({ 0: one });
  expect(length()).toBe(one);
  await expect(reject(4)).rejects.toThrow('ENOSPC');
  await rejects.truncate({ 0: one });
  full = undefined;
  await reject(4);
  expect(length()).toBe(two);
});

test('rejects files have the names of their inputs, and a resume keeps one that was edited beside it', async () => {
  const names = ['a/in.csv.gz', 'b/IN.csv', 'x.zip:s/in.csv', '.gz', 'in.json'];
  const formats = ['csv', 'csv', 'csv', 'csv', 'json'] as const;
  const inputs = formats.map((format, n) => ({ source: names[n] ?? '', format, columns: ['a'] }));
  const origin = { inputs, decode: {} };
  expect(rejectsFileNames(origin)).toEqual(['in.csv', 'IN-2.csv', 'in-3.csv', 'input.csv', 'in.ndjson']);
  const folder = await workspace();
  const first = createRejectsFiles(folder, origin);
  for (const source of [0, 1, 4]) await first.add({ source, line: 2, reason: 'no', content: ['1'] });
  const lengths = first.lengths();
  await first.add({ source: 0, line: 3, reason: 'no', content: ['2'] });
  await first.close();
  const files = async () => (await readdir(path.join(folder, 'rejects'))).toSorted();
  for (const kept of ['IN-2.csv.edited', 'IN-2.csv.edited-2', 'IN-2.csv.edited-3']) {
    await writeFile(path.join(folder, 'rejects', 'IN-2.csv'), 'edited');
    const where = path.join(folder, 'rejects', kept);
    expect(await editedRejects(folder, origin, first.lengths())).toMatchObject([{ code: 'resume.edited', where }]);
    expect(await readFile(where, 'utf8')).toBe('edited');
  }
  expect(await editedRejects(folder, origin, first.lengths(), { 0: lengths[0] ?? 0 })).toEqual([]);
  const second = createRejectsFiles(folder, origin);
  await second.restore({ 0: lengths[0] ?? 0, 2: 0 }, false);
  expect(second.lengths()).toEqual({ 0: lengths[0], 2: 0 });
  await second.close();
  expect((await files()).filter((name) => !name.includes('edited'))).toEqual(['in-3.csv', 'in.csv']);
});

test.each([true, false])(
  'a resume continues the journal in a copy if the lock is contested: %s',
  async (isContested) => {
    const runFiles = await runFilesInTemp(undefined, {
      isResumed: true,
      lock: { isContested, confirm: () => undefined },
    });
    await runFiles.append(STARTED);
    const inode = () => statSync(path.join(runFiles.folder.path, 'journal.ndjson')).ino;
    const before = inode();
    const bytes = Buffer.byteLength(encodeLine(STARTED));
    await runFiles.restore({ bytes, runState: newRunState(STARTED), keepsRejects: true });
    expect(inode() !== before).toBe(isContested);
  },
);

describe.runIf(process.platform === 'linux')('files that cannot all be opened', () => {
  test.each(['results.csv', 'journal.reserve'])('are all closed, if it is %s', async (name) => {
    let folder = '';
    const opening = runFilesInTemp(async (created) => {
      folder = created;
      await mkdir(path.join(created, name));
    });
    await expect(opening).rejects.toThrow('cannot be written');
    expect(openIn(folder)).toEqual([]);
  });
});
