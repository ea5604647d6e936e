/** docs/sandbox.md has every option of the command and no other. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command as sandbox } from '../../src/commands/sandbox.ts';
import { flagOf } from '../../src/options/option-spec.ts';

const root = path.join(import.meta.dirname, '..', '..');
const text = readFileSync(path.join(root, 'docs', 'sandbox.md'), 'utf8');

test('names every option of the command, and no other', () => {
  const options: readonly (string | undefined)[] = Object.keys(sandbox.options ?? {}).map((name) => flagOf(name));
  const named = new Set([...text.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, name]) => name));
  expect(options.filter((flag) => !text.includes(String(flag)))).toStrictEqual([]);
  expect([...named].filter((flag) => !options.includes(flag) && flag !== '--concurrency')).toStrictEqual([]);
});
