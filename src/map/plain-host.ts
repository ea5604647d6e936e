/**
 * Extracts the host from a plain URL, host name or e-mail address: `https://www.acme.com/about`, `acme.com`,
 * `info@acme.com`. Faster than tldts for these, with the same result (test/map/domains.test.ts). Pure.
 *
 * A plain host is lower-case ASCII with labels as in RFC 1123. No label is Punycode, and the last one begins with a letter,
 * so it is no IP address. After `http://` or `https://` and the host, everything is the path; without a scheme, a colon
 * makes the text ambiguous, and tldts decides.
 */

export interface PlainHost {
  readonly host: string;
  /** Whether it is that of an e-mail address, and nothing else is in the text. */
  readonly address: boolean;
}

const MOST_LABEL = 63;
/** One less than of RFC 1035, for the dot at the end. */
const MOST_HOST = 253;

/** Undefined where the text has not the plainest form. */
export function plainHost(text: string): PlainHost | undefined {
  const web = schemeEnd(text);
  /** Where the host and its label in hand begin, and where it ends. */
  let start = web;
  let label = web;
  let end = text.length;
  let address = false;
  /** Of what was seen so far, some may stand before an "@" alone. */
  let local = false;
  for (let at = web; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) continue;
    if (code === DOT) {
      if (!isLabel(text, label, at)) return undefined;
      label = at + 1;
    } else if (code === HYPHEN) {
      if (at === label) return undefined;
    } else if (code === SLASH || code === QUESTION || code === HASH) {
      if (address || (web === 0 && text.includes(':', at))) return undefined;
      end = at;
    } else if (code === AT) {
      if (address || at === 0 || web > 0) return undefined;
      address = true;
      local = false;
      start = at + 1;
      label = start;
    } else if (code === PLUS || code === UNDERSCORE) {
      local = true;
    } else {
      return undefined;
    }
  }
  if (local || label === start || !isLabel(text, label, end) || end - start > MOST_HOST) return undefined;
  if (text.charCodeAt(label) <= NINE) return undefined;
  const host = text.slice(start, end);
  return host.includes('xn--') ? undefined : { host, address };
}

const PLUS = 0x2b;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const NINE = 0x39;
const QUESTION = 0x3f;
const HASH = 0x23;
const AT = 0x40;
const UNDERSCORE = 0x5f;

/** The index behind `http://` and `https://`; 0 where the text begins with none. */
function schemeEnd(text: string): number {
  if (text.startsWith('https://')) return 'https://'.length;
  return text.startsWith('http://') ? 'http://'.length : 0;
}

/** Of letters, digits and hyphens, none of which is the first, as is known. */
function isLabel(text: string, start: number, end: number): boolean {
  return end > start && end - start <= MOST_LABEL && text.charCodeAt(end - 1) !== HYPHEN;
}
