/**
 * Text to value, for settings and for the options of commands. Pure: nothing here knows where the text came from,
 * so a fault says what was expected, and the caller adds where. No fault ever holds the text of a secret.
 */

import { contracts, recordTypes } from '../contract/index.ts';
import { FOUND_LIMIT } from '../lib/excerpt.ts';
import { isLoopback } from '../lib/loopback.ts';
import { cut } from '../lib/text.ts';

/** What is wrong with a text. */
export interface ParseIssue {
  /** Ends the sentence "expected …". */
  readonly expected: string;
  /** What was found, cut at {@link FOUND_LIMIT}. Absent where it may hold a secret. */
  readonly found?: string;
  /** What to do about it, in a sentence. */
  readonly hint?: string;
}

export type Parsed<T> = { readonly value: T } | { readonly issue: ParseIssue };

export type Parser<T> = (text: string) => Parsed<T>;

/** At most `count` requests in any `perMs` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ['', SECOND],
  ['ms', 1],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', 24 * HOUR],
]);

const SIZE_UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1000],
  ['kib', 1024],
  ['mb', 1000 ** 2],
  ['mib', 1024 ** 2],
  ['gb', 1000 ** 3],
  ['gib', 1024 ** 3],
]);

const RATE_UNITS: ReadonlyMap<string, number> = new Map([
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);

/** Highest count of a rate: beyond it, a limit is no limit on any network. */
const RATE_MOST = 1_000_000;

/** Longest key, in characters: servers commonly take 8 KiB of headers, and a longer text is another file. */
const KEY_MOST = 4096;

/**
 * `30s`, `500ms`, `5m`, `1h`, `30d`; a bare number is seconds. Fractions are taken, and rounded to milliseconds.
 *
 * @param range the least and the most that is allowed, as text, both included
 * @returns milliseconds
 */
export function duration(range: { least: string; most: string }): Parser<number> {
  const least = parseWithUnit(range.least, DURATION_UNITS) ?? 0;
  const most = parseWithUnit(range.most, DURATION_UNITS) ?? 0;
  return (text) => {
    const value = parseWithUnit(text, DURATION_UNITS);
    return value !== undefined && value >= least && value <= most
      ? { value }
      : issue(text, `a duration from ${range.least} to ${range.most}, such as 30s, 500ms or 5m`);
  };
}

/**
 * `1000`, `500KB`, `1MiB`: KB is 1,000 bytes and KiB is 1,024. A bare number is bytes.
 *
 * @param range the least and the most that is allowed, as text, both included
 * @returns bytes
 */
export function size(range: { least: string; most: string }): Parser<number> {
  const least = parseWithUnit(range.least, SIZE_UNITS) ?? 0;
  const most = parseWithUnit(range.most, SIZE_UNITS) ?? 0;
  return (text) => {
    const value = parseWithUnit(text, SIZE_UNITS);
    return value !== undefined && value >= least && value <= most
      ? { value }
      : issue(text, `a size from ${range.least} to ${range.most}, such as 500KB or 1MiB`);
  };
}

/** `10/s`, `600/m`, `36000/h`: requests. A bare number is a second's (cli.md, "Options of upload"). */
export const parseRate: Parser<Rate> = (text) => {
  const match = /^(\d+)\s*(?:\/\s*([smh]))?$/i.exec(text.trim());
  const count = Number(match?.[1]);
  const perMs = RATE_UNITS.get(match?.[2]?.toLowerCase() ?? 's');
  if (match !== null && perMs !== undefined && count >= 1 && count <= RATE_MOST) {
    return { value: { count: count, perMs } };
  }
  return {
    issue: {
      ...found(text),
      expected: 'a number of requests per second, minute or hour, such as 10/s, 600/m or 36000/h',
      ...(/^\d*\.\d+/.test(text.trim())
        ? { hint: 'For a slow rate, use a longer unit: 30/m is one request every two seconds.' }
        : {}),
    },
  };
};

/** A whole number in a range, both ends included. */
export function count(least: number, most: number): Parser<number> {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? { value }
      : issue(text, `a whole number from ${least} to ${most}`);
  };
}

/** One of a closed list, without regard to case. */
export function choice<T extends string>(values: readonly T[]): Parser<T> {
  return (text) => {
    const given = text.trim().toLowerCase();
    const value = values.find((known) => known === given);
    return value === undefined ? issue(text, `one of ${values.join(', ')}`) : { value };
  };
}

/** The name of a folder, as it was written. Only nothing at all is no folder. */
export const parseFolder: Parser<string> = (text) =>
  text.trim() === '' || text.includes('\0') ? issue(text, 'a folder name') : { value: text };

/**
 * The address of the service, to which the interface's paths are added. What people paste is taken off: blanks,
 * slashes at the end, `/v1`, and a whole path of the interface. The result has no slash at its end.
 *
 * An address may carry a password or a token: problems show no more of it than scheme and host.
 *
 * @param options.allowHttp http:// is else refused for hosts other than loopback, because the key would travel in
 *   the clear (cli.md, "Commands")
 */
export function parseBaseUrl(text: string, options: { allowHttp?: boolean } = {}): Parsed<string> {
  const given = text.trim();
  if (given === '') return issue(text, 'a URL such as https://api.example.com');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    // Only what looks like a bare host and path is shown: anything else may be a key pasted into the wrong place.
    return /^([\w-]+\.){1,8}[a-z]{2,18}(:\d+)?(\/[\w./-]{0,40})?$|^localhost\b[\w:./-]{0,40}$/i.test(given)
      ? issue(given, 'a URL that starts with https://', `Use https://${given}.`)
      : { issue: { expected: 'a URL that starts with https://' } };
  }
  const url = hasBlankOrControl(given) ? undefined : urlOf(given);
  if (url === undefined || url.hostname === '') {
    return {
      issue: { expected: 'a URL such as https://api.example.com; the given text is not a URL' },
    };
  }
  const place = `${url.protocol}//${url.host}`;
  if (scheme !== 'https' && scheme !== 'http') {
    return issue(`${scheme}://`, 'a URL that starts with https://');
  }
  if (url.username !== '' || url.password !== '') {
    return {
      issue: {
        expected: `a URL without a user name or password; the one for ${url.host} has one`,
        hint: `Use ${place}, and give the key by SIGNALS_API_KEY, --api-key-file or \`config set api_key\`.`,
      },
    };
  }
  if (/[?#]/.test(given)) {
    return {
      issue: {
        expected: `a URL without a query or fragment; the one for ${url.host} has one`,
        hint: 'Remove everything from the ? or # on.',
      },
    };
  }
  if (scheme === 'http' && options.allowHttp !== true && !isLoopback(url.hostname)) {
    return {
      issue: {
        found: place,
        expected: 'https://, because http:// sends the key unencrypted',
        hint: `Use https://${url.host}. If the service has no https, add --allow-http.`,
      },
    };
  }
  return { value: `${place}${prefixOf(url.pathname)}` };
}

/**
 * An API key as people paste it: without a BOM, blanks, line ends, quotes, `Authorization:` and `Bearer `.
 * What is left goes into a header (interface.md, "Authentication"), so it must be printable ASCII without blanks.
 */
export const parseKey: Parser<string> = (text) => {
  const value = stripWrapping(text);
  if (value === '') return { issue: { expected: 'an API key; the given one is empty' } };
  if (/\s/u.test(value)) {
    return {
      issue: {
        expected: 'an API key; the given one contains spaces or line breaks',
        hint: 'Give only the key, on one line.',
      },
    };
  }
  if (value.length > KEY_MOST) {
    return {
      issue: {
        expected: `an API key; the given one is longer than ${KEY_MOST} characters`,
        hint: 'Give only the key.',
      },
    };
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    return {
      issue: {
        expected: 'an API key of printable ASCII characters; the given one contains others',
        hint: 'Copy the key again from its source: an editor may have changed its dashes or quotes.',
      },
    };
  }
  return { value };
};

/** Takes off, again and again, what surrounds a pasted key. */
function stripWrapping(text: string): string {
  let value = text;
  for (;;) {
    // trim() also takes a BOM and no-break spaces off.
    const next = value
      .trim()
      .replace(/^(["'`])(.*)\1$/s, '$2')
      .replace(/^authorization\s*:/i, '')
      .replace(/^bearer(?:\s+|$)/i, '');
    if (next === value) return value;
    value = next;
  }
}

/** The path before the interface's own, without slashes at the end. */
function prefixOf(pathname: string): string {
  const path = pathname.replace(/\/+$/, '');
  const ends = [...recordTypes.map((type) => contracts[type].path), '/v1'];
  const end = ends.find((known) => path.endsWith(known));
  return end === undefined ? path : path.slice(0, -end.length).replace(/\/+$/, '');
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The URL parser drops line ends and tabs in silence; an address that holds any was pasted wrongly. */
function hasBlankOrControl(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/** A decimal number with a unit, rounded to a whole one of the smallest unit. */
function parseWithUnit(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = units.get(match?.[2]?.toLowerCase() ?? '');
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

function issue(text: string, expected: string, hint?: string): { readonly issue: ParseIssue } {
  return { issue: { ...found(text), expected, ...(hint === undefined ? {} : { hint }) } };
}

function found(text: string): { readonly found: string } {
  return { found: cut(text.trim(), FOUND_LIMIT) };
}
