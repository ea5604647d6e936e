/**
 * The README, word for word: the two commands that a newcomer types, which CI runs, and the sessions that README and
 * docs show, which are played again here.
 */
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run, workspace } from '../support/program.ts';

const root = path.join(import.meta.dirname, '..', '..');
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

test.each([
  ['README.md', 'upload fixtures/signals-with-faults.csv --sandbox', 3],
  ['docs/mapping.md', 'check fixtures/funding-export.csv -m fixtures/funding-export.mapping.yaml', 0],
])('%s shows what is printed by: signals %s', async (page, command, code) => {
  const shown = session(await read(page), `$ npx signals ${command}`);
  const cwd = await workspace();
  await symlink(path.join(root, 'fixtures'), path.join(cwd, 'fixtures'));
  const ended = await run(cwd, command.split(' '), { env: { npm_command: 'exec' } });
  expect(ended.code, ended.stderr).toBe(code);
  for (const piece of shown) expect(settled(ended.stdout)).toContain(settled(piece));
});

test('the mapping that the README has made, and the commands behind it, do what it says', async () => {
  const lines = (await read('README.md')).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('npx signals map '));
  const commands = lines.slice(begin, begin + 3).map((line) => line.split(' ').slice(2));
  expect(commands.map(([name]) => name)).toEqual(['map', 'check', 'upload']);
  const cwd = await workspace();
  await symlink(path.join(root, 'fixtures'), path.join(cwd, 'fixtures'));
  for (const words of commands) {
    const ended = await run(cwd, words);
    expect(ended.code, ended.stderr).toBe(0);
  }
  expect(await readFile(path.join(cwd, 'funding.yaml'), 'utf8')).toContain('format: M/d/yyyy');
});

/** What a page shows behind a command, in the pieces between the lines that were left out. */
function session(page: string, command: string): readonly string[] {
  const [, block] = page.split(`\`\`\`\n${command}\n`);
  if (block === undefined) throw new Error(`no session begins with: ${command}`);
  const pieces = block.slice(0, block.indexOf('\n```')).split(/^…$/m);
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** Without what differs from run to run: ids, times, and the widths that follow from them. */
function settled(text: string): string {
  return text.replace(/\d{8}T\d{6}Z-([a-z-]+)-[0-9a-f]{4}/g, 'TIME-$1').replace(/in \d+\.\d s\b/g, 'in a moment');
}
