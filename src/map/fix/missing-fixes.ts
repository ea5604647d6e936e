/** What fills a required field where its column is empty: another column, or for a closed list one of its values. */
import type { Field } from '../../contract/index.ts';
import type { FieldMapping } from '../document-schema.ts';
import type { FieldFix } from './field-fix.ts';

/** @param others mappings of other columns that seem to contain the field, the likeliest first */
export function missingFixes(
  field: Field,
  mapping: FieldMapping,
  others: readonly FieldMapping[],
): readonly FieldFix[] {
  const columns = others.flatMap((other) =>
    'column' in other && !('as' in other) && !('values' in other) ? [other.column] : [],
  );
  return [
    ...columns.flatMap((column) => withColumn(mapping, column)),
    ...(field.kind.name === 'enum' ? (field.kind.values ?? []) : [])
      .toSorted((one, other) => Number(other === 'other') - Number(one === 'other'))
      .flatMap((value) => withConstant(field, mapping, value)),
  ];
}

/** The same mapping, with another column where it has no value. */
export function withColumn(mapping: FieldMapping, column: string): readonly FieldFix[] {
  const before =
    'first' in mapping ? mapping : 'column' in mapping && Object.keys(mapping).length === 1 ? mapping : undefined;
  if (before === undefined) return [];
  const first = 'first' in before ? before.first : [before.column];
  if (first.includes(column)) return [];
  return [
    {
      mapping: { ...('first' in before ? before : {}), first: [...first, column] },
      why: `${column} has a value where ${first.join(', ')} is empty`,
    },
  ];
}

/** The same mapping, with a constant where it has no value. */
export function withConstant(field: Field, mapping: FieldMapping, value: string | number): readonly FieldFix[] {
  const why = `one value for the rows without ${field.name}`;
  if ('first' in mapping) return [{ mapping: { ...mapping, otherwise: value }, why }];
  if (!('column' in mapping) || 'as' in mapping) return [];
  if (field.kind.name !== 'enum')
    return 'values' in mapping ? [] : [{ mapping: { first: [mapping.column], otherwise: value }, why }];
  return [{ mapping: { ...mapping, values: { ...('values' in mapping ? mapping.values : {}), '': value } }, why }];
}
