/**
 * The manual page, `signals help man`, as input of man(1): made from the table of commands and the option table. Pure, but
 * for loading the commands.
 */
import type { Entry, Listed, Work } from '../commands/command.ts';
import { capitalised } from '../lib/text.ts';
import { version } from '../lib/version.ts';
import { flagsOf, type OptionSpec, ownFlags, screenOptions, settingsOf } from '../options/option-spec.ts';
import { optionTable } from '../options/option-table.ts';
import { aboutSetting, exitCodes, otherVariables } from './help-topics.ts';

const FILES: readonly Item[] = [
  [
    'signals-runs/RUN/',
    'the folder of a run: journal, results log, rejects files, summary. --out or SIGNALS_RUNS moves it',
  ],
  ['signals-runs/RUN/results.csv', 'the results log: one line each time a batch is settled'],
  ['signals-runs/RUN/rejects/', 'rows that became no record or that the service refused, with line and reason'],
  ['signals-runs/RUN/journal.ndjson', 'the write-ahead log, from which a run is resumed'],
  ['config.json', 'settings and profiles; `signals config path` prints where it is'],
];

const EXAMPLES: readonly Item[] = [
  ['signals check export.csv', 'what would be sent, and what is wrong. Sends nothing'],
  ['signals upload export.csv --sandbox', 'rehearse an upload against a mock of the service on this machine'],
  ['signals upload export.csv -m mapping.yaml', 'send a file with a saved mapping'],
  ['signals resume', 'finish the last run after an interruption or a failure'],
  ['signals fix', 'repair the invalid rows of the last run'],
];

/** What stands before a text, and the text. */
type Item = readonly [term: string, text: string];

/** A command with the words that call it. */
interface Page {
  readonly words: string;
  readonly entry: Entry;
  readonly work: Work;
}

/** @param about one paragraph about the program */
export async function manual(entries: readonly Listed[], about: string): Promise<string> {
  const pages = (await Promise.all(entries.map(pagesOf))).flat();
  const settings = settingsOf(optionTable);
  return [
    `.TH SIGNALS 1 "" "signals-upload ${version}" "User Commands"`,
    ...part('NAME', ['signals \\- upload market signals and social engagement events']),
    ...part('SYNOPSIS', ['.nf', ...pages.map(synopsis), '.fi']),
    ...part('DESCRIPTION', [roff(about)]),
    ...part('COMMANDS', list(pages.map(({ words, entry }) => [words, sentence(entry.summary)]))),
    ...part('OPTIONS', [
      'Options of every command:',
      ...optionList(Object.entries<OptionSpec>(screenOptions)),
      ...pages.flatMap(optionsOf),
    ]),
    ...part('SETTINGS', list(settings.map(({ key, spec }) => [key, sentence(aboutSetting(spec))]))),
    ...part(
      'ENVIRONMENT',
      list([
        ...settings.map(({ key, variable }): Item => [variable, `The setting ${key}.`]),
        ...otherVariables.map(([name, text]): Item => [name, sentence(text)]),
      ]),
    ),
    ...part('FILES', list(FILES.map(([name, text]) => [name, sentence(text)]))),
    ...part('EXIT STATUS', list(exitCodes.map(([code, text]) => [code, sentence(text)]))),
    ...part('EXAMPLES', list(EXAMPLES.map(([command, text]) => [command, sentence(text)]))),
    '',
  ].join('\n');
}

async function pagesOf(entry: Listed): Promise<readonly Page[]> {
  const work = await entry.load();
  if (work.commands === undefined) return [{ words: entry.name, entry, work }];
  return Promise.all(
    work.commands.map(async (each) => ({ words: `${entry.name} ${each.name}`, entry: each, work: await each.load() })),
  );
}

function synopsis({ words, entry }: Page): string {
  return `\\fBsignals ${roff(words)}\\fR [\\fIoptions\\fR]${entry.arguments === undefined ? '' : ` ${roff(entry.arguments)}`}`;
}

/** The options that the command does not share with every other one. */
function optionsOf({ words, work }: Page): readonly string[] {
  const own = ownFlags(work.options);
  return own.length === 0 ? [] : [`.SS signals ${roff(words)}`, ...optionList(own)];
}

function optionList(options: readonly (readonly [name: string, spec: OptionSpec])[]): readonly string[] {
  return list(options.map(([name, spec]) => [flagsOf(name, spec), sentence(aboutSetting(spec))]));
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return [`.SH ${title}`, ...lines];
}

function list(items: readonly Item[]): readonly string[] {
  return items.flatMap(([term, text]) => ['.TP', `\\fB${roff(term)}\\fR`, roff(text)]);
}

function sentence(text: string): string {
  return `${capitalised(text)}${text.endsWith('.') ? '' : '.'}`;
}

/** Escapes what roff would read as its own. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
