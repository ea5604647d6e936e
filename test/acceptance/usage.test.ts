/** What is said where the words of a command line make no sense, or no more than a command's name was typed. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { printed, program, root, run, runInProcess, test, workspace } from '../support/program.ts';

describe('a command line that cannot be run', () => {
  it('is answered with the help that lists the words in question', async () => {
    const cwd = await workspace();
    for (const [words, help, message = ''] of [
      [['upload', '--nosuch=sk'], 'upload --help', "error: Unknown option '--nosuch'.\n"],
      [['upload', '--api-key', 'sk'], 'upload --help', "A key is never an option's value: set SIGNALS_API_KEY"],
      [['config', 'set'], 'config set --help'],
      [['runs', 'pack'], 'runs pack --help', 'An argument is missing: runs pack RUN.\n'],
      [['runs', 'prune', '--nosuch'], 'runs prune --help'],
      [['nosuch'], '--help'],
    ] as const) {
      const ended = await run(cwd, words);
      expect(ended.code).toBe(2);
      expect(ended.stdout).toBe('');
      expect(ended.stderr).toContain(message);
      expect(ended.stderr).toContain(`See \`node ${program} ${help}\`.`);
    }
  });

  it('is answered with a help that shows how a text is made of columns', async () => {
    const { stdout } = await run(await workspace(), ['upload', '--help']);
    const [, option = ''] = /(-c '[^']*\{[^']*')/.exec(stdout.slice(stdout.indexOf('Examples:'))) ?? [];
    expect(option).toBe("-c 'signal_title={Deal} won'");
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain("map a column or a text like '{Company}: {Event}' to a field");
  });

  it('shows the commands of a command that was named alone, and counts as no success', async () => {
    const ended = await run(await workspace(), ['config']);
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain('Usage: signals config');
    expect(ended.stdout).toContain('set the base URL and the API key interactively');
    expect(ended.stderr).toBe('');
  });

  it('names the nearest command, also below a command and after help', async () => {
    const cwd = await workspace();
    for (const [words, near] of [
      [['uplaod', 'in.csv'], 'upload'],
      [['uplaod', '--help'], 'upload'],
      [['help', 'chekc'], 'check'],
      [['help', 'setings'], 'settings'],
      [['runs', 'sow'], 'show'],
      [['runs', 'sow', '--help'], 'show'],
      [['config', 'ste', 'rate'], 'set'],
    ] as const) {
      const ended = await runInProcess(cwd, words);
      expect(ended.code).toBe(2);
      expect(ended.stdout).toBe('');
      expect(ended.stderr).toContain(`Did you mean ${near}?`);
    }
  });

  it('may begin with the word help', async () => {
    const cwd = await workspace();
    for (const words of [[], ['upload'], ['config', 'set']]) {
      const asked = await runInProcess(cwd, ['help', ...words]);
      expect(asked.code).toBe(0);
      expect(asked.stdout).toBe(await printed(cwd, ...words, '--help'));
    }
  });
});

test('no line of a help topic is wider than the screen', async ({ cwd }) => {
  for (const topic of ['settings', 'environment', 'exit-codes', 'mapping']) {
    const { stdout } = await runInProcess(cwd, ['help', topic]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test.each(['check', 'upload'])('%s without a file suggests itself', async (command) => {
  const ended = await run(await workspace(), [command]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`For example: \`node ${program} ${command} export.csv\`.`);
});

test.each(['upload', 'check', 'map'])('%s to both the sandbox and a URL is refused', async (command) => {
  const ended = await run(await workspace(), [command, 'in.csv', '--sandbox', '--base-url', 'https://api.example.com']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('Pass either --sandbox or --base-url, not both');
});

test('-h shows the common options, and --help all of them', async ({ cwd }) => {
  for (const command of ['upload', 'check', 'resume']) {
    const short = await printed(cwd, command, '-h');
    const full = await printed(cwd, command, '--help');
    const options = (text: string): readonly string[] => text.match(/^ {2}(?:-\w, )?--[\w-]+/gm) ?? [];
    // With --help itself.
    expect(options(short).length).toBeLessThanOrEqual(21);
    expect(options(full).length).toBeLessThanOrEqual(41);
    expect(options(full)).toEqual(expect.arrayContaining([...options(short)]));
    expect(short).toContain(`All ${options(full).length - 1} options: signals ${command} --help`);
  }
});

test('the examples of -h work after installation, and -h of a subcommand names it', async ({ cwd }) => {
  for (const command of ['upload', 'check']) {
    const { stdout } = await run(cwd, [command, '-h']);
    expect(stdout).not.toContain('fixtures/');
    expect(stdout).toContain('signals fields signals --template csv > signals.csv');
  }
  const { stdout } = await run(cwd, ['runs', 'explain', '-h']);
  expect(stdout).toContain('Usage: signals runs explain [options]');
});

test('--help does not wait for the code of commands, nor `runs` for the code that reads and sends files', async () => {
  const files = await readdir(path.join(root, 'dist'));
  const importsOf = async (name: RegExp): Promise<readonly string[]> => {
    const chunks = files.filter((file) => name.test(file));
    const texts = await Promise.all(chunks.map((file) => readFile(path.join(root, 'dist', file), 'utf8')));
    return texts.flatMap((text) => [...text.matchAll(/\bfrom"\.\/([a-z]+)[^"]*"/g)].map(([, found = '']) => found));
  };
  const start = await importsOf(/^main\.js$/);
  expect(start).toContain('start');
  expect(start).not.toContain('shared');
  // The command, its subcommand `show`, and what both share with other commands.
  const runs = await importsOf(/^runs-(?:show-)?[\w-]{8}\.js$/);
  expect(runs).toContain('runs');
  expect(runs.filter((name) => ['shared', 'packages', 'undici'].includes(name))).toEqual([]);
});
