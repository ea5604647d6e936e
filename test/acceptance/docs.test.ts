/**
 * The commands of README and docs, typed as the pages show them. `console` blocks show their output, which must be what
 * the program prints; `npm run docs:update` writes it again. Commands of `sh` blocks must work, except in blocks marked
 * `not-run: REASON`: of these, and of commands in the text, the program must accept the options.
 */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { addWork } from '../../src/cli/command-line.ts';
import { commands } from '../../src/commands/index.ts';
import {
  type Block,
  blocksOf,
  callsIn,
  endOf,
  expectedExit,
  fileOf,
  languageOf,
  leaveOut,
  linesOfSteps,
  matches,
  needsService,
  reasonNotToRun,
  type Step,
  stepsOf,
} from '../support/doc-blocks.ts';
import { type DocSession, docSession } from '../support/doc-session.ts';
import { at, root, service } from '../support/program.ts';

const UPDATE = process.env['SIGNALS_UPDATE_DOCS'] !== undefined;

const docs = (await readdir(path.join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)];
const read = (page: string): Promise<string> => readFile(path.join(root, page), 'utf8');

const texts = new Map(await Promise.all(pages.map(async (page) => [page, await read(page)] as const)));
const blocks = (page: string): readonly Block[] => blocksOf(texts.get(page) ?? '');
const isRun = (block: Block): boolean =>
  ['console', 'sh'].includes(languageOf(block)) && reasonNotToRun(block) === undefined;

test.each(pages.filter((page) => blocks(page).some(isRun)))('the commands of %s print what it shows', async (page) => {
  const session = await docSession();
  const lines = (texts.get(page) ?? '').split('\n');
  // From the last block to the first, so that the line numbers of the others stay right.
  const filled: { readonly block: Block; readonly lines: readonly string[] }[] = [];
  for (const block of blocks(page).filter(isRun)) {
    if (languageOf(block) === 'console') filled.push({ block, lines: linesOfSteps(await replay(session, block)) });
    else await runScript(session, block);
  }
  if (!UPDATE) return;
  for (const each of filled.toReversed()) lines.splice(each.block.start, each.block.lines.length, ...each.lines);
  await writeFile(path.join(root, page), lines.join('\n'));
});

test('every block with commands is run, or says why it is not', () => {
  const silent = pages.flatMap((page) =>
    blocks(page)
      .filter((block) => !['console', 'sh'].includes(languageOf(block)))
      .flatMap(({ lines }) => lines)
      .filter((line) => /^(?:\$ |(?:npx )?signals [a-z])/.test(line))
      .map((line) => `${page}: ${line}`),
  );
  expect(silent).toEqual([]);
});

test('the program accepts the options of every command in the text, and of the blocks that are not run', async () => {
  const calls = new Set(
    pages.flatMap((page) => [
      ...blocks(page)
        .filter((block) => reasonNotToRun(block) !== undefined)
        .flatMap(({ lines }) => callsIn(lines.join('\n'))),
      ...inlineCalls(texts.get(page) ?? ''),
    ]),
  );
  expect(calls.size).toBeGreaterThan(30);
  const wrong: string[] = [];
  for (const call of calls) {
    const error = await usageErrorOf(call);
    if (error !== undefined) wrong.push(`signals ${call}: ${error}`);
  }
  expect(wrong).toEqual([]);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('cron can run the crontab of docs/automate.md', async () => {
  const session = await docSession();
  const page = blocks('docs/automate.md');
  for (const block of page.filter((each) => languageOf(each) === 'sh' && fileOf(each) !== undefined)) {
    await runScript(session, block);
  }
  const crontab = page.find((block) => languageOf(block) === 'crontab');
  if (crontab === undefined) throw new Error('there is no crontab');
  const entries = crontab.lines.filter((line) => !/^[A-Z_]+=/.test(line));
  expect(entries).toHaveLength(3);
  for (const entry of entries) {
    const command = /^(?:[\d*,/-]+ ){5}(.+)$/.exec(entry)?.[1] ?? '';
    expect(command, entry).toMatch(/^[^%]+$/);
    await runLine(session, crontab, command);
  }
});

test.skipIf(!hasSystemd)('systemd accepts the units (needs systemd-analyze)', async () => {
  const session = await docSession();
  const units = blocks('docs/automate.md').filter((block) => languageOf(block) === 'ini');
  expect(units).toHaveLength(3);
  // The paths of the page do not exist here, and systemd wants to see the program that it would start.
  const paths = (line: string): string => line.replaceAll('/opt/signals', session.folder);
  await save(session, 'daily.sh', '#!/bin/sh');
  for (const unit of units) await save(session, fileOf(unit) ?? '', unit.lines.map(paths).join('\n'));
  const names = units.map((unit) => fileOf(unit) ?? '');
  const checked = spawnSync('systemd-analyze', ['verify', ...names.map((name) => `./${name}`)], {
    cwd: session.folder,
    encoding: 'utf8',
  });
  const warnings = checked.stderr.split('\n').filter((line) => names.some((name) => line.includes(name)));
  expect({ status: checked.status, warnings }).toEqual({ status: 0, warnings: [] });
});

async function replay(session: DocSession, block: Block): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { command, shown } of stepsOf(block)) {
    const printed = await session.run(command);
    if (!UPDATE && !matches(shown, printed.lines)) expect(printed.lines.join('\n'), command).toBe(shown.join('\n'));
    steps.push({ command, shown: matches(shown, printed.lines) ? shown : leaveOut(printed.lines, shown) });
  }
  return steps;
}

async function runScript(session: DocSession, block: Block): Promise<void> {
  const text = block.lines.join('\n');
  const file = fileOf(block);
  if (file !== undefined) await save(session, file, text);
  const script = file === undefined ? text : `cd ${path.dirname(file)} && ./${path.basename(file)}`;
  await runLine(session, block, script);
}

async function runLine(session: DocSession, block: Block, script: string): Promise<void> {
  const env = needsService(block) ? at(await service()) : undefined;
  const { code, lines } = await session.run(script, { end: endOf(block), env });
  expect(code, `${script}\n${lines.join('\n')}`).toBe(expectedExit(block));
}

async function save(session: DocSession, file: string, text: string): Promise<void> {
  const target = path.join(session.folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, `${text}\n`);
  await chmod(target, text.startsWith('#!') ? 0o755 : 0o644);
}

/** Commands in backquotes, without those that name alternatives: `--only a|b`, `[files...]`. */
function inlineCalls(page: string): readonly string[] {
  const text = page.replace(/^```[\s\S]*?^```$/gm, '');
  const quoted = [...text.matchAll(/`(?:npx )?(signals [a-z][^`]*)`/g)].map(([, code = '']) => code);
  return quoted.filter((code) => !/[[|…]/.test(code)).flatMap((code) => callsIn(code.replace(/\bSTATE\b/, 'invalid')));
}

/** What the option parser says to the words of a command, after a shell has read them. Nothing is run. */
async function usageErrorOf(call: string): Promise<string | undefined> {
  const [name = '', ...others] = spawnSync('sh', ['-c', `printf '%s\\0' ${call.replace(/ < \S+/, '')}`], {
    encoding: 'utf8',
  })
    .stdout.split('\0')
    .slice(0, -1);
  const entry = commands.find((each) => each.name === name || each.alias === name);
  // `signals help TOPIC`, and what completes words.
  if (entry === undefined) return ['help', 'completion'].includes(name) ? undefined : 'no such command';
  const work = await entry.load();
  const sub = work.commands?.find((each) => each.name === others[0]);
  const { options = {} } = (await sub?.load()) ?? work;
  const built = new Command(name)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  const { arguments: named } = sub ?? entry;
  if (named !== undefined) built.arguments(named);
  addWork(built, { options, run: async () => 0 }, { invocation: '', isFullHelp: true, typed: built });
  try {
    await built.parseAsync(sub === undefined ? others : others.slice(1), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) return String(error);
  }
  return undefined;
}
