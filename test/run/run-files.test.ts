/** The files of a run on a disk that is full: /dev/full takes the place of the journal. */
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRunFolder } from '../../src/journal/run-folder.ts';
import type { Batch } from '../../src/model/batch.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { openRunFiles, type RunFiles } from '../../src/run/run-files.ts';

const STARTED: RunEvent = {
  event: 'run.started',
  v: 1,
  time: '2026-11-20T09:15:00.000Z',
  run: 'run',
  type: 'social',
  inputs: [{ name: 'stdin' }],
};

/** A runFiles whose journal finds no room. */
async function runFilesOnFullDisk(): Promise<RunFiles> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, 'keep-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = createRunFolder(root, 'run');
  await symlink('/dev/full', path.join(folder.path, 'journal.ndjson'));
  const runFiles = await openRunFiles(
    folder,
    [{ name: 'stdin', form: { format: 'csv', columns: ['a'], delimiter: ',' } }],
    { fsync: false },
  );
  onTestFinished(() => runFiles.close());
  return runFiles;
}

test.runIf(existsSync('/dev/full'))(
  "a pipe's copy takes nothing of the room that is kept for the journal",
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
    // The write that is under way would find the room.
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
  'on a full disk neither rejects nor payloads take the room that is kept for the journal',
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
    await expect(runFiles.rejects.add({ source: 0, line: 2, reason: '', content: 'a' })).rejects.toThrow(
      'ENOSPC',
    );
    await expect(runFiles.refused.add(batch, 'no')).rejects.toThrow('ENOSPC');
    await expect(runFiles.undelivered.add(batch, 'unknown')).rejects.toThrow('ENOSPC');
    await runFiles.close();
    const names = await readdir(runFiles.folder.path, { recursive: true });
    const sizes = names.map((name) => [name, statSync(path.join(runFiles.folder.path, name)).size]);
    expect(Object.fromEntries(sizes)).toMatchObject({ 'undelivered.ndjson': 0, 'refused.ndjson': 0 });
    expect(Object.fromEntries(sizes)).toMatchObject({ [path.join('rejects', 'stdin.csv')]: 0 });
  },
);
