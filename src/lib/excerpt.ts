/** Short descriptions of values, for issues. */
import { cut } from './text.ts';

/** Longest excerpt of an input's value, in characters. */
export const FOUND_LIMIT = 80;

/** A text, cut at {@link FOUND_LIMIT} characters and not escaped, or a description of another JSON value. */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') return cut(value, FOUND_LIMIT);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
