import { appendFile, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/journal/lines.ts';
import { listRuns, readCatalogue, rebuildCatalogue } from '../../src/stored-runs/catalogue.ts';
import { folderOfRuns } from '../support/complete-runs.ts';

const TIME = '2026-11-20T09:15:02Z';

const journalOf = (root: string, id: string): string => path.join(root, id, 'journal.ndjson');
const catalogueOf = (root: string): string => path.join(root, '.catalogue.ndjson');

/** Makes a journal unreadable without a trace in its size and times. */
async function damage(root: string, id: string): Promise<void> {
  const file = journalOf(root, id);
  const { size, mtime } = await stat(file);
  await writeFile(file, 'x'.repeat(size));
  await utimes(file, mtime, mtime);
}

async function states(root: string): Promise<readonly string[]> {
  const runs = await readCatalogue(root);
  return runs.map((run) => `${run.folder.id} ${'problem' in run ? 'unreadable' : run.state}`);
}

test('the journal of a finished run is read only once', async () => {
  const root = await folderOfRuns('b', 'a');
  await utimes(journalOf(root, 'b'), 1_700_000_000, 1_700_000_000);
  expect(await states(root)).toEqual(['b complete', 'a complete']);
  await damage(root, 'b');
  expect(await states(root)).toEqual(['b complete', 'a complete']);
  await rm(catalogueOf(root));
  expect(await states(root)).toEqual(['b unreadable', 'a complete']);
});

test('a journal that has grown is read again', async () => {
  const root = await folderOfRuns('a');
  expect(await states(root)).toEqual(['a complete']);
  await appendFile(
    journalOf(root, 'a'),
    encodeLine({ event: 'run.resumed', baseUrl: 'https://api.example.com', time: TIME }),
  );
  expect(await states(root)).toEqual(['a running']);
});

test('for an incomplete or changed line of the catalogue, one journal is read', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  const text = await readFile(catalogueOf(root), 'utf8');
  await writeFile(catalogueOf(root), text.replace('complete', 'stopped ').slice(0, -10));
  expect(await states(root)).toEqual(['a complete', 'b complete']);
});

test('a line that is longer than a block of the file is read whole', async () => {
  const root = await folderOfRuns('a');
  await states(root);
  const line = Object(decodeLine((await readFile(catalogueOf(root), 'utf8')).trim()));
  // One of these has a character of two bytes at the end of a block.
  for (const source of ['é'.repeat(40_000), `x${'é'.repeat(40_000)}`]) {
    await writeFile(catalogueOf(root), encodeLine({ ...line, file: { ...line.file, inputs: [{ source }] } }));
    const [run] = await listRuns(root);
    expect(run?.file?.inputs[0]?.source === source).toBe(true);
  }
});

test('deleted runs are removed from the catalogue', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  await rm(path.join(root, 'a'), { recursive: true });
  await rebuildCatalogue(root);
  expect((await readFile(catalogueOf(root), 'utf8')).match(/"id":"."/g)).toEqual(['"id":"b"']);
  expect(await states(root)).toEqual(['b complete']);
});
