/** What every room does with texts in the same way. Pure, and here because the model is what every room may import. */

/** What was thrown, in words: an error's message, or whatever else it was as a text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * At most `limit` characters (UTF-16 units) of a text; `mark` stands at the end where something was cut, and
 * counts. No surrogate pair is torn.
 */
export function cut(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text;
  const length = limit - mark.length;
  const last = text.charCodeAt(length - 1);
  const tears = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, tears ? length - 1 : length)}${mark}`;
}
