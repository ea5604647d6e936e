/** What `signals help TOPIC` prints, and the manual page. Loaded when needed: the start does not wait for the option table. */
import { version } from '../lib/version.ts';
import { exitCodes } from '../model/exit-code.ts';
import { type OptionSpec, type OptionTable, settingsOf } from '../options/option-spec.ts';
import { optionTable } from '../options/option-table.ts';
import { hangingTable, wrapLines } from '../report/text-layout.ts';

type Item = readonly [term: string, text: string];

/** Environment variables that are no settings. */
export const otherVariables: readonly Item[] = [
  ['SIGNALS_API_KEY_FILE', 'file that contains the API key'],
  ['SIGNALS_PROFILE', 'settings profile'],
  ['SIGNALS_CONFIG_DIR', 'folder of the settings file'],
  [
    'SIGNALS_STATE_DIR',
    "state folder: the list of your runs and the digests of sent records (default: the folder signals in XDG_STATE_HOME, or the system's place for it)",
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
  'The fields: signals fields',
];

export function helpTopic(
  name: string,
  width: number,
  table: OptionTable = optionTable,
): readonly string[] | undefined {
  const settings = settingsOf(table);
  switch (name) {
    case 'settings':
      return [
        ...wrapLines(
          'A setting comes from an option, else an environment variable, the profile, or the default:',
          width,
        ),
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
      return wrapLines(MAPPING_TOPIC.join('\n'), width);
    default:
      return undefined;
  }
}

export function aboutSetting(spec: OptionSpec): string {
  const values = spec.choices?.join(', ') ?? spec.parse?.allowed;
  const byDefault = spec.default ?? spec.defaultText;
  return [
    spec.about,
    ...(values === undefined ? [] : [values]),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ].join('; ');
}

/**
 * The manual page, as input of man(1): help texts as they are printed, each below its title.
 *
 * @param helps of the program and of each command
 */
export function manual(helps: readonly Item[]): string {
  const topics = ['settings', 'environment', 'exit-codes'].map((topic): Item => {
    return [topic, helpTopic(topic, MANUAL_WIDTH)?.join('\n') ?? ''];
  });
  const name: Item = ['name', 'signals - upload market signals and social engagement events'];
  return [
    `.TH SIGNALS 1 "" "signals-upload ${version}" "User Commands"`,
    ...[name, ...helps, ...topics].flatMap(([title, text]) => {
      return [
        `.SH ${roff(title.toUpperCase())}`,
        '.nf',
        roff(wrapLines(text.trimEnd(), MANUAL_WIDTH).join('\n')),
        '.fi',
      ];
    }),
    '',
  ].join('\n');
}

/** Columns of the text of a page on a screen of 80. */
export const MANUAL_WIDTH = 72;

/** Escapes what roff would read as its own. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
