/** The files of a run on a full disk: the journal is a link to /dev/full. */
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/model/batch.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { RunFiles } from '../../src/run/run-files.ts';
import { runFilesInTemp } from '../support/open-run-files.ts';

const STARTED: RunEvent = {
  event: 'run.started',
  v: 1,
  time: '2026-11-20T09:15:00.000Z',
  run: 'run',
  type: 'social',
  inputs: [{ name: 'stdin' }],
};

/** Run files whose journal finds no space. */
const runFilesOnFullDisk = (): Promise<RunFiles> =>
  runFilesInTemp((folder) => symlink('/dev/full', path.join(folder, 'journal.ndjson')));

test.runIf(existsSync('/dev/full'))(
  'the copy of a pipe does not use the space that is reserved for the journal',
  async () => {
    const runFiles = await runFilesOnFullDisk();
    const reserve = path.join(runFiles.folder.path, 'journal.reserve');
    let end: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => {
      end = resolve;
    });
    const copied = runFiles.journal.copy(() => underWay);
    const line = runFiles.journal.append(STARTED);
    line.catch(() => undefined);
    await expect.poll(() => runFiles.journal.diskFull?.message).toContain('ENOSPC');
    await sleep(50);
    // The write in progress would use the space.
    expect(existsSync(reserve)).toBe(true);
    end();
    await copied;
    await expect(line).rejects.toThrow();
    expect(existsSync(reserve)).toBe(false);

    let wrote = false;
    const more = runFiles.journal.copy(async () => {
      wrote = true;
    });
    await expect(more).rejects.toThrow('ENOSPC');
    expect(wrote).toBe(false);
  },
);

test.runIf(existsSync('/dev/full'))(
  'on a full disk neither rejects nor payloads use the space that is reserved for the journal',
  async () => {
    const runFiles = await runFilesOnFullDisk();
    await runFiles.journal.append(STARTED).catch(() => undefined);
    expect(runFiles.journal.diskFull?.message).toContain('ENOSPC');
    const position = { source: 0, row: 1, line: 2, nextLine: 3, start: 2, end: 4 };
    const payload = Buffer.from('{"events":[{}]}');
    const batch: Batch = {
      id: '1',
      payload,
      digest: '0',
      records: 1,
      ranges: [],
      offsets: [11, 14],
      rows: [{ position, content: 'a' }],
    };
    await expect(runFiles.rejects.add({ source: 0, line: 2, reason: '', content: 'a' })).rejects.toThrow('ENOSPC');
    await expect(runFiles.refused.add(batch, 'no')).rejects.toThrow('ENOSPC');
    await expect(runFiles.undelivered.append('{}\n')).rejects.toThrow('ENOSPC');
    await runFiles.close();
    const names = await readdir(runFiles.folder.path, { recursive: true });
    const sizes = names.map((name) => [name, statSync(path.join(runFiles.folder.path, name)).size]);
    expect(Object.fromEntries(sizes)).toMatchObject({ 'undelivered.ndjson': 0, 'refused.ndjson': 0 });
    expect(Object.fromEntries(sizes)).toMatchObject({ [path.join('rejects', 'in.csv')]: 0 });
  },
);

describe.runIf(process.platform === 'linux')('files that cannot all be opened', () => {
  /** Files in a folder that this process has open. */
  const openIn = (folder: string): readonly string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      const file = linkOf(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [path.basename(file)] : [];
    });
  const linkOf = (file: string): string => {
    try {
      return readlinkSync(file);
    } catch {
      return '';
    }
  };

  test.each(['results.csv', 'journal.reserve'])('are all closed, if it is %s', async (name) => {
    let folder = '';
    const opening = runFilesInTemp(async (created) => {
      folder = created;
      await mkdir(path.join(created, name));
    });
    await expect(opening).rejects.toThrow('cannot be written');
    expect(openIn(folder)).toEqual([]);
  });

  test('are all closed, if the undelivered batches cannot be read', async () => {
    const files = await runFilesInTemp();
    const { path: folder } = files.folder;
    await mkdir(path.join(folder, 'undelivered.ndjson'));
    const before = openIn(folder);
    const restored = files.restore({ bytes: 0, rejects: { bytes: {}, rows: {} }, reopened: new Set() });
    await expect(restored).rejects.toThrow('cannot be written');
    expect(openIn(folder)).toEqual(before);
    await files.close();
    expect(openIn(folder)).toEqual([]);
  });
});
