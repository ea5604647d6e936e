/** `fixtures/journals/` has run folders of earlier versions: this version must be able to read and resume them. */
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { at, recordsAt, root, run, service, summaryOf, workspace } from '../support/program.ts';

test('a run that was killed under version 0.1.0 can be shown and resumed', async () => {
  const cwd = await workspace();
  await cp(path.join(root, 'fixtures', 'journals', 'killed'), cwd, { recursive: true });
  const shown = await run(cwd, ['runs', 'show', './run', '--json']);
  expect(summaryOf(shown)).toMatchObject({
    state: 'interrupted',
    balanced: true,
    rows: { read: 19, invalid: 1, delivered: 11, unknown: 3, pending: 4 },
    batches: { sealed: 11, delivered: 6, unknown: 2, pending: 2, split: 1 },
  });

  const there = await service();
  const resumed = await run(
    cwd,
    ['resume', './run', '--yes', '--json', '--base-url', there.url, '--input', 'input.csv=input.csv'],
    { env: at(there) },
  );
  expect(resumed.code).toBe(3);
  expect(summaryOf(resumed)).toMatchObject({
    state: 'complete',
    balanced: true,
    rows: { read: 40, invalid: 2, delivered: 38, unknown: 0, pending: 0 },
  });
  // The other eleven arrived before the kill.
  expect(await recordsAt(there)).toHaveLength(27);
});
