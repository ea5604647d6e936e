/** Maps columns that are named like a field, exactly or without regard to case, spaces and punctuation. */
import type { Contract } from '../contract/index.ts';
import { once } from '../lib/once.ts';
import { isRejectsColumn } from '../lib/rejects-columns.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { formatList, normalise } from './column-match.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';

/** @throws ProblemError `mapping.collision` for each unmapped field that matches several columns */
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
      continue;
    }
    fields[field] = { column };
    matched.push({ field, column });
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return { document: { ...given, type: contract.type, fields }, matched };
}

/** The columns that match each field. If one has exactly the field's name, only exact matches count. */
export function columnsNamedLike(
  columns: readonly string[],
  contract: Contract,
): ReadonlyMap<string, readonly string[]> {
  const candidates = [...new Set(columns)].filter((name) => !isRejectsColumn(name));
  const normalised = once(() => candidates.map((column) => [column, normalise(column)] as const));
  const result = new Map<string, readonly string[]>();
  for (const { name, aliases = [] } of contract.fields) {
    const names = [name, ...aliases];
    const exact = candidates.filter((column) => names.includes(column));
    const wanted = new Set(names.map(normalise));
    const found = exact.length > 0 ? exact : normalised().flatMap(([column, key]) => (wanted.has(key) ? [column] : []));
    if (found.length > 0) result.set(name, found);
  }
  return result;
}
