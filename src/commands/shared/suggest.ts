/**
 * Builds every command that a message suggests. A suggested command repeats the options that decide where data goes
 * and which run is found, as far as that command has them: pasted, it must not send to another service. How the input
 * is read and mapped is repeated by plan/continue-mapping.ts.
 */

import { type Shell, type Suggest, shellCommand } from '../../lib/shell.ts';
import type { Resolve } from './options.ts';

/** Options that suggested commands repeat. */
export interface Repeated {
  readonly sandbox?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  readonly profile?: string | undefined;
  readonly allowHttp?: boolean | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly proxy?: string | undefined;
  readonly resolve?: Resolve | undefined;
  readonly again?: boolean | undefined;
  readonly transform?: string | undefined;
  readonly out?: string | undefined;
}

const FLAGS: Readonly<Record<keyof Repeated, string>> = {
  sandbox: '--sandbox',
  baseUrl: '--base-url',
  profile: '--profile',
  allowHttp: '--allow-http',
  apiKeyFile: '--api-key-file',
  caFile: '--ca-file',
  clientCert: '--client-cert',
  clientKey: '--client-key',
  proxy: '--proxy',
  resolve: '--resolve',
  again: '--again',
  transform: '--transform',
  out: '--out',
};

const OF_A_RUN = [
  'baseUrl',
  'profile',
  'allowHttp',
  'apiKeyFile',
  'caFile',
  'clientCert',
  'clientKey',
  'proxy',
  'resolve',
  'again',
  'out',
] as const;

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
      const flag = FLAGS[name];
      const value = options[name];
      const isGiven = words.some((word) => word === flag || word.startsWith(`${flag}=`));
      if (value === undefined || value === false || isGiven) return [];
      if (value === true) return [flag];
      return [flag, typeof value === 'string' ? value : `${value.host}:${value.address}`];
    });
    return shellCommand(invocation, [...words, ...missing], shell);
  };
}
