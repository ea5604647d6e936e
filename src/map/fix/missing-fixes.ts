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
  return [
    ...others.flatMap((other) => withOther(mapping, other)),
    ...(field.kind.name === 'enum' ? (field.kind.values ?? []) : [])
      .toSorted((one, other) => Number(other === 'other') - Number(one === 'other'))
      .flatMap((value) => withConstant(field, mapping, value)),
  ];
}

/** Another column, if it needs no other transform than the first. */
function withOther(mapping: FieldMapping, other: FieldMapping): readonly FieldFix[] {
  if (!('column' in other) || 'values' in other) return [];
  if (!('as' in other)) return withColumn(mapping, other.column);
  // Of an address such as ann@acme.com, only the domain is meant; a domain stays a domain.
  return other.as === 'domain' ? withColumn(mapping, other.column, 'domain') : [];
}

/** The same mapping, with another column where it has no value. */
export function withColumn(mapping: FieldMapping, column: string, as?: 'domain'): readonly FieldFix[] {
  const before = columnsBefore(mapping);
  if (before === undefined || before.first.includes(column)) return [];
  const first = before.first.join(', ');
  const why = `${column} has a value where ${first} has none`;
  return [{ mapping: { ...before, first: [...before.first, column], ...(as === undefined ? {} : { as }) }, why }];
}

/** The mapping as a list of columns. Undefined if its transform allows one column only. */
function columnsBefore(mapping: FieldMapping): Extract<FieldMapping, { first: unknown }> | undefined {
  if ('first' in mapping) return mapping;
  if (!('column' in mapping) || 'values' in mapping) return undefined;
  const { column, invalid } = mapping;
  const same = { first: [column], ...(invalid === undefined ? {} : { invalid }) };
  if (!('as' in mapping)) return same;
  return mapping.as === 'domain' ? { ...same, as: 'domain' } : undefined;
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
