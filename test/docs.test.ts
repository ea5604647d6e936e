/** The pages describe every command, option, setting and exit code of the program, and no others. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { flagsIn as optionFlags } from '../src/cli/completion.ts';
import type { Work } from '../src/commands/command.ts';
import { commands } from '../src/commands/index.ts';
import { exitCodes, firstExitCode } from '../src/model/exit-code.ts';
import { formatTraits } from '../src/model/input-format.ts';
import { stop } from '../src/model/outcome.ts';
import { settingsOf } from '../src/options/option-spec.ts';
import { optionTable, sharedOptions } from '../src/options/option-table.ts';
import { filesIn } from './support/files.ts';
import { referenceOptions, referenceSettings, referenceVariables } from './support/reference-tables.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string): Promise<string> => readFile(path.join(root, name), 'utf8');

const reference = await read('docs/reference.md');
const pages = ['README.md', ...(await markdownIn('docs'))];
const userPages = [
  'README.md',
  'docs/reference.md',
  'docs/machine-output.md',
  'docs/library.md',
  'docs/mapping.md',
  'docs/recover.md',
  'docs/sandbox.md',
];

/** Every command and subcommand with the words that call it. */
const works = (
  await Promise.all(
    commands.map(async ({ name, load }) => {
      const work = await load();
      const below = (work.commands ?? []).map(async (each) => [`${name} ${each.name}`, await each.load()] as const);
      return [[name, work] as const, ...(await Promise.all(below))];
    }),
  )
).flat();

/** The options of all commands and of the program. */
const known = new Set([...works.flatMap(([, work]) => flagsOf(work)), '--help', '--version', '--no-color']);

test('every command has its line in the reference', () => {
  const table = section(reference, 'Commands');
  for (const [words] of works) {
    const [name = '', sub] = words.split(' ');
    const line = table.find((each) => each.startsWith(`| \`signals ${words}`));
    // The commands of config share a line.
    expect(line ?? table.find((each) => each.startsWith(`| \`signals ${name} `)), words).toContain(sub ?? name);
  }
});

/** `SIGNALS_UPDATE_DOCS=1` writes the tables again. */
test.each([
  ['Options of upload', 'option', referenceOptions(sharedOptions('upload'))],
  ['Settings', 'setting', referenceSettings(optionTable)],
  ['Settings', 'variable', referenceVariables()],
])('%s: the table of each %s in the reference is that of the option table', async (title, head, lines) => {
  const page = await read('docs/reference.md');
  const part = section(page, title);
  const start = part.findIndex((line) => line.startsWith(`| ${head} |`));
  const length = part.slice(start).findIndex((line) => !line.startsWith('|'));
  const found = part.slice(start, start + length);
  if (process.env['SIGNALS_UPDATE_DOCS'] !== undefined) {
    await writeFile(
      path.join(root, 'docs/reference.md'),
      page.replace(found.join('\n'), () => lines.join('\n')),
    );
  } else expect(found).toEqual(lines);
});

test('every input format is in the README and in the page about reading files', async () => {
  const part = section(await read('docs/mapping.md'), 'How a file is read').join('\n');
  for (const { title, extensions } of Object.values(formatTraits)) {
    expect(await read('README.md')).toContain(title);
    expect(part).toMatch(new RegExp(`\\b${title}\\b|\`\\${extensions[0]}\``));
  }
});

test('every option of every command is in a page for users', async () => {
  const told = new Set((await Promise.all(userPages.map(read))).flatMap((text) => flagsIn(text)));
  expect([...known].filter((flag) => !told.has(flag) && flag !== '--help' && flag !== '--version')).toEqual([]);
});

test.each(userPages)('%s names no option that does not exist', async (page) => {
  const text = await read(page);
  const others = text.split('\n').filter((line) => !/\bnpm run\b|\bcurl\b/.test(line));
  expect(flagsIn(others.join('\n')).filter((flag) => !known.has(flag))).toEqual([]);
});

test('every environment variable that the program reads is named like a setting, or in the reference', async () => {
  const files = (await readdir(path.join(root, 'src'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(files.map((name) => read(path.join('src', name))));
  const names = texts.flatMap((text) => [
    ...(text.match(/\bSIGNALS_[A-Z_]+\b/g) ?? []),
    ...[...text.matchAll(/\benv\['([A-Z_]+)'\]/g)].map(([, name = '']) => name),
  ]);
  // Folders of the system; users do not set these for this program.
  const systems = ['HOME', 'LOCALAPPDATA'];
  // What a command of --on-end gets is told where that is explained.
  const pages = reference + (await read('docs/machine-output.md'));
  const told = names.filter((name) => pages.includes(`\`${name}`));
  const settings = settingsOf(optionTable).map(({ key }) => `SIGNALS_${key.toUpperCase()}`);
  expect(new Set(names).size).toBeGreaterThan(15);
  expect(names.filter((name) => ![...systems, ...told, ...settings].includes(name))).toEqual([]);
});

test('the reference has every exit code, and their precedence', async () => {
  const lines = section(reference, 'Exit codes');
  const order = /in this order: ([\d, or]+)\./.exec(lines.join(' '))?.[1]?.match(/\d+/g)?.map(Number) ?? [];
  for (const [index, code] of order.entries()) expect(firstExitCode(order.slice(index))).toBe(code);
  const told = lines.flatMap((line) => /^\| ([\d, ]+) \|/.exec(line)?.[1]?.match(/\d+/g) ?? []).map(Number);
  const all = Array.from({ length: 256 }, (_, code) => code).filter((code) => firstExitCode([code]) === code);
  expect(told).toEqual(all);
  expect(exitCodes.flatMap(([code]) => code.split(', ').map(Number))).toEqual(all);
  expect(order.toSorted((a, b) => a - b)).toEqual(all);
});

test.each([...pages, 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])(
  'every link of %s has a target',
  async (page) => {
    const text = withoutCode(await read(page));
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    for (const link of links.filter((target) => !/^https?:/.test(target))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), file);
      expect(await exists(target), `${page}: ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(await read(target)), `${page}: ${link}`).toContain(anchor);
    }
  },
);

test('the pictures are small, and need nothing from a network', async () => {
  const names = (await readdir(path.join(root, 'docs'))).filter((name) => /\.(?:svg|png)$/.test(name));
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    expect((await stat(path.join(root, 'docs', name))).size, name).toBeLessThan(150_000);
    if (name.endsWith('.svg')) {
      const text = await read(path.join('docs', name));
      expect(text, name).toContain('prefers-color-scheme:dark');
      expect(text.replace('http://www.w3.org/2000/svg', ''), name).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)|<script/);
    }
  }
});

test('the figures of speed in README.md are those of the performance page', async () => {
  const [, told = ''] = /\*\*It is fast\*\*: (.+)/.exec(await read('README.md')) ?? [];
  const figures = told.match(/\d[\d.,]*/g) ?? [];
  expect(figures.length).toBeGreaterThan(3);
  const words = (await read('docs/internals/performance.md')).split(/\s+/);
  expect(figures.filter((figure) => !words.includes(figure))).toEqual([]);
});

test('docs/README.md links to every page', async () => {
  const contents = await read('docs/README.md');
  const others = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(others.filter((page) => !contents.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
});

test('every file that the architecture page names exists, and it names every folder of src', async () => {
  const text = await read('docs/internals/architecture.md');
  const files = (await readdir(path.join(root, 'src'), { recursive: true })).map((name) => name.replaceAll('\\', '/'));
  const named = [...text.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))).toEqual([]);
  const top = (await readdir(path.join(root, 'src'), { withFileTypes: true })).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  expect(top.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});

test('every path and name that the recipes of CONTRIBUTING.md give exists', async () => {
  const text = withoutBlocks(await read('CONTRIBUTING.md'));
  const quoted = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  // NAME and CASE are placeholders; dist/ and test/.tmp/ are generated.
  const paths = quoted.filter(
    (code) => /^(?:src|test|bench|fixtures|scripts|bin)\/[\w./-]*$/.test(code) && !/NAME|CASE|\.tmp/.test(code),
  );
  expect(paths.length).toBeGreaterThan(30);
  const missing = await Promise.all(paths.map(async (name) => ((await exists(name)) ? [] : [name])));
  expect(missing.flat()).toEqual([]);
  // Also without the folder above them: `input/packed.ts`, `ndjson.ts`, `spec/delivery.md`.
  const all = ['src', 'test', 'docs', 'fixtures'].flatMap(filesIn);
  const short = quoted.filter(
    (code) => /^[\w/-]+\.ts$|^[\w-]+\/[\w./-]+\.\w+$/.test(code) && !paths.includes(code) && !/NAME|CASE/.test(code),
  );
  expect(short.length).toBeGreaterThan(20);
  expect(short.filter((name) => !all.some((file) => file.endsWith(`/${name}`)))).toEqual([]);

  const identifiers = new Set(quoted.filter((code) => /^[a-z]+[A-Z]\w*$|^[A-Z]+[a-z]\w*$|^[A-Z]+_[A-Z_]+$/.test(code)));
  const files = await readdir(path.join(root, 'src'), { recursive: true });
  const names = files.filter((name) => name.endsWith('.ts')).map((name) => path.join('src', name));
  const source = (await Promise.all([...names, 'bench/sink.mjs'].map(read))).join('\n');
  expect(identifiers.size).toBeGreaterThan(10);
  expect([...identifiers].filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
});

test('every code of an error and of a stop has one entry in docs/recover.md, and no other code has', async () => {
  const page = await read('docs/recover.md');
  const tables = [...page.matchAll(/^\| code \|.*\n(?:\|.*\n)+/gm)].join('');
  const entries = [...tables.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  );
  const codes = [...(await problemCodes()), ...stop.shape.code.options];
  expect(codes.length).toBeGreaterThan(100);
  expect(entries.toSorted()).toEqual(codes.toSorted());
});

/** The codes of problems: every text such as 'input.empty' in the source that is neither an event nor a file. */
async function problemCodes(): Promise<readonly string[]> {
  const files = (await readdir(path.join(root, 'src'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  const text = (await Promise.all(files.map((name) => read(path.join('src', name))))).join('\n');
  const found = (pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  // The codes of these areas are arguments.
  const areas = new Set([...found(/\bcode: '([a-z]+)\.[a-z_]+'/g), 'archive', 'transform']);
  const events = new Set(found(/\bevent: (?:z\.literal\()?'([a-z.]+)'/g));
  const codes = found(/'([a-z]+\.[a-z_]+)'/g).filter(
    (name) =>
      areas.has(name.split('.')[0] ?? '') && !events.has(name) && !/\.(?:json|ndjson|html|yaml|reserve)$/.test(name),
  );
  // The codes of files for TLS are made from the options' names, the others have no area.
  const made = ['option.ca_file', 'option.client_cert', 'option.client_key', 'usage', 'bug'];
  return [...new Set([...codes, ...made])];
}

async function markdownIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.md')).map((name) => path.posix.join(folder, name));
}

/** The lines between a second-level heading and the next one. */
function section(page: string, title: string): readonly string[] {
  const [, rest] = page.split(`\n## ${title}\n`);
  if (rest === undefined) throw new Error(`no section is called ${title}`);
  return (rest.split(/\n## /)[0] ?? '').split('\n');
}

/** The long names of a command's options, as typed. */
function flagsOf(work: Work): readonly string[] {
  return optionFlags(work.options ?? {}).map(({ words }) => words.at(-1) ?? '');
}

function flagsIn(text: string): readonly string[] {
  return text.match(/(?<![\w-])--[a-z][a-z-]*[a-z]/g) ?? [];
}

function withoutBlocks(page: string): string {
  return page.replace(/^```[\s\S]*?^```$/gm, '');
}

function withoutCode(page: string): string {
  return withoutBlocks(page).replace(/`[^`\n]+`/g, '');
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function exists(name: string): Promise<boolean> {
  return stat(path.join(root, name)).then(
    () => true,
    () => false,
  );
}
