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

/** In bytes. A longer file is the wrong file. */
const MAX_FILE_BYTES = 65_536;

/**
 * Reads the key from the first origin that has one.
 *
 * @returns key: ready for the header; absent if no origin has one. origin: where it was found. warnings: about the key file only
 * @throws ProblemError `settings.key` if it is not valid, `settings.key_file` if its file cannot be read,
 *   `settings.profile` if a named profile does not exist
 */
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

/**
 * The key in a pasted text, without its wrapping.
 *
 * @param where origin of the text, for the message
 * @throws ProblemError `settings.key`
 */
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
    if (bytes.length > MAX_FILE_BYTES) {
      throw new ProblemError({
        code: 'settings.key_file',
        message: `The key file ${path} is larger than ${MAX_FILE_BYTES} bytes: expected a file that contains only the key.`,
        where,
      });
    }
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
