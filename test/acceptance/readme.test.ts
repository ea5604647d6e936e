/** The two commands that a newcomer types are in the README, and CI runs them. docs.test.ts runs the others. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.ts';

const read = (name: string): Promise<string> => readFile(path.join(root, name), 'utf8');

test.each(['npm ci && npx signals upload fixtures/signals.csv --sandbox', 'npm ci && npm test'])(
  'README.md and .ci/run both hold: %s',
  async (command) => {
    expect((await read('README.md')).split('\n')).toContain(command);
    expect(await read('.ci/run')).toContain(command);
  },
);

test('the lock file names no download addresses', async () => {
  expect(await read('package-lock.json')).not.toContain('"resolved"');
});
