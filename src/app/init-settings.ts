/** Asks for the settings of a service and saves them in a profile, for `config init`. */

import { ProblemError } from '../model/problem.ts';
import { cleanKey } from '../options/api-key.ts';
import { parseOption } from '../options/option-spec.ts';
import { type Parsed, parseBaseUrl, parseKey } from '../options/parse-values.ts';
import { isProfileName, openProfiles, type Profile, type ProfilesFile, saveProfiles } from '../options/profiles.ts';
import { requestedProfile } from '../options/resolve-settings.ts';
import type { Check, Prompts } from '../questions/question.ts';
import type { Surroundings } from './context.ts';

interface ProfileOptions {
  readonly profile?: string | undefined;
  readonly allowHttp?: boolean | undefined;
}

export async function initSettings(
  context: Surroundings,
  prompts: Prompts,
  options: ProfileOptions,
): Promise<{ readonly file: ProfilesFile; readonly name: string }> {
  const file = await openProfiles(context.env);
  const name = profileToChange(context, options, file);
  const profile = new Map(file.byName.get(name));
  const parseUrl = (text: string): Parsed<string> => parseBaseUrl(text, options);

  const baseUrl = await prompts.text('Address of the service (base URL)', {
    initial: profile.get('base_url'),
    check: checkOf(parseUrl),
  });
  const ifEmpty = profile.has('api_key') ? 'keep the current one' : 'set it later';
  const key = await prompts.askHidden(`API key (leave empty to ${ifEmpty})`, (text) =>
    text === '' ? undefined : checkOf(parseKey)(text),
  );

  profile.set('base_url', parseOption('base_url', baseUrl, parseUrl));
  if (key !== '') profile.set('api_key', cleanKey(key, 'api_key'));
  await saveProfile(file, name, profile);
  return { file, name };
}

/** The profile need not exist: its first setting creates it. */
export function profileToChange({ env }: Surroundings, { profile }: ProfileOptions, file: ProfilesFile): string {
  const name = requestedProfile({ env, profile }) ?? file.current;
  if (isProfileName(name)) return name;
  throw new ProblemError({
    code: 'config.profile',
    message: `"${name.slice(0, 40)}" is not a valid profile name: expected up to 64 letters, digits, dots, hyphens and underscores, starting with a letter or digit.`,
  });
}

export function saveProfile(file: ProfilesFile, name: string, profile: Profile): Promise<void> {
  return saveProfiles({ ...file, byName: new Map(file.byName).set(name, profile) });
}

export function checkOf(parse: (text: string) => Parsed<unknown>): Check {
  return (text) => {
    const parsed = parse(text);
    if ('value' in parsed) return undefined;
    const { expected, hint } = parsed.issue;
    return `Expected ${expected}.${hint === undefined ? '' : ` ${hint}`}`;
  };
}
