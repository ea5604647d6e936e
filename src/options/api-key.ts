/**
 * Resolves the API key: `--api-key-file` > SIGNALS_API_KEY > SIGNALS_API_KEY_FILE > profile. Separate from the other
 * settings, so that the key is never journalled or shown. No message here contains any of it.
 */
import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { type Problem, ProblemError } from '../model/problem.ts';
import { settingProblem } from './option-spec.ts';
import { parseBaseUrl, parseKey } from './parse-values.ts';
import { modeWarnings, systemReason } from './profiles.ts';
import { readSettingTexts, type SettingsInput } from './resolve-settings.ts';

/** No more is read: it is longer than any key. */
const MAX_FILE_BYTES = 65_536;

/** From the first origin that has one. @throws ProblemError `settings.key`, `settings.key_file`, `settings.profile` */
export async function resolveKey(given: SettingsInput): Promise<{
  readonly key?: string;
  readonly origin?: string;
  readonly warnings: readonly Problem[];
}> {
  const { raws } = await readSettingTexts(given);
  const raw = raws.get('apiKey');
  if (raw === undefined) return { warnings: [] };
  const { where, file } = raw;
  if (file === undefined) return { key: cleanKey(raw.text ?? '', where), origin: where, warnings: [] };
  const { text, warnings } = await readKeyFile(file, where);
  const origin = `${where} ${file}`;
  return { key: cleanKey(text, origin), origin, warnings };
}

/** The base URL of the profile that the key comes from: the key is meant for that service. */
export async function keyAddress(given: SettingsInput): Promise<string | undefined> {
  const { raws, values } = await readSettingTexts(given);
  const text = raws.get('apiKey')?.origin.startsWith('profile ') ? values.get('base_url') : undefined;
  const parsed = text === undefined ? undefined : parseBaseUrl(text, { allowHttp: true });
  return parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
}

/** @throws ProblemError `settings.key`, naming where the pasted text came from */
export function cleanKey(text: string, where: string): string {
  const parsed = parseKey(text);
  if ('value' in parsed) return parsed.value;
  throw new ProblemError({ ...settingProblem(parsed.issue, where), code: 'settings.key' });
}

async function readKeyFile(
  path: string,
  where: string,
): Promise<{ readonly text: string; readonly warnings: readonly Problem[] }> {
  try {
    // Not readFile: the file may be endless, or a pipe such as `--api-key-file <(vault …)`.
    const bytes = await buffer(createReadStream(path, { end: MAX_FILE_BYTES }));
    return { text: decode(bytes), warnings: await modeWarnings(path, 'key file') };
  } catch (error) {
    throw new ProblemError({
      code: 'settings.key_file',
      message: `Cannot read the key file ${path}: ${systemReason(error)}.`,
      where,
      hint: 'Pass a file that contains only the key, on one line.',
    });
  }
}

/** UTF-8, or the UTF-16 that `echo KEY > file` writes in Windows PowerShell. */
function decode(bytes: Buffer): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
