/**
 * The mapping where none is given: columns that bear a field's name. Exactly, or without regard to case, spaces
 * and punctuation; what is only likely (synonyms, values) is not looked at here.
 */
import type { Contract } from '../contract/index.ts';
import { once } from '../lib/once.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { columnFinder, formatList, isRejectsColumn, normalise } from './column-match.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { columnsOf } from './field-transforms.ts';

export interface NameMatch {
  /** Canonical name. */
  readonly field: string;
  readonly column: string;
  readonly how: 'exact' | 'normalised';
}

export interface MappingByName {
  readonly document: MappingDocument;
  /** What was recognised, in the order of the interface. */
  readonly matched: readonly NameMatch[];
  /** Columns from which nothing is made, in the order of the input. */
  readonly unused: readonly string[];
}

const NOTHING: MappingDocument = { fields: {} };

/**
 * Completes `given` (what options say; nothing, by default): fields that it maps stay as they are.
 *
 * @throws ProblemError, code `mapping.collision`, for each field that two columns would fill.
 */
export function mapByName(
  columns: readonly string[],
  contract: Contract,
  given: MappingDocument = NOTHING,
): MappingByName {
  const taken = new Set(Object.keys(given.fields).map((name) => contract.field(name)?.name));
  const fields: Record<string, FieldMapping> = { ...given.fields };
  const matched: NameMatch[] = [];
  const problems: Problem[] = [];
  for (const [field, { how, names }] of columnsNamedLike(columns, contract)) {
    const [column] = names;
    if (column === undefined || taken.has(field)) continue;
    if (names.length > 1) {
      problems.push({
        code: 'mapping.collision',
        message: `The columns ${formatList(names)} both match the field "${field}".`,
        hint: `Choose one: \`--column ${field}=COLUMN\`.`,
      });
      continue;
    }
    fields[field] = { column };
    matched.push({ field, column, how });
  }
  if (problems.length > 0) throw new ProblemError(problems);
  const document = { ...given, type: contract.type, fields };
  return { document, matched, unused: unusedColumns(document, columns) };
}

/** Columns that the document makes nothing from. Those that this program adds to rejects files do not count. */
export function unusedColumns(document: MappingDocument, columns: readonly string[]): readonly string[] {
  const find = columnFinder(columns);
  const used = new Set(
    Object.values(document.fields)
      .flatMap(columnsOf)
      .map((wanted) => {
        const found = find(wanted);
        return found.kind === 'one' ? found.name : wanted;
      }),
  );
  return columns.filter((name) => !used.has(name) && !isRejectsColumn(name));
}

interface FieldColumns {
  readonly how: NameMatch['how'];
  /** One, or several that collide. */
  readonly names: readonly string[];
}

/** Each field's columns by name. Where one matches exactly, those that match less well do not count. */
export function columnsNamedLike(columns: readonly string[], contract: Contract): ReadonlyMap<string, FieldColumns> {
  const candidates = [...new Set(columns)].filter((name) => !isRejectsColumn(name));
  const plainNames = once(() => candidates.map((column) => [column, normalise(column)] as const));
  const result = new Map<string, FieldColumns>();
  for (const field of contract.fields) {
    const names = [field.name, ...(field.aliases ?? [])];
    const exact = candidates.filter((column) => names.includes(column));
    if (exact.length > 0) {
      result.set(field.name, { how: 'exact', names: exact });
      continue;
    }
    const plain = new Set(names.map(normalise));
    const near = plainNames().flatMap(([column, name]) => (plain.has(name) ? [column] : []));
    if (near.length > 0) result.set(field.name, { how: 'normalised', names: near });
  }
  return result;
}
