/** Patterns of meanings for headers. Those of fields, which exclude all other meanings, are in field-headers.ts. */
import type { Meanings } from './header-words.ts';

export type HeaderMatcher = (header: Meanings) => boolean;

/**
 * Whether a header has all meanings of one of the patterns: `deal name|size, comment text !reply, =stage`. `!` excludes one
 * meaning, and `=` all other meanings and words.
 */
export function headerMatcher(patterns: string): HeaderMatcher {
  const alternatives = patterns.split(', ').map((pattern) => ({
    exact: pattern.startsWith('='),
    parts: pattern.replace('=', '').split(' '),
  }));
  return ({ known, precise, unknown }) =>
    alternatives.some(
      ({ exact, parts }) =>
        (!exact || (known.size === parts.length && unknown.length === 0)) &&
        parts.every((part) =>
          part.startsWith('!') ? !precise.has(part.slice(1)) : part.split('|').some((each) => precise.has(each)),
        ),
    );
}
