/** What was found, for an issue: bounded, and never a whole record. */
import { cut } from './text.ts';

/** Longest excerpt of an input's value, in characters. */
export const FOUND_LIMIT = 80;

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
