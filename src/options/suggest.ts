/**
 * Builds every command that a message suggests. It repeats the options that decide where data goes and which run is found
 * (`repeat` of the table): pasted, it must not send to another service.
 */
import type { RunFile } from '../journal/run-file.ts';
import { type Shell, type Suggest, shellCommand } from '../lib/shell.ts';
import { flagOf, type OptionSpec, type OptionTable, settingKey, wordsOf } from './option-spec.ts';
import { type Options, optionTable, SERVICE } from './option-table.ts';

export type Repeated = {
  readonly [N in keyof Options as Options[N] extends { readonly repeat: readonly string[] } ? N : never]?:
    | string
    | boolean
    | undefined;
};

/** @param forUpload replaces `repeated` in suggested uploads: where the run goes, if its options do not say so */
export function createSuggest(
  { invocation, shell }: { readonly invocation: string; readonly shell: Shell },
  repeated: Repeated,
  forUpload: Repeated = {},
  table: OptionTable = optionTable,
): Suggest {
  return (...words) => {
    const [command = ''] = words;
    const options = new Map<string, string | boolean | undefined>(
      Object.entries(command === 'upload' ? { ...repeated, ...forUpload } : repeated),
    );
    const missing = repeatedBy(table, words).flatMap(([name, spec]) => {
      const value = options.get(name);
      return value === undefined || value === false || valueIn(words, name, spec) !== undefined
        ? []
        : wordsOf(name, spec, value);
    });
    return shellCommand(invocation, [...words, ...missing], shell);
  };
}

/** The options that a command repeats: those of its subcommand, if any repeats an option. */
function repeatedBy(table: OptionTable, words: readonly string[]): readonly (readonly [string, OptionSpec])[] {
  const by = (command: string) => Object.entries(table).filter(([, { repeat = [] }]) => repeat.includes(command));
  const below = by(words.slice(0, 2).join(' '));
  return below.length > 0 ? below : by(words[0] ?? '');
}

/** The last value that the words of a command line give this option; '' for a switch. */
function valueIn(words: readonly string[], name: string, spec: OptionSpec): string | undefined {
  const flag = spec.setting === 'only' ? '--setting' : flagOf(name, spec);
  const start = spec.setting === 'only' ? `${settingKey(name)}=` : '';
  const given = words.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    return word === flag ? [words[index + 1] ?? ''] : [];
  });
  return given.findLast((text) => text.startsWith(start))?.slice(start.length);
}

/** How the words of a command line connect to the service. */
export function connectionOptions(argv: readonly string[], table: OptionTable = optionTable): Repeated {
  const connecting = Object.entries(table).filter(
    ([name, { group, repeat = [] }]) => group === SERVICE && repeat.includes('resume') && name !== 'profile',
  );
  const given = (name: string, spec: OptionSpec) =>
    spec.value === undefined ? argv.includes(flagOf(name, spec)) || undefined : valueIn(argv, name, spec);
  return Object.fromEntries(connecting.map(([name, spec]) => [name, given(name, spec)]));
}

/** The options with which an upload sends to the same place. */
export function destinationOptions({ sandbox, baseUrl }: Pick<RunFile, 'sandbox' | 'baseUrl'>): Repeated {
  return sandbox ? { sandbox, baseUrl: undefined } : { baseUrl };
}
