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
  /** Whether the text is an e-mail address. */
  readonly address: boolean;
}

const MAX_LABEL = 63;
/** RFC 1035 allows one more, for the trailing dot. */
const MAX_HOST = 253;

const PLUS = 0x2b;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const NINE = 0x39;
const QUESTION = 0x3f;
const HASH = 0x23;
const AT = 0x40;
const UNDERSCORE = 0x5f;

/** Undefined if the text has another form. */
export function plainHost(text: string): PlainHost | undefined {
  const web = schemeEnd(text);
  /** Start of the host, start of the current label, and end of the host. */
  let start = web;
  let label = web;
  let end = text.length;
  let address = false;
  /** Whether a character was found that is allowed only before an "@". */
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
  if (local || label === start || !isLabel(text, label, end) || end - start > MAX_HOST) return undefined;
  if (text.charCodeAt(label) <= NINE) return undefined;
  const host = text.slice(start, end);
  return host.includes('xn--') ? undefined : { host, address };
}

/** The index after `http://` or `https://`; 0 if the text starts with neither. */
function schemeEnd(text: string): number {
  if (text.startsWith('https://')) return 'https://'.length;
  return text.startsWith('http://') ? 'http://'.length : 0;
}

/** The label has letters, digits and hyphens, and does not start with a hyphen. */
function isLabel(text: string, start: number, end: number): boolean {
  return end > start && end - start <= MAX_LABEL && text.charCodeAt(end - 1) !== HYPHEN;
}
