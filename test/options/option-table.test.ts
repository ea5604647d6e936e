/** One entry of the option table is in everything that is made from it. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { addWork } from '../../src/cli/command-line.ts';
import { flagsIn } from '../../src/cli/completion.ts';
import { helpTopic } from '../../src/cli/help.ts';
import { readOptions } from '../../src/library/options.ts';
import type { RawOptions } from '../../src/options/option-spec.ts';
import { parsed, parseOptions } from '../../src/options/option-spec.ts';
import { optionsOf, optionTable } from '../../src/options/option-table.ts';
import { parseCount } from '../../src/options/parse-values.ts';
import { resolveSettings } from '../../src/options/resolve-settings.ts';
import {
  describeRestored,
  recordedSchema,
  recordOptions,
  restoreOptions,
  shardDifferences,
} from '../../src/options/run-options.ts';
import { createSuggest } from '../../src/options/suggest.ts';
import { referenceOptions, referenceSettings } from '../support/reference-tables.ts';
import { runFileOf } from '../support/run-file.ts';

const added = {
  ...optionTable,
  burstSize: parsed('n', parseCount(1, 50), 'requests in a burst', {
    group: 'Service:',
    default: '5',
    setting: 'also',
    commands: ['upload', 'resume'],
    record: true,
    repeat: ['resume'],
    agree: true,
    library: 'upload',
  }),
} as const;

/** A command that has its options of the table with the option. */
function built(command: 'upload' | 'check'): Command {
  const made = new Command(command)
    .argument('[files...]')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  addWork(
    made,
    { options: optionsOf(command, added), run: async () => 0 },
    { invocation: '', isFullHelp: true, typed: made },
  );
  return made;
}

/** Words as commander parses them. */
async function parsedBy(command: 'upload' | 'check', words: readonly string[]): Promise<RawOptions> {
  return (await built(command).parseAsync(words, { from: 'user' })).opts<RawOptions>();
}

describe('an option that is added to the table', () => {
  test('is parsed by the commands that it names, with the value that it says', async () => {
    expect(parseOptions(optionsOf('upload', added), await parsedBy('upload', ['--burst-size', '7']))).toMatchObject({
      burstSize: '7',
    });
    await expect(parsedBy('check', ['--burst-size', '7'])).rejects.toThrow("unknown option '--burst-size'");
  });

  test('is in the help of its commands, among the settings, and in the manual, which is made of both', () => {
    expect(built('upload').helpInformation()).toMatch(/--burst-size <n> +requests in a burst \(default: 5\)/);
    expect(helpTopic('settings', 100, added)?.join('\n')).toMatch(
      /burst_size +requests in a burst; 1 to 50; default: 5/,
    );
    expect(helpTopic('environment', 100, added)?.join('\n')).toMatch(/SIGNALS_BURST_SIZE +requests in a burst/);
  });

  test('comes from --setting, the environment, or its default', async () => {
    const resolve = async (given: RawOptions, env: NodeJS.ProcessEnv = {}) => {
      const options = parseOptions(optionsOf('upload', added), given);
      const context = { invocation: 'signals', env: { SIGNALS_CONFIG_DIR: '/nonexistent', ...env } };
      const { settings } = await resolveSettings({ ...context, ...options }, added);
      return new Map(Object.entries(settings)).get('burstSize');
    };
    expect(await resolve({})).toBe(5);
    expect(await resolve({}, { SIGNALS_BURST_SIZE: '6' })).toBe(6);
    expect(await resolve({ setting: ['burst_size=7'] }, { SIGNALS_BURST_SIZE: '6' })).toBe(7);
    await expect(resolve({ setting: ['burst_size=51'] })).rejects.toThrow('expected a whole number from 1 to 50');
  });

  test('is kept in run.json, and a resume repeats it', () => {
    const kept = recordOptions({ burstSize: '7' }, added);
    expect(recordedSchema(added).parse(kept.settings)).toEqual({ burstSize: '7' });
    expect(() => recordedSchema().parse(kept.settings)).toThrow('burstSize');
    const { options, restored } = restoreOptions({}, kept, added);
    expect(options).toEqual({ burstSize: '7' });
    expect(describeRestored(restored, added)).toEqual(['Using the original settings: --burst-size 7.']);
  });

  test('is an option of the library', () => {
    expect(readOptions({ burstSize: 7 }, added).given).toMatchObject({ burstSize: '7' });
    expect(() => readOptions({ burstSize: 7 }, optionTable)).toThrow('There is no option "burstSize".');
  });

  test('is repeated by the commands that it names, and compared between shards', () => {
    const called = { invocation: 'signals', shell: 'posix' } as const;
    const suggest = createSuggest(called, { burstSize: '7' } as object, {}, added);
    expect(suggest('resume', 'x')).toBe('signals resume x --burst-size 7');
    expect(suggest('upload', 'x')).toBe('signals upload x');
    const one = { ...runFileOf({ run: 'x', startedAt: '' }), mapping: undefined };
    expect(shardDifferences(one, { ...one, settings: { burstSize: '7' } }, added)).toEqual(['--burst-size']);
  });

  test('is completed by shells, and in the reference', () => {
    expect(flagsIn(optionsOf('upload', added)).map(({ words }) => words.at(-1))).toContain('--burst-size');
    expect(referenceOptions(optionsOf('upload', added))).toContain(
      '| `--burst-size N` | requests in a burst (default: 5) |',
    );
    expect(referenceSettings(added).at(-1)).toContain('`burst_size`');
  });
});

test('upload has at most 40 options, and -h shows at most 20', () => {
  const options = flagsIn(optionsOf('upload', optionTable)).filter(({ spec }) => spec.everywhere !== true);
  expect(options.length).toBeLessThanOrEqual(40);
  expect(options.filter(({ spec }) => spec.common === true).length).toBeLessThanOrEqual(20);
});

test('something in src/ uses each option', () => {
  const files = globSync('src/**/*.ts', { ignore: 'src/options/option-table.ts' });
  const words = new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []));
  expect(Object.keys(optionTable).filter((name) => !words.has(name))).toEqual([]);
  expect(Object.keys(added).filter((name) => !words.has(name))).toEqual(['burstSize']);
});
