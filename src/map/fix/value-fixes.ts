/** Value tables for a closed list: synonyms in several languages, misspellings, and last "other". */
import type { Field } from '../../contract/index.ts';
import { nearest } from '../../lib/nearest.ts';
import { enumSynonym } from '../discover/enum-values.ts';
import { type ColumnMapping, columnOf, type FieldFix } from './field-fix.ts';

/** A column with more distinct values is not a list of kinds. */
const MAX_VALUES = 200;

/** The API's own value for everything else. */
const OTHER = 'other';

export function valueFixes(field: Field, mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const distinct = [...new Set(texts.map((text) => text.trim()))];
  if (distinct.length > MAX_VALUES) return [];
  const similar = new Map(
    distinct.flatMap((text) => {
      const value = similarValue(field, text);
      return value === undefined ? [] : [[text, value] as const];
    }),
  );
  const before = 'values' in mapping ? mapping : undefined;
  const fix = (entries: ReadonlyMap<string, string>, why: string): FieldFix => ({
    mapping: {
      ...columnOf(mapping),
      values: { ...before?.values, ...Object.fromEntries(entries) },
      ...(before?.otherwise === undefined ? {} : { otherwise: before.otherwise }),
    },
    why,
  });
  if (similar.size > 0) return [fix(similar, 'these words mean an allowed value, or are similar to one')];
  if (!field.kind.values?.includes(OTHER)) return [];
  return [fix(new Map(distinct.map((text) => [text, OTHER])), 'no allowed value is similar, and the API has "other"')];
}

/** The allowed value that a text, or words in it, stand for. */
function similarValue(field: Field, text: string): string | undefined {
  const whole = enumSynonym(field, text);
  if (whole !== undefined) return whole;
  const words = text.split(/[\s/,;:()|_-]+/u).filter((word) => word !== '');
  for (let size = Math.min(3, words.length - 1); size > 0; size -= 1) {
    const found = new Set<string>();
    for (let at = 0; at + size <= words.length; at += 1) {
      const value = enumSynonym(field, words.slice(at, at + size).join(' '));
      if (value !== undefined) found.add(value);
    }
    const [only] = found;
    if (only !== undefined && found.size === 1) return only;
    if (found.size > 1) return undefined;
  }
  // "other" is in "brother", and fits everything anyway.
  return nearest(
    text,
    (field.kind.values ?? []).filter((value) => value !== OTHER),
  );
}
