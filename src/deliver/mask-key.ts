/** Masks the API key in every text of the service (options/api-key.ts reads it). */
import { escapeHtml } from '../lib/text.ts';
import type { AttemptResult } from '../model/outcome.ts';

export function redacted(result: AttemptResult, redact: KeyRedactor): AttemptResult {
  if (result.kind === 'failed') return { ...result, message: redact(result.message) };
  const headers = Object.entries(result.headers).map(([name, value]) => [name, redact(value)]);
  return { ...result, headers: Object.fromEntries(headers), body: redact(result.body, !result.whole) };
}

const MASK = '[API key]';

/** In characters. A shorter key could be a word of an answer, such as `success`. */
const MIN_LENGTH = 8;

/** Characters of a start of the key that are replaced at the end of truncated text. */
const MIN_START = 4;

/** `isCut`: the text is truncated, so it may end inside the key. */
export type KeyRedactor = (text: string, isCut?: boolean) => string;

/** @returns a function that replaces the key, also as base64 and escaped for a URL, JSON or HTML */
export function createKeyRedactor(key: string): KeyRedactor {
  if (key.length < MIN_LENGTH) return (text) => text;
  // Escaped twice: a JSON string may contain JSON.
  const forms = new Set([key, ...base64Forms(key)].flatMap(escapedForms).flatMap(escapedForms));
  return (text, isCut = false) => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, MASK);
    return isCut ? withoutStart(clean, forms) : clean;
  };
}

function withoutStart(text: string, forms: Iterable<string>): string {
  let longest = 0;
  for (const form of forms) {
    for (let length = form.length - 1; length >= MIN_START && length > longest; length -= 1) {
      if (text.endsWith(form.slice(0, length))) longest = length;
    }
  }
  return longest === 0 ? text : text.slice(0, -longest) + MASK;
}

/** Inside a longer text, they depend on the number of bytes before the key, modulo three. */
function base64Forms(key: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(' '.repeat(before) + key);
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64'), bytes.toString('base64url')].map((text) => text.slice(first, end));
  });
}

function escapedForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  return [
    text,
    json,
    // As PHP writes it.
    json.replaceAll('/', '\\/'),
    url,
    url.replaceAll(/%../g, (code) => code.toLowerCase()),
    escapeHtml(text),
  ];
}
