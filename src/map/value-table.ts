/**
 * `values`: a table from input values to sent values. Keys match exactly first, then without regard to case and surrounding
 * spaces. A value that the field allows as it is needs no entry. The key "" matches an empty cell, to which `otherwise` does not apply.
 */

import { formatList } from './column-match.ts';
import { type Convert, TransformError } from './transform-error.ts';

type Target = string | number;

/** Keys named in an issue. */
const KEYS_SHOWN = 12;

export interface ValueTable {
  readonly convert: Convert;
  /** The value for an empty cell. */
  readonly empty: Target | undefined;
}

export function valueTable(
  values: Readonly<Record<string, Target>>,
  otherwise: Target | undefined,
  known: (text: string) => unknown = () => undefined,
): ValueTable {
  const exact = new Map<string, Target>(Object.entries(values));
  const folded = new Map<string, Target | undefined>();
  for (const [key, target] of exact) {
    const fold = key.trim().toLowerCase();
    // Keys that differ only in case and have different targets match only exactly.
    folded.set(fold, folded.has(fold) && folded.get(fold) !== target ? undefined : target);
  }
  const keys = [...exact.keys()].filter((key) => key !== '');
  const expected = keys.length === 0 ? 'an empty cell' : `one of ${formatList(keys, '"', KEYS_SHOWN)}`;
  return {
    empty: exact.get(''),
    convert: (value) => {
      if (typeof value === 'object') return new TransformError('type', value, expected);
      const text = String(value);
      return (
        exact.get(text) ??
        folded.get(text.trim().toLowerCase()) ??
        otherwise ??
        (known(text) === undefined ? undefined : text) ??
        new TransformError('value', value, expected, 'add it to `values` in the mapping, or add an `otherwise`')
      );
    },
  };
}
