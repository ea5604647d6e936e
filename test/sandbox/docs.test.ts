/** docs/sandbox.md says what there is: the files that it names are there, and so are every sentence's test and every switch, both ways. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../src/commands/sandbox.ts';

const root = path.join(import.meta.dirname, '..', '..');
const text = readFileSync(path.join(root, 'docs', 'sandbox.md'), 'utf8');

test('names tests, cases and sources that are there', () => {
  const names = [...text.matchAll(/`((?:test|fixtures|src)\/[^`]+)`/g)].map(([, name]) => String(name));
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !existsSync(path.join(root, name)))).toStrictEqual([]);
});

test('has a row for each test that is named after a sentence of the interface, and no other, in the same order', () => {
  const source = readFileSync(path.join(import.meta.dirname, 'interface.test.ts'), 'utf8');
  const named = [...source.matchAll(/\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"\\]*)"),/g)];
  const tests = named.map(([, single, double]) => (single ?? double ?? '').replaceAll("\\'", "'"));
  const part = text.slice(text.indexOf('## Sentence, test, switch'), text.indexOf('### What can be tested'));
  const rows = [...part.matchAll(/^\| (.+?) \|.*\|.*\|$/gm)].map(([, cell]) =>
    String(cell).replaceAll('\\', ''),
  );
  expect(tests.length).toBeGreaterThan(60);
  // A test that this pattern does not see would be left out of the table without a word.
  expect(tests).toHaveLength(source.match(/\btest\(/g)?.length ?? 0);
  expect(rows.filter((cell) => cell !== 'sentence, and test')).toStrictEqual(tests);
  expect(source).not.toMatch(/\btest\.(?:skip|todo|fails|only|skipIf|runIf)\b/);
});

test('names every option of the command but port, and no other', () => {
  const options = Object.values(sandbox.options ?? {}).map(({ flags }) => flags.split(' ')[0]);
  const said = new Set([...text.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, name]) => name));
  expect(options.filter((flag) => flag !== '--port' && !text.includes(String(flag)))).toStrictEqual([]);
  expect([...said].filter((flag) => !options.includes(flag) && flag !== '--concurrency')).toStrictEqual([]);
});
