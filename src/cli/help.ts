/**
 * What `signals help TOPIC` prints, the manual page among it, and the hint for an option that is a setting. Loaded when needed:
 * the start does not wait for the option table.
 */
import type { Entry, Listed, Work } from '../commands/command.ts';
import { capitalised } from '../lib/text.ts';
import { version } from '../lib/version.ts';
import {
  findSetting,
  flagsOf,
  type OptionSpec,
  type OptionTable,
  ownFlags,
  screenOptions,
  settingsOf,
} from '../options/option-spec.ts';
import { optionTable } from '../options/option-table.ts';
import { hangingTable } from '../report/text-layout.ts';

/** What stands before a text, and the text. */
type Item = readonly [term: string, text: string];

/** Environment variables that are no settings. */
export const otherVariables: readonly Item[] = [
  ['SIGNALS_API_KEY_FILE', 'file that contains the API key'],
  ['SIGNALS_PROFILE', 'settings profile'],
  ['SIGNALS_CONFIG_DIR', 'folder of the settings file'],
  [
    'SIGNALS_STATE_DIR',
    "state folder: the list of your runs and the digests of sent records (default: signals in XDG_STATE_HOME, or the system's place for it)",
  ],
  ['XDG_STATE_HOME', 'folder of the state of all programs'],
  ['NO_COLOR', 'disable colour'],
  ['FORCE_COLOR', 'use colour without a terminal too'],
  ['CI', 'do not prompt, and do not redraw'],
  ['TERM', 'dumb: the same'],
  ['NODE_EXTRA_CA_CERTS', 'like the setting ca_file, for every program that uses Node.js'],
  ['HTTPS_PROXY', 'proxy for https:// URLs, unless the setting proxy names one; never used for this machine'],
  ['HTTP_PROXY', 'the same for http:// URLs'],
  ['NO_PROXY', 'hosts that are reached without the proxy'],
];

/** By exit code, in the order of their numbers. */
export const exitCodes: readonly Item[] = [
  ['0', 'every row delivered; none invalid, refused or rejected'],
  ['1', 'a bug, or the counts do not reconcile; for `runs find`: nothing found'],
  ['2', 'usage, settings, mapping, or an input that cannot be read; nothing was sent'],
  ['3', 'done, but rows were invalid, refused, rejected or unaccounted (--fail-on changes that)'],
  ['4', 'done, but rows are exhausted or unknown'],
  ['5', 'the key was refused'],
  ['6', 'stopped early: resume'],
  ['7', 'another process works on the run'],
  ['130, 143', 'interrupted: resume'],
];

const MAPPING_TOPIC = [
  'A mapping says which column becomes which field. Columns whose names match need none.',
  '',
  '  signals map FILE                 propose a mapping, adjust it and save it',
  '  signals upload FILE -m FILE      use a saved mapping',
  '  -c FIELD=COLUMN                  map one column',
  "  -c 'FIELD={Company} raised {Amount}'   make a text of columns",
  '  --set FIELD=VALUE                set a constant',
  '  --empty TEXT                     cells with this text are empty',
  '',
  'The fields: signals fields. The format of mapping files: signals schema mapping',
];

/** The lines of a topic; undefined if there is none of that name. */
export function helpTopic(
  name: string,
  width: number,
  table: OptionTable = optionTable,
): readonly string[] | undefined {
  const settings = settingsOf(table);
  switch (name) {
    case 'settings':
      return [
        'A setting comes from an option, else an environment variable, the profile, or the default:',
        '',
        '  signals upload FILE --setting timeout=60s',
        '  SIGNALS_TIMEOUT=60s signals upload FILE',
        '  signals config set timeout 60s',
        '',
        ...hangingTable([['SETTING', 'MEANING'], ...settings.map(({ key, spec }) => [key, aboutSetting(spec)])], width),
      ];
    case 'environment':
      return hangingTable(
        [['VARIABLE', 'MEANING'], ...settings.map(({ variable, spec }) => [variable, spec.about]), ...otherVariables],
        width,
      );
    case 'exit-codes':
      return hangingTable(exitCodes, width);
    case 'mapping':
      return MAPPING_TOPIC;
    default:
      return undefined;
  }
}

/** What a setting is, its values and its default. */
export function aboutSetting(spec: OptionSpec): string {
  const values = allowedValues(spec);
  const byDefault = spec.default ?? spec.defaultText;
  return [
    spec.about,
    ...(values === undefined ? [] : [values]),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ].join('; ');
}

function allowedValues({ choices, parse }: OptionSpec): string | undefined {
  return choices?.join(', ') ?? parse?.allowed;
}

/** How to give an option that does not exist: as a setting, or by another command. */
export function optionHint(
  flag: string,
  value: string | undefined,
  table: OptionTable = optionTable,
): string | undefined {
  const [word = '', inline] = flag.split('=', 2);
  if (word === '--dry-run') return 'Use `signals check`: it takes the same files.';
  const isOff = word.startsWith('--no-');
  const setting = findSetting(table, word.replace(isOff ? /^--no-/ : /^--/, ''));
  if (setting === undefined || setting.spec.secret) return undefined;
  const isSwitch = allowedValues(setting.spec) === 'yes, no';
  const given = isSwitch ? (isOff ? 'no' : 'yes') : (inline ?? value ?? 'VALUE');
  return `It is a setting: --setting ${setting.key}=${given}`;
}

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

/** A command with the words that call it. */
interface Page {
  readonly words: string;
  readonly entry: Entry;
  readonly work: Work;
}

/** The manual page, as input of man(1). @param about one paragraph about the program */
export async function manual(entries: readonly Listed[], about: string): Promise<string> {
  const pages = (await Promise.all(entries.map(pagesOf))).flat();
  const settings = settingsOf(optionTable);
  const parts: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['NAME', ['signals \\- upload market signals and social engagement events']],
    ['SYNOPSIS', ['.nf', ...pages.map(synopsis), '.fi']],
    ['DESCRIPTION', [roff(about)]],
    ['COMMANDS', list(pages.map(({ words, entry }) => [words, entry.summary]))],
    [
      'OPTIONS',
      ['Options of every command:', ...optionList(Object.entries(screenOptions)), ...pages.flatMap(optionsOf)],
    ],
    ['SETTINGS', list(settings.map(({ key, spec }) => [key, aboutSetting(spec)]))],
    [
      'ENVIRONMENT',
      list([...settings.map(({ key, variable }): Item => [variable, `the setting ${key}`]), ...otherVariables]),
    ],
    ['FILES', list(FILES)],
    ['EXIT STATUS', list(exitCodes)],
    ['EXAMPLES', list(EXAMPLES)],
  ];
  return [
    `.TH SIGNALS 1 "" "signals-upload ${version}" "User Commands"`,
    ...parts.flatMap(([title, lines]) => [`.SH ${title}`, ...lines]),
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
  return list(options.map(([name, spec]) => [flagsOf(name, spec), aboutSetting(spec)]));
}

/** Each text as a sentence. */
function list(items: readonly Item[]): readonly string[] {
  return items.flatMap(([term, text]) => {
    return ['.TP', `\\fB${roff(term)}\\fR`, roff(`${capitalised(text)}${text.endsWith('.') ? '' : '.'}`)];
  });
}

/** Escapes what roff would read as its own. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
