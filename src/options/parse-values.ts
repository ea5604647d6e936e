/**
 * Parses the texts of settings and command options. Pure. An issue says what was expected, and the caller adds where
 * the text came from. Issues never contain the text of a secret.
 */
import { isIP } from 'node:net';
import path from 'node:path';
import { contracts, recordTypes } from '../contract/index.ts';
import { cut, FOUND_LIMIT } from '../lib/text.ts';
import { DAY_MS } from '../lib/units.ts';
import { isLoopback, parseUrl } from '../lib/url.ts';

export interface ParseIssue {
  /** Ends the sentence "expected …". */
  readonly expected: string;
  /** Absent if it may contain a secret. */
  readonly found?: string | undefined;
  readonly hint?: string | undefined;
}

export type Parsed<T> = { readonly value: T } | { readonly issue: ParseIssue };

export interface Parser<T> {
  (text: string, options?: ParseOptions): Parsed<T>;
  readonly allowed?: string;
}

export interface ParseOptions {
  readonly allowHttp?: boolean | undefined;
}

/** For a prompt: why a text is not accepted. */
export function checkOf(parse: (text: string) => Parsed<unknown>): (text: string) => string | undefined {
  return (text) => {
    const parsed = parse(text);
    if ('value' in parsed) return undefined;
    const { expected, hint } = parsed.issue;
    return `Expected ${expected}.${hint === undefined ? '' : ` ${hint}`}`;
  };
}

function withAllowed<T>(parse: (text: string) => Parsed<T>, allowed: string): Parser<T> {
  return Object.assign(parse, { allowed });
}

/** At most `count` requests in any `perMs` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

interface Range {
  readonly min: string;
  readonly max: string;
}

/** The smallest units in one of each unit, by the unit's name in lower case. */
type Units = ReadonlyMap<string, number>;

const RATE_UNITS: Units = new Map(Object.entries({ s: 1000, m: 60_000, h: 3_600_000 }));
const DURATION_UNITS: Units = new Map([...RATE_UNITS, ['', 1000], ['ms', 1], ['d', DAY_MS]]);
const SIZE_UNITS: Units = new Map(
  Object.entries({ '': 1, b: 1, kb: 1e3, kib: 2 ** 10, mb: 1e6, mib: 2 ** 20, gb: 1e9, gib: 2 ** 30 }),
);

/** Highest count of a rate. No network is fast enough for a higher one to have an effect. */
const MAX_RATE_COUNT = 1_000_000;

/** In characters. Servers commonly accept 8 KiB of headers, so a longer text is the wrong file. */
const MAX_KEY_LENGTH = 4096;

/** Milliseconds: `30s`, `500ms`, `5m`, `1h`, `30d`; a bare number is seconds. Fractions are rounded. */
export function duration(range: Range): Parser<number> {
  return inRange(range, DURATION_UNITS, 'a duration', '30s, 500ms or 5m');
}

/** Bytes: `1000`, `500KB`, `1MiB`: KB is 1,000 bytes and KiB is 1,024. */
export function size(range: Range): Parser<number> {
  return inRange(range, SIZE_UNITS, 'a size', '500KB or 1MiB');
}

function inRange(range: Range, units: Units, what: string, examples: string): Parser<number> {
  const min = parseWithUnit(range.min, units) ?? 0;
  const max = parseWithUnit(range.max, units) ?? 0;
  return withAllowed((text) => {
    const value = parseWithUnit(text, units);
    if (value !== undefined && value >= min && value <= max) return { value };
    return issue(text, `${what} from ${range.min} to ${range.max}, such as ${examples}`);
  }, `${range.min} to ${range.max}`);
}

/** `10/s`, `600/m`, `36000/h`: requests. A bare number is per second (docs/reference.md, "Options of upload"). */
export const parseRate: Parser<Rate> = (text) => {
  const match = /^(\d+)\s*(?:\/\s*([smh]))?$/i.exec(text.trim());
  const count = Number(match?.[1]);
  const perMs = RATE_UNITS.get(match?.[2]?.toLowerCase() ?? 's');
  if (match !== null && perMs !== undefined && count >= 1 && count <= MAX_RATE_COUNT) {
    return { value: { count, perMs } };
  }
  return issue(text, 'a whole number of requests per second, minute or hour, such as 10/s, 30/m or 36000/h');
};

export function parseCount(min: number, max: number): Parser<number> {
  return withAllowed(
    (text) => {
      const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? { value } : issue(text, `a whole number from ${min} to ${max}`);
    },
    max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
  );
}

export function parseChoice<const T extends string>(values: readonly T[]): Parser<T> {
  return withAllowed((text) => {
    const given = text.trim().toLowerCase();
    const value = values.find((known) => known === given);
    return value === undefined ? issue(text, `one of ${values.join(', ')}`) : { value };
  }, values.join(', '));
}

export const parseSwitch: Parser<boolean> = withAllowed((text) => {
  const given = text.trim().toLowerCase();
  if (['yes', 'true', 'on', '1'].includes(given)) return { value: true };
  return ['no', 'false', 'off', '0'].includes(given) ? { value: false } : issue(text, 'yes or no');
}, 'yes, no');

/** The number of `5%`, if it is one up to 100. */
export function parsePercent(text: string): number | undefined {
  const percent = Number(/^(\d+(?:\.\d+)?)%$/.exec(text.trim())?.[1]);
  return percent <= 100 ? percent : undefined;
}

/** As in curl's `--resolve`. */
export interface Resolve {
  readonly host: string;
  readonly address: string;
}

export const parseResolve: Parser<Resolve> = (text) => {
  const [, host = '', ip = ''] = /^([^:]+:\d+):(.+)$/.exec(text.trim()) ?? [];
  const address = ip.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0
    ? issue(text, 'HOST:PORT:ADDRESS, such as api.example.com:443:10.0.0.7')
    : { value: { host: host.toLowerCase(), address } };
};

export const parseFolder: Parser<string> = (text) => (isPath(text) ? { value: text } : issue(text, 'a folder name'));

/** The absolute path of a file. */
export const parseFile: Parser<string> = (text) =>
  isPath(text) ? { value: path.resolve(text) } : issue(text, 'a file name');

function isPath(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0');
}

export const parseProxy = urlOf(/^https?:$/, 'the URL of an HTTP proxy, such as http://proxy.example:3128');
export const parseRateStore = urlOf(
  /^rediss?:$/,
  'a Redis URL, such as redis://redis.example:6379 or rediss:// for TLS',
);

/** A URL that may contain a password, so issues do not show it. */
function urlOf(protocol: RegExp, expected: string): Parser<string> {
  return (text) => {
    const url = parseUrl(text.trim());
    const isValid = url !== undefined && protocol.test(url.protocol) && url.hostname !== '';
    return isValid ? { value: url.href } : issue(undefined, expected);
  };
}

export function hasPassword(url: string): boolean {
  return (parseUrl(url)?.password ?? '') !== '';
}

/** The same URL for a message: `http://user:***@proxy.example`. */
export function hidePassword(text: string): string {
  const url = parseUrl(text);
  if (url === undefined || url.password === '') return text;
  url.password = '***';
  return url.href;
}

/**
 * The base URL of the service, without a trailing slash. Spaces, `/v1` and a pasted API path are removed. A URL may contain a
 * password or a token, so issues show only its scheme and host.
 *
 * @param options.allowHttp accepts http:// for hosts other than loopback, although the key is then sent unencrypted
 */
export function parseBaseUrl(text: string, options: ParseOptions = {}): Parsed<string> {
  const given = text.trim();
  // Only a bare host and path are shown: anything else may be a key pasted into the wrong place.
  if (/^([\w-]+\.){1,8}[a-z]{2,18}(:\d+)?(\/[\w./-]{0,40})?$|^localhost\b[\w:./-]{0,40}$/i.test(given)) {
    return issue(given, 'a URL that starts with https://', `Use \`https://${given}\`.`);
  }
  // The URL parser silently drops line breaks and tabs: a text that contains them was pasted incorrectly.
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(given) ? parseUrl(given) : undefined;
  if (url === undefined || url.hostname === '') {
    return issue(given === '' ? given : undefined, 'a URL such as https://api.example.com');
  }
  const { protocol, host, hostname, username, password, pathname } = url;
  const origin = `${protocol}//${host}`;
  if (username !== '' || password !== '' || /[?#]/.test(given)) {
    return issue(
      undefined,
      `a URL without user name, password, query or fragment; the one for ${host} has one of them`,
      `Use \`${origin}\`, and pass the key with SIGNALS_API_KEY, --api-key-file or \`config set api_key\`.`,
    );
  }
  if (protocol === 'http:' && options.allowHttp !== true && !isLoopback(hostname)) {
    return issue(
      origin,
      'https://, because http:// sends the key unencrypted',
      `Use \`https://${host}\`. If the service has no https, add --allow-http.`,
    );
  }
  return { value: `${origin}${prefixOf(pathname)}` };
}

/**
 * An API key. Removes what is often pasted with it: a BOM, spaces, line breaks, quotes, `Authorization:`, `Bearer `.
 * The rest goes into a header (interface.md, "Authentication"), so it must be printable ASCII without spaces.
 */
export const parseKey: Parser<string> = (text) => {
  const value = stripWrapping(text);
  const refuse = (found: string, hint?: string) => issue(undefined, `an API key; the given one ${found}`, hint);
  if (value === '') return refuse('is empty');
  if (value.length > MAX_KEY_LENGTH) {
    return refuse(`is longer than ${MAX_KEY_LENGTH} characters`, 'Give only the key.');
  }
  if (/^[\x21-\x7e]+$/.test(value)) return { value };
  const hint = 'Copy the key again from its source, on one line: an editor may have changed its dashes or quotes.';
  return refuse('contains spaces, line breaks or characters that are not printable ASCII', hint);
};

function stripWrapping(text: string): string {
  let value = text;
  for (;;) {
    // trim() also removes a BOM and no-break spaces.
    const next = value
      .trim()
      .replace(/^(["'`])(.*)\1$/s, '$2')
      .replace(/^authorization\s*:/i, '')
      .replace(/^bearer(?:\s+|$)/i, '');
    if (next === value) return value;
    value = next;
  }
}

/** The path before the API's own, without trailing slashes. */
function prefixOf(pathname: string): string {
  const path = pathname.replace(/\/+$/, '');
  const ends = [...recordTypes.map((type) => contracts[type].path), '/v1'];
  const end = ends.find((known) => path.endsWith(known));
  return end === undefined ? path : prefixOf(path.slice(0, -end.length));
}

function parseWithUnit(text: string, units: Units): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = units.get(match?.[2]?.toLowerCase() ?? '');
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

/** @param found must not contain a secret; undefined if it may */
export function issue(found: string | undefined, expected: string, hint?: string): { readonly issue: ParseIssue } {
  return { issue: { found: found === undefined ? undefined : cut(found.trim(), FOUND_LIMIT), expected, hint } };
}
