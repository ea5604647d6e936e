/** Comments cite pages by file and heading (`interface.md, "Endpoints"`): both exist. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesIn } from './support/files.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

const SPECIFICATIONS = ['interface.md', 'delivery.md'];

const sources = ['src', 'test', 'bench', 'scripts', 'bin']
  .flatMap(filesIn)
  .filter((name) => /\.(?:ts|mjs|js)$/.test(name));
const texts = sources.filter((name) => !import.meta.filename.endsWith(name)).map(textOf);

const citations = texts.flatMap(({ name, text }) =>
  [
    ...text.matchAll(/(?<![\w/.-])(docs\/[\w/-]+\.md|CONTRIBUTING\.md|(?:interface|delivery)\.md)((?:, "[^"]+")*)/g),
  ].map(([, page = '', headings = '']) => ({
    name,
    page: SPECIFICATIONS.includes(page) ? `docs/internals/spec/${page}` : page,
    headings: [...headings.matchAll(/"([^"]+)"/g)].map(([, heading = '']) => heading),
  })),
);

test('every citation names a page that exists', () => {
  expect(citations.length).toBeGreaterThan(50);
  expect(citations.filter(({ page }) => !existsSync(path.join(root, page)))).toEqual([]);
});

test('every citation names headings of its page', () => {
  const wrong = citations.flatMap(({ name, page, headings }) =>
    headings
      .filter((heading) => !headingsOf(page).includes(heading))
      .map((heading) => `${name}: ${page}, "${heading}"`),
  );
  expect(wrong).toEqual([]);
});

test('every decision that is cited by number exists', () => {
  const decisions = headingsOf('docs/internals/decisions.md').map((heading) => heading.slice(0, 4));
  const cited = texts.flatMap(({ text }) =>
    [...text.matchAll(/\bdecisions?[ /](\d{4})\b/g)].map(([, number]) => number),
  );
  expect(cited).not.toEqual([]);
  expect(cited.filter((number) => !decisions.includes(number ?? ''))).toEqual([]);
});

/** A file's text with comments joined to one line, because a citation may be wrapped. */
function textOf(name: string): { readonly name: string; readonly text: string } {
  return { name, text: read(name).replace(/\n\s*(?:\*|\/\/)? */g, ' ') };
}

function headingsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

test('every source file that a comment in src/ names exists', () => {
  const known = new Set(sources.flatMap((name) => [name, ...suffixesOf(name)]));
  const named = texts
    .filter(({ name }) => name.startsWith('src/'))
    .flatMap(({ name, text }) =>
      text
        .split('\n')
        .filter((line) => /^\s*(?:\/?\*|\/\/)/.test(line))
        .flatMap((line) => [...line.matchAll(/(?<![\w/.*-])[\w/-]+\.ts\b/g)].map(([file]) => ({ name, file }))),
    );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ file }) => !known.has(file))).toEqual([]);
});

/** `src/map/domain.ts` -> `map/domain.ts`, `domain.ts`. */
function suffixesOf(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join('/'));
}
