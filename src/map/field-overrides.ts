/** `--column`, `--set` and `--empty`: single fields that override a mapping document (docs/mapping.md, "Ways to map a column"). */
import type { Contract } from '../contract/index.ts';
import { numericCell } from '../lib/exact-number.ts';
import { formatList } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { trim } from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { transformProblem } from './field-transforms.ts';
import { canonicalName, columnsNamedLike, contractsFor, fieldNameHint } from './match-names.ts';
import { parseMapping } from './parse-document.ts';
import { isTemplate } from './template.ts';

export interface Overrides {
  /** `FIELD=COLUMN`, also with a text made of columns in braces, or with a mapping as in a mapping file. In order. */
  readonly columns?: readonly string[] | undefined;
  readonly constants?: readonly string[] | undefined;
  /** Texts of cells that count as empty, besides those of the document. */
  readonly empty?: readonly string[] | undefined;
}

/** `{ column: Announced, as: date, format: d/M/yyyy }`. */
const IN_FULL = /^\{\s*(?:column|template|first|value)\s*:/u;

/**
 * Replaces fields of the document: those of `columns` first, then those of `constants`; later ones win. Fields can have any of
 * their names. Does not change `document`.
 *
 * @throws ProblemError `mapping.option` with every problem, or with those of a mapping in full
 */
export function withOverrides(
  document: MappingDocument,
  { columns = [], constants = [], empty = [] }: Overrides,
): MappingDocument {
  const candidates = contractsFor(document.type);
  const problems: Problem[] = [];
  const fields = new Map(Object.entries(document.fields));
  const options = [
    ...columns.map((given) => ['--column', 'FIELD=COLUMN', given] as const),
    ...constants.map((given) => ['--set', 'FIELD=VALUE', given] as const),
  ];
  const add = (message: string, hint?: string): void => {
    problems.push({ code: 'mapping.option', message, hint });
  };
  for (const [option, shape, given] of options) {
    const [field = '', ...rest] = given.split('=');
    const name = trim(field);
    const value = trim(rest.join('='));
    const canonical = canonicalName(name, candidates);
    if (name !== '' && value === '' && given.includes('=')) {
      add(`\`${option} ${given}\` has nothing after the "=".`, `Write \`${option} ${name}=${shape.split('=')[1]}\`.`);
    } else if (name === '' || value === '') {
      const hint = `Write \`${option} ${shape}\`, with a field name before the first "=".`;
      add(`\`${option} ${given}\` does not have the form ${shape}.`, hint);
    } else if (option === '--set' && value === 'VALUE') {
      add(`\`--set ${given}\`: VALUE is a placeholder.`, 'Replace VALUE with the value for all rows.');
    } else if (canonical === undefined) {
      add(`\`${option} ${given}\` names an unknown field: "${name}".`, fieldNameHint(name, candidates));
    } else {
      for (const other of fields.keys()) {
        if (canonicalName(other, candidates) === canonical) fields.delete(other);
      }
      const mapping = option === '--column' ? fromColumns(name, value) : { value: constant(value, canonical) };
      const problem = transformProblem(mapping);
      if (problem !== undefined) add(`\`${option} ${given}\`: ${problem.message}.`);
      fields.set(name, mapping);
    }
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return {
    ...document,
    ...(empty.length === 0 ? {} : { empty: [...new Set([...(document.empty ?? []), ...empty])] }),
    fields: Object.fromEntries(fields),
  };

  function fromColumns(name: string, value: string): FieldMapping {
    const simple = isTemplate(value) ? { template: value } : { column: value };
    if (!IN_FULL.test(value)) return simple;
    return parseMapping(`fields: { ${name}: ${value} }`, `--column ${name}`).fields[name] ?? simple;
  }

  /** A constant becomes a number if a cell of the field would. */
  function constant(value: string, canonical: string): string | number {
    const numeric = candidates.some((contract) => contract.field(canonical)?.kind.numericCells === true);
    return numeric ? numericCell(value) : value;
  }
}

/**
 * Maps columns that are named like a field.
 *
 * @throws ProblemError `mapping.collision` for each unmapped field that matches several columns
 */
export function mapByName(
  columns: readonly string[],
  contract: Contract,
  given: MappingDocument = { fields: {} },
): { readonly document: MappingDocument; readonly matched: readonly { field: string; column: string }[] } {
  const mapped = new Set(Object.keys(given.fields).map((name) => contract.field(name)?.name));
  const fields: Record<string, FieldMapping> = { ...given.fields };
  const matched: { field: string; column: string }[] = [];
  const problems: Problem[] = [];
  for (const [field, names] of columnsNamedLike(columns, contract)) {
    const [column] = names;
    if (column === undefined || mapped.has(field)) continue;
    if (names.length > 1) {
      problems.push({
        code: 'mapping.collision',
        message: `The columns ${formatList(names)} both match the field "${field}".`,
        hint: `Choose one: \`--column ${field}=COLUMN\`.`,
      });
    }
    fields[field] = { column };
    matched.push({ field, column });
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return { document: { ...given, type: contract.type, fields }, matched };
}
