/**
 * Proposes mappings of one field for values that its mapping refuses. Each is a candidate: plan/fix/fix-proposer.ts tries it on
 * the rejected rows, and offers only what repairs some. Pure.
 */
import type { Field } from '../../contract/index.ts';
import type { FieldMapping } from '../document-schema.ts';
import { dateFixes } from './date-fixes.ts';
import type { ColumnMapping, FieldFix } from './field-fix.ts';
import { numberFixes } from './number-fixes.ts';
import { valueFixes } from './value-fixes.ts';

/** Values of one field that its mapping or the contract refuses. */
export interface RefusedValues {
  readonly field: Field;
  readonly mapping: FieldMapping;
  /** Distinct values, as in the input. */
  readonly values: readonly unknown[];
}

/** Members of an object that may be the text that was meant, the likeliest first. */
const TEXT_KEYS = ['name', 'title', 'text', 'value', 'label', 'url', 'domain', 'display_name', 'displayName'];

/** The likeliest first. None for a field that is not made from one column. */
export function proposeFieldFixes({ field, mapping, values }: RefusedValues): readonly FieldFix[] {
  if (!('column' in mapping)) return [];
  const texts = values.filter((value) => typeof value === 'string');
  const nested = values.filter((value) => typeof value === 'object' && value !== null);
  if (nested.length > texts.length) return nestedFixes(mapping, nested);
  const as = 'as' in mapping ? mapping.as : undefined;
  const { name } = field.kind;
  if (name === 'enum' && as === undefined) return valueFixes(field, mapping, texts);
  if (name === 'date-time' || as === 'date') return dateFixes(mapping, texts);
  if (name === 'integer' || name === 'number' || as === 'number') return numberFixes(mapping, texts);
  return [];
}

/** `company` is an object: its name is at `company.name`. */
function nestedFixes(mapping: ColumnMapping, values: readonly object[]): readonly FieldFix[] {
  const keys = new Set(
    values.flatMap((value) => Object.entries(value).flatMap(([key, member]) => textKey(key, member))),
  );
  const likely = [...TEXT_KEYS.filter((key) => keys.has(key)), ...[...keys].filter((key) => !TEXT_KEYS.includes(key))];
  return likely.slice(0, TEXT_KEYS.length).map((key) => ({
    mapping: { ...mapping, column: `${mapping.column}.${key}` },
    why: `${mapping.column} is an object, and ${key} is its text`,
  }));
}

function textKey(key: string, member: unknown): readonly string[] {
  return typeof member === 'string' || typeof member === 'number' ? [key] : [];
}
