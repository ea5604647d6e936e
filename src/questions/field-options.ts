/** `--column` and `--set` as text: read into a mapping, and written for commands that the user can paste. */
import { type FieldMapping, type MappingDocument, renderField, withOverrides } from '../map/index.ts';

/** The options that map fields. */
export interface FieldOptions {
  /** `FIELD=COLUMN`, in order. */
  readonly columns: readonly string[];
  /** `FIELD=VALUE`, in order. */
  readonly constants: readonly string[];
  /** Texts of cells that count as empty, besides those of the mapping file. */
  readonly empty?: readonly string[] | undefined;
}

/** A mapping as in a mapping file: `{ column: Announced, as: date, format: d/M/yyyy }`. */
const IN_FULL = /^[^=]*=\s*\{\s*(?:column|template|first|value)\s*:/u;

/** @throws ProblemError as {@link withOverrides} does, and for an invalid mapping in braces */
export async function overrideFields(
  document: MappingDocument,
  { columns, constants, empty }: FieldOptions,
): Promise<MappingDocument> {
  const inFull = columns.filter((given) => IN_FULL.test(given));
  if (inFull.length === 0) return withOverrides(document, { columns, constants, empty });
  const { parseMapping } = await import('../map/parse-document.ts');
  const parse = (given: string): FieldMapping | undefined => {
    if (!IN_FULL.test(given)) return undefined;
    const at = given.indexOf('=');
    const field = given.slice(0, at).trim();
    const { fields } = parseMapping(`fields: { ${field}: ${given.slice(at + 1)} }`, `--column ${field}`);
    return fields[field];
  };
  return withOverrides(document, { columns, constants, empty, parse });
}

/** The option that maps a field in this way. */
export function fieldOption(field: string, mapping: FieldMapping): readonly [option: string, value: string] {
  if ('value' in mapping) return ['--set', `${field}=${mapping.value}`];
  if ('template' in mapping) return ['-c', `${field}=${mapping.template}`];
  const [key, ...more] = Object.keys(mapping);
  if (key !== 'column' || !('column' in mapping) || more.length > 0) return ['-c', `${field}=${renderField(mapping)}`];
  const { column } = mapping;
  return ['-c', `${field}=${/[{}]/u.test(column) ? `{ column: ${JSON.stringify(column)} }` : column}`];
}
