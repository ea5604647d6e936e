/** Small functions of text: cut, list, escape, compare; and what becomes of an exception. */
import { count } from './units.ts';

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether the operating system refused a call, as a failing disk does: it is no bug. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown;
}

export const LINE_FEED = 0x0a;

/** Undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.some((code) => code === thrown.code);
}

/** Cuts a text to at most `limit` UTF-16 units, including the final `mark`. Does not split a surrogate pair. */
export function cut(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text;
  const length = limit - mark.length;
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splitsPair ? length - 1 : length)}${mark}`;
}

/** An error that ends in the body of an answer. Of a body, which takes lines, its own message if it has one; of a page or a receipt, nothing. */
export function briefAnswer(error: string): string {
  const [, message] = /"(?:message|error|detail)":"([^"]+)"/.exec(error) ?? [];
  if (message === undefined) return error.replace(/: *(?:<|\{"success":true).*$/s, '');
  return error.replace(/: *[{<[].*$/s, () => `: ${message}`);
}

/** `"Company", "Website" and "Kind"`. Names above the limit are only counted. */
export function formatList(names: readonly string[], quote = '"', limit = 30): string {
  const shown = names.slice(0, limit).map((name) => `${quote}${name}${quote}`);
  const rest = names.length - shown.length;
  if (rest > 0) shown.push(`${count(rest)} more`);
  const last = shown.pop();
  if (last === undefined) return 'none';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** Index after the JSON string that begins at `start`, or the text's length if it does not end. */
export function jsonStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '"') return at + 1;
  }
  return text.length;
}

/**
 * Calls `visit` with each brace, bracket and comma of a JSON text that is not in a string, with its index and with the number of
 * objects and arrays that it is in; a closing one is in what it closes.
 */
export function walkJson(text: string, visit: (mark: string, at: number, depth: number) => void): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = jsonStringEnd(text, at) - 1;
    else if ('{}[],'.includes(character)) {
      visit(character, at, depth);
      if (character === '{' || character === '[') depth += 1;
      else if (character !== ',') depth -= 1;
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Whether a text contains another as whole words, ignoring case and accents: `Acme` is in `ACME, Inc.` and in `www.acme.com`, and
 * not in `Acmeter`; `Muller` is in `Müller`.
 */
export function wordMatcher(wanted: string): (text: string) => boolean {
  const needle = withoutAccents(wanted.toLowerCase());
  const isWord = /[\p{L}\p{N}_]/u;
  const before = isWord.test(needle.slice(0, 1)) ? '(?<![\\p{L}\\p{N}_])' : '';
  const after = isWord.test(needle.slice(-1)) ? '(?![\\p{L}\\p{N}_])' : '';
  const pattern = new RegExp(`${before}${needle.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}${after}`, 'u');
  return (text) => {
    const lower = withoutAccents(text.toLowerCase());
    return lower.includes(needle) && pattern.test(lower);
  };
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', đ: 'd', ł: 'l', ı: 'i', æ: 'ae', œ: 'oe' };

function withoutAccents(lower: string): string {
  if (!/[^\0-\x7f]/.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßøđłıæœ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

export const FOUND_LIMIT = 80;

/** Undefined if the text is not JSON. A byte order mark is ignored, as RFC 8259, 8.1, allows. */
export function parseJson(text: string): unknown {
  return attempt(() => JSON.parse(text.replace(/^\uFEFF/, '')));
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text, cut at {@link FOUND_LIMIT} characters and not escaped, or a description of another JSON value. */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') return cut(value, FOUND_LIMIT);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isObject(value)) return 'an object';
  return String(value);
}

/** Words that exports write for "no value", in lower case. */
const WORDS: ReadonlySet<string> = new Set(
  'null,(null),<null>,nil,none,(none),nan,n/a,#n/a,n.a.,n.a,na,n.v.t.,k.a.,keine angabe,s/o,n.d.,nd,-,--,---,–,—,.,?,\\n,undefined,(blank),(empty),(not set),tbd,tba,not available,not applicable,not specified,not disclosed,undisclosed,keine angaben,nicht verfügbar,non renseigné,non communiqué,nc,no disponible,no revelado,sin datos,non disponibile,non divulgato,não informado,não divulgado,brak,brak danych,onbekend,ej offentligt,açıklanmadı,なし,未設定,非公開,未公開,无,暂无,未透露,未披露,없음,비공개'.split(
    ',',
  ),
);
/** Whether a text means an empty cell, such as `NULL`, `N/A` or `-`. It may still be a value: `NA` is a country. */
export function isPlaceholder(text: string): boolean {
  return WORDS.has(text.trim().toLowerCase());
}

/** `10-Jan`, `11. Nov`, `Jan-50`: what a spreadsheet makes of 1-10, 11-11 and 1-50. */
export function isSpreadsheetDate(text: string): boolean {
  return /^(?:\d{1,2}[-. ]{1,2}MONTH|MONTH-\d{2})$/iu.test(text.trim().replace(MONTHS, 'MONTH'));
}

const MONTHS =
  /(?<!\p{L})(?:jan|feb|f[eé]v|mar|m[aä]r|mrz|apr|avr|abr|may|mai|mei|maj|mag|jun|jui|giu|jul|lug|aug|ao[uû]|ago|sep|sept|set|o[ck]t|ott|out|nov|de[czs]|d[eé]c|dic)\.?(?!\p{L})/iu;

export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
