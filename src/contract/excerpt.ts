/** What was found, for an issue: bounded, and never a whole record. */
import { FOUND_LIMIT } from '../model/row.ts';

/**
 * A text as it stands in the input, cut at {@link FOUND_LIMIT} characters; other JSON values in words. Escaping
 * for a screen is the business of whoever prints it.
 */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') return cut(value, FOUND_LIMIT);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The first `limit` characters, the last of them an ellipsis where something was cut. No pair is torn. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const code = text.charCodeAt(limit - 2);
  const tears = code >= 0xd800 && code <= 0xdbff;
  return `${text.slice(0, tears ? limit - 2 : limit - 1)}…`;
}
