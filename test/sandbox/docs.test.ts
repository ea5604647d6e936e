/** docs/sandbox.md agrees with the program: the files it names exist, and so do every sentence's test and every option, both ways. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command as sandbox } from '../../src/commands/sandbox.ts';
import { flagOf } from '../../src/options/option-spec.ts';

const root = path.join(import.meta.dirname, '..', '..');
const text = readFileSync(path.join(root, 'docs', 'sandbox.md'), 'utf8');

test('names only tests, cases and sources that exist', () => {
  const names = [...text.matchAll(/`((?:test|fixtures|src)\/[^`]+)`/g)].map(([, name]) => String(name));
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !existsSync(path.join(root, name)))).toStrictEqual([]);
});

test('has one row per test of a sentence of the interface, in the same order', () => {
  const source = readFileSync(path.join(import.meta.dirname, 'interface.test.ts'), 'utf8');
  const named = [...source.matchAll(/\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"\\]*)"),/g)];
  const tests = named.map(([, single, double]) => (single ?? double ?? '').replaceAll("\\'", "'"));
  const part = text.slice(text.indexOf('## Sentences, tests and options'), text.indexOf('### Not testable'));
  const rows = [...part.matchAll(/^\| (.+?) \|.*\|.*\|$/gm)].map(([, cell]) => String(cell).replaceAll('\\', ''));
  expect(tests.length).toBeGreaterThan(60);
  // A test that the pattern misses would be missing from the table unnoticed.
  expect(tests).toHaveLength(source.match(/\btest\(/g)?.length ?? 0);
  expect(rows.filter((cell) => cell !== 'sentence and test')).toStrictEqual(tests);
  expect(source).not.toMatch(/\btest\.(?:skip|todo|fails|only|skipIf|runIf)\b/);
});

test('names every option of the command except --port, and no other', () => {
  const options: readonly (string | undefined)[] = Object.keys(sandbox.options ?? {}).map((name) => flagOf(name));
  const named = new Set([...text.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, name]) => name));
  expect(options.filter((flag) => flag !== '--port' && !text.includes(String(flag)))).toStrictEqual([]);
  expect([...named].filter((flag) => !options.includes(flag) && flag !== '--concurrency')).toStrictEqual([]);
});
