/** Suggested commands send to the same place and find the same run as the command that printed them. */
import { expect, test } from 'vitest';
import { program, run, workspace, write } from '../support/program.ts';

const INVALID = 'company_name,signal_title,signal_source\n,No company,news\nAcme,Raised,news\n';
const UNCLEAR = 'Account,Headline\nAcme,Raised\n';

/** The commands in a text that are built for the run, by their first word. */
function suggested(text: string): readonly string[] {
  const words = `node ${program} `;
  return text
    .split(/[\n`]/)
    .flatMap((line) => (line.includes(words) ? [line.slice(line.indexOf(words) + words.length).trim()] : []));
}

test.each([
  ['rows are invalid', INVALID, [], ['upload']],
  ['required fields have no column', UNCLEAR, ['--type', 'signals'], ['map', 'upload']],
  ['a row limit stops the run', INVALID, ['--min-rows', '5'], ['resume', 'upload']],
])('with --sandbox, --profile and --out, if %s', async (_case, csv, options, commands) => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csv);
  await run(cwd, ['config', 'set', '--profile', 'prod', 'type', 'signals']);
  const ended = await run(cwd, ['upload', 'in.csv', '--sandbox', '--profile', 'prod', '--out', 'my runs', ...options]);
  const found = suggested(ended.stdout + ended.stderr);
  expect(found.map((command) => command.split(' ')[0]).toSorted()).toEqual(commands);
  for (const command of found) {
    if (command.startsWith('map ')) continue;
    expect(command).toContain('--profile prod');
    expect(command).toContain("--out 'my runs'");
    if (command.startsWith('upload ')) expect(command).toContain('--sandbox');
  }
});

test('an unfinished run in a folder of --out is found by every command that runs and replay suggest', async () => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', INVALID);
  const flags = ['--profile', 'prod', '--out', 'my runs'];
  await run(cwd, ['config', 'set', '--profile', 'prod', 'type', 'signals']);
  await run(cwd, ['upload', 'in.csv', '--sandbox', '--min-rows', '5', ...flags]);
  for (const words of [
    ['runs', 'list'],
    ['runs', 'show', 'last'],
    ['replay', 'last', '--only', 'exhausted'],
  ]) {
    const ended = await run(cwd, [...words, ...flags]);
    const found = suggested(ended.stdout + ended.stderr);
    expect(found, words.join(' ')).not.toEqual([]);
    for (const command of found) expect(command).toMatch(/--profile prod --out 'my runs'$/);
  }
});
