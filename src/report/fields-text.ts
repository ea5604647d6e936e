/**
 * The output of `signals fields`: the API's fields as text, as a template file and as JSON Schema. Everything comes from
 * the contract, so it always matches what is validated and sent.
 */
import type { Contract, Field } from '../contract/index.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Variant } from '../model/record.ts';
import { csvLine } from './csv-writer.ts';
import { bullets, plain, type Style, section, table } from './text-layout.ts';

const VARIANTS: readonly Variant[] = ['a', 'b', 'both'];

/** The variants of a record type; none if it has only one set of names. */
export function variantsOf(contract: Contract): readonly Variant[] {
  return VARIANTS.filter((variant) => contract.fieldsOf(variant).length > 0);
}

/** Without a line break at the end. */
export function fieldsText(contracts: readonly Contract[], suggest: Suggest, style: Style = plain): string {
  return contracts.map((contract) => contractText(contract, suggest, style)).join('\n\n\n');
}

function contractText(contract: Contract, suggest: Suggest, style: Style): string {
  const { type, path, envelope, limit, fields } = contract;
  return [
    `${style.bold(type)}: POST ${path}, up to ${limit} records per request in "${envelope}"`,
    fieldTable(contract).join('\n'),
    ...section('Field formats (all others are text)', bullets(fields.flatMap(kindLine)), style),
    ...section('Recommended', bullets(fields.flatMap(recommendedLine)), style),
    ...section('Variants', bullets(variantLines(contract)), style),
    [
      style.bold('A template file, and the JSON Schema of a record'),
      `  ${suggest('fields', type, '--template', 'csv')}`,
      `  ${suggest('fields', type, '--json-schema')}`,
    ].join('\n'),
  ].join('\n\n');
}

function fieldTable(contract: Contract): readonly string[] {
  // "both" has no field that is not in a or b.
  const sets = variantsOf(contract).filter((variant) => variant !== 'both');
  const columns: readonly (Variant | undefined)[] = sets.length === 0 ? [undefined] : sets;
  const head = ['field', ...(sets.length === 0 ? [''] : sets.map((set) => `variant ${set}`)), ''];
  return table([
    head,
    ...contract.fields.map((field) => [
      field.name,
      ...columns.map((variant) => useOf(contract, field, variant)),
      field.about,
    ]),
  ]);
}

/** How a variant uses a field: `required`, `optional`, `required, as source`, or a dash. */
function useOf(contract: Contract, field: Field, variant: Variant | undefined): string {
  const use = contract.fieldsOf(variant).find((each) => each.field.name === field.name);
  if (use === undefined) return '—';
  const as = use.names.filter((name) => name !== field.name);
  return `${use.required ? 'required' : 'optional'}${as.length === 0 ? '' : `, as ${as.join(' and ')}`}`;
}

function kindLine({ name, kind }: Field): readonly string[] {
  const { expected } = kind;
  switch (kind.name) {
    case 'text':
      return [];
    case 'enum':
      return [`${name}: ${expected}. Case, spaces and hyphens are ignored.`];
    case 'open':
      return [`${name}: ${expected}; the API does not list every value, so others are sent unchanged.`];
    case 'untyped':
      return [`${name}: ${expected}; the API documents no type.`];
    case 'date-time':
    case 'integer':
    case 'number':
      return [`${name}: ${expected}.`];
  }
}

function recommendedLine({ name, recommended }: Field): readonly string[] {
  return recommended === undefined ? [] : [`${name}: ${recommended}.`];
}

function variantLines(contract: Contract): readonly string[] {
  if (variantsOf(contract).length === 0) return [];
  const only = (one: Variant, other: Variant): string => {
    const others = new Set(contract.fieldsOf(other).map(({ field }) => field.name));
    const names = contract.fieldsOf(one).flatMap(({ field }) => (others.has(field.name) ? [] : [field.name]));
    return `Only in variant ${one}: ${names.join(', ')}.`;
  };
  return [
    'The API documents two field-name sets, a and b, and does not say which one the service accepts.',
    only('a', 'b'),
    only('b', 'a'),
    'With `--variant both`, a record has the fields of both, each under all its names.',
  ];
}

/** The columns of a template: the field names of the variant, or of all fields without one. */
function columnsOf(
  contract: Contract,
  variant: Variant | undefined,
): readonly { readonly name: string; readonly field: Field }[] {
  if (variant === undefined) return contract.fields.map((field) => ({ name: field.name, field }));
  return contract.fieldsOf(variant).map(({ field, names }) => {
    const [only, ...others] = names;
    return { name: only === undefined || others.length > 0 ? field.name : only, field };
  });
}

/** A file with one plausible record, which can be uploaded. */
export function template(contract: Contract, variant: Variant | undefined, format: 'csv' | 'ndjson'): string {
  const columns = columnsOf(contract, variant);
  if (format === 'ndjson') {
    const record = Object.fromEntries(columns.map(({ name, field }) => [name, field.example]));
    return `${JSON.stringify(record)}\n`;
  }
  const names = columns.map(({ name }) => name);
  const cells = columns.map(({ field }) => String(field.example));
  return csvLine(names, ',') + csvLine(cells, ',');
}

/**
 * JSON Schema of one record as it is sent. For several types or variants, a record must match one of their schemas.
 *
 * @param variant undefined for all variants
 */
export function jsonSchema(contracts: readonly Contract[], variant?: Variant): object {
  const schemas = contracts.flatMap((contract) => {
    const variants = variantsOf(contract);
    const wanted: readonly (Variant | undefined)[] =
      variants.length === 0 ? [undefined] : variant === undefined ? variants : [variant];
    return wanted.map((each) => {
      const { $schema, ...rest } = contract.jsonSchema(each);
      const title = each === undefined ? contract.type : `${contract.type}, variant ${each}`;
      const key = each === undefined ? contract.type : `${contract.type}-${each}`;
      return { $schema, key, schema: { title, ...rest } };
    });
  });
  const [first] = schemas;
  if (first === undefined || schemas.length === 1) return { $schema: first?.$schema, ...first?.schema };
  return {
    $schema: first.$schema,
    anyOf: schemas.map(({ key }) => ({ $ref: `#/$defs/${key}` })),
    $defs: Object.fromEntries(schemas.map(({ key, schema }) => [key, schema])),
  };
}

/** The same facts as {@link fieldsText}, for scripts. */
export function fieldsData(contracts: readonly Contract[]): object {
  return {
    types: contracts.map((contract) => ({
      type: contract.type,
      path: contract.path,
      envelope: contract.envelope,
      limit: contract.limit,
      fields: contract.fields.map((field) => ({
        name: field.name,
        aliases: field.aliases ?? [],
        about: field.about,
        kind: field.kind.name,
        expected: field.kind.expected,
        values: field.kind.values,
        recommended: field.recommended,
        example: field.example,
        ...usesOf(contract, field),
      })),
    })),
  };
}

function usesOf(contract: Contract, field: Field): object {
  const use = (variant?: Variant): object | undefined => {
    const found = contract.fieldsOf(variant).find((each) => each.field.name === field.name);
    return found && { names: found.names, required: found.required };
  };
  const variants = variantsOf(contract);
  if (variants.length === 0) return use() ?? {};
  const uses = variants.flatMap((variant) => {
    const found = use(variant);
    return found === undefined ? [] : [[variant, found] as const];
  });
  return { variants: Object.fromEntries(uses) };
}
