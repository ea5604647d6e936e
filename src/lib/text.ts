/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Cuts a text to at most `limit` UTF-16 units, including the final `mark`. Does not split a surrogate pair. */
export function cut(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text;
  const length = limit - mark.length;
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splitsPair ? length - 1 : length)}${mark}`;
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For HTML text and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Whether a text contains another as whole words, ignoring case: `Acme` is in `ACME, Inc.` and in `www.acme.com`, and not in
 * `Acmeter`.
 */
export function wordMatcher(wanted: string): (text: string) => boolean {
  const needle = wanted.toLowerCase();
  const isWord = /[\p{L}\p{N}_]/u;
  const before = isWord.test(needle.slice(0, 1)) ? '(?<![\\p{L}\\p{N}_])' : '';
  const after = isWord.test(needle.slice(-1)) ? '(?![\\p{L}\\p{N}_])' : '';
  const pattern = new RegExp(`${before}${needle.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}${after}`, 'u');
  return (text) => {
    const lower = text.toLowerCase();
    return lower.includes(needle) && pattern.test(lower);
  };
}
