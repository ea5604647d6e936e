/** docs/sandbox.md agrees with the program: the files it names exist, and it has every option and no other. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command as sandbox } from '../../src/commands/sandbox.ts';
import { flagOf } from '../../src/options/option-spec.ts';

const root = path.join(import.meta.dirname, '..', '..');
const text = readFileSync(path.join(root, 'docs', 'sandbox.md'), 'utf8');

test('names only tests, cases and sources that exist', () => {
  const names = [...text.matchAll(/`((?:test|fixtures|src)\/[^`]+)`/g)].map(([, name]) => String(name));
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !existsSync(path.join(root, name)))).toStrictEqual([]);
});

test('names every option of the command, and no other', () => {
  const options: readonly (string | undefined)[] = Object.keys(sandbox.options ?? {}).map((name) => flagOf(name));
  const named = new Set([...text.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, name]) => name));
  expect(options.filter((flag) => !text.includes(String(flag)))).toStrictEqual([]);
  expect([...named].filter((flag) => !options.includes(flag) && flag !== '--concurrency')).toStrictEqual([]);
});
