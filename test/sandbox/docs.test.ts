/** docs/sandbox.md says what there is: the files that it names are there, and so is every switch, both ways. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../src/commands/sandbox.ts';

const root = path.join(import.meta.dirname, '..', '..');
const text = readFileSync(path.join(root, 'docs', 'sandbox.md'), 'utf8');

test('names tests, cases and sources that are there', () => {
  const names = [...text.matchAll(/`((?:test|fixtures|src)\/[^`]+)`/g)].map(([, name]) => String(name));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !existsSync(path.join(root, name)))).toStrictEqual([]);
});

test('names every option of the command but port, and no other', () => {
  const options = (sandbox.options ?? []).map(({ flags }) => flags.split(' ')[0]);
  const said = new Set([...text.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, name]) => name));
  expect(options.filter((flag) => flag !== '--port' && !text.includes(String(flag)))).toStrictEqual([]);
  expect([...said].filter((flag) => !options.includes(flag) && flag !== '--concurrency')).toStrictEqual([]);
});
