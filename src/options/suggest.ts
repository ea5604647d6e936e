/**
 * Builds every command that a message suggests. A suggested command repeats the options that decide where data goes
 * and which run is found, as far as that command has them: pasted, it must not send to another service. A command
 * that continues with another mapping repeats all options (questions/continue-commands.ts).
 */
import type { RunFile } from '../journal/run-file.ts';
import { type Shell, type Suggest, shellCommand } from '../lib/shell.ts';
import { flagOf } from './option-spec.ts';
import type { Resolve } from './option-table.ts';

const SERVICE = ['baseUrl', 'profile', 'allowHttp', 'apiKeyFile'] as const;
const ROUTE = ['caFile', 'clientCert', 'clientKey', 'proxy', 'resolve'] as const;
const OF_A_RUN = [...SERVICE, ...ROUTE, 'again', 'out'] as const;

/** Options that suggested commands repeat. */
export type Repeated = {
  readonly [N in (typeof OF_A_RUN)[number] | 'sandbox' | 'transform']?: string | boolean | Resolve | undefined;
};

/** The repeated options of each command. Other commands repeat none. */
const REPEATED_BY: Readonly<Record<string, readonly (keyof Repeated)[]>> = {
  upload: ['sandbox', 'transform', ...OF_A_RUN],
  check: ['transform', 'baseUrl', 'profile', 'allowHttp', 'again'],
  map: ['transform'],
  resume: OF_A_RUN,
  replay: OF_A_RUN,
  runs: ['profile', 'out'],
  'runs explain': OF_A_RUN,
  fix: ['profile', 'out'],
  config: ['profile'],
};

/**
 * @param repeated as given to this command
 * @param forUpload replaces `repeated` in suggested uploads: where the run goes, if its flags do not say so
 */
export function createSuggest(
  { invocation, shell }: { readonly invocation: string; readonly shell: Shell },
  repeated: Repeated,
  forUpload: Repeated = {},
): Suggest {
  return (...words) => {
    const [command = ''] = words;
    const options = command === 'upload' ? { ...repeated, ...forUpload } : repeated;
    const missing = (REPEATED_BY[words.slice(0, 2).join(' ')] ?? REPEATED_BY[command] ?? []).flatMap((name) => {
      const flag = flagOf(name);
      const value = options[name];
      const isGiven = words.some((word) => word === flag || word.startsWith(`${flag}=`));
      if (value === undefined || value === false || isGiven) return [];
      if (value === true) return [flag];
      return [flag, typeof value === 'string' ? value : `${value.host}:${value.address}`];
    });
    return shellCommand(invocation, [...words, ...missing], shell);
  };
}

/** How the words of a command line connect to the service. */
export function connectionOptions(argv: readonly string[]): Repeated {
  return Object.fromEntries(
    (['apiKeyFile', ...ROUTE] as const).map((name) => {
      const flag = flagOf(name);
      const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
      return [name, argv[at] === flag ? argv[at + 1] : argv[at]?.slice(flag.length + 1)];
    }),
  );
}

/** The options with which an upload sends to the same place. */
export function destinationOptions({ sandbox, baseUrl }: Pick<RunFile, 'sandbox' | 'baseUrl'>): Repeated {
  return sandbox ? { sandbox, baseUrl: undefined } : { baseUrl };
}
