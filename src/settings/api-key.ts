/**
 * Resolves the API key: `--api-key-file` > SIGNALS_API_KEY > SIGNALS_API_KEY_FILE > profile. Separate from the other
 * settings, so that the key is never journalled or shown. No message here contains any of it.
 */
import { createReadStream } from 'node:fs';
import { type Problem, ProblemError } from '../model/problem.ts';
import { parseKey } from './parse-values.ts';
import { modeWarnings, systemReason } from './profiles.ts';
import { type Origin, readSettingTexts, type SettingsInput } from './resolve-settings.ts';
import { settingProblem } from './setting-table.ts';

/** In bytes. A longer file is the wrong file. */
const MAX_FILE_BYTES = 65_536;

export interface ResolvedKey {
  /** Ready for the header. Absent if no origin has one: the caller then prompts for it, or fails. */
  readonly key?: string;
  readonly origin?: Origin;
  /** About the key file only: `resolveSettings` returns the warnings about the settings file. */
  readonly warnings: readonly Problem[];
}

/**
 * Reads the key from the first origin that has one.
 *
 * @throws ProblemError `settings.key` if it is not valid, `settings.key_file` if its file cannot be read,
 *   `settings.profile` if a named profile does not exist
 */
export async function resolveKey(given: Omit<SettingsInput, 'flags'>): Promise<ResolvedKey> {
  const { raws } = await readSettingTexts({ ...given, flags: {} });
  const raw = raws.get('api_key');
  if (raw === undefined) return { warnings: [] };
  const { origin, where, file } = raw;
  if (file === undefined) return { key: cleanKey(raw.text ?? '', where), origin, warnings: [] };
  const { text, warnings } = await readKeyFile(file, where);
  return { key: cleanKey(text, `${where} ${file}`), origin, warnings };
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
    const bytes = await readBounded(path);
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

/** Does not use readFile, because the file may be endless or a pipe, as in `--api-key-file <(vault …)`. */
async function readBounded(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: MAX_FILE_BYTES })) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** UTF-8, or the UTF-16 that `echo KEY > file` writes in Windows PowerShell. */
function decode(bytes: Buffer): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
