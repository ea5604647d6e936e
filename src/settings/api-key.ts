/**
 * The API key: `--api-key-file` > SIGNALS_API_KEY > SIGNALS_API_KEY_FILE > profile. Apart from the other settings,
 * so that what is journalled and shown never holds it. No message here shows any of it.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { shellQuote } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { parseKey } from './parse-values.ts';
import { systemReason } from './profiles.ts';
import { type Origin, readSettingTexts, type SettingsInput } from './resolve-settings.ts';
import { settingProblem } from './setting-table.ts';

/** Longest key file, in bytes. A longer one is not a key: it is the wrong file. */
const FILE_LIMIT = 65_536;

export interface ResolvedKey {
  /** Cleaned, ready for the header. Absent where there is none: the caller asks for it, or fails. */
  readonly key?: string;
  readonly origin?: Origin;
  /** About the key's file alone; the settings file's own warnings come from resolveSettings. */
  readonly warnings: readonly Problem[];
}

/**
 * The key, from the first origin that has one.
 *
 * @throws ProblemError `settings.key` where it is no key, `settings.key_file` where its file cannot be read,
 *   `settings.profile` where a named profile does not exist
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
 * The key in a pasted text.
 *
 * @param where whence it came, for the message
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
    const { mode, isFile } = await factsOf(path);
    const bytes = await readBounded(path);
    if (bytes.length > FILE_LIMIT) {
      throw new ProblemError({
        code: 'settings.key_file',
        message: `The key file ${path} is larger than ${FILE_LIMIT} bytes: expected a file that contains only the key.`,
        where,
      });
    }
    return { text: decode(bytes), warnings: isFile ? modeWarnings(path, mode) : [] };
  } catch (error) {
    throw new ProblemError({
      code: 'settings.key_file',
      message: `Cannot read the key file ${path}: ${systemReason(error)}.`,
      where,
      hint: 'Pass a file that contains only the key, on one line.',
    });
  }
}

async function factsOf(path: string): Promise<{ readonly mode: number; readonly isFile: boolean }> {
  const stats = await stat(path);
  return { mode: stats.mode & 0o777, isFile: stats.isFile() };
}

/** Not readFile: the file may be a pipe, as in `--api-key-file <(vault …)`, or have no end. */
async function readBounded(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: FILE_LIMIT })) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** UTF-8, or the UTF-16 that `echo KEY > file` makes in Windows PowerShell. */
function decode(bytes: Buffer): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

function modeWarnings(path: string, mode: number): readonly Problem[] {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  return [
    {
      code: 'settings.mode',
      message: `Other users of this machine can access the key file: its mode is ${mode.toString(8).padStart(4, '0')}, expected 0600.`,
      where: path,
      hint: `Run \`chmod 600 ${shellQuote(path, 'posix')}\`.`,
    },
  ];
}
