/**
 * Names of columns and fields: which of them match, and how messages list them. Columns match exactly first, then without
 * regard to case, spaces and punctuation (docs/mapping.md, "Columns and cells").
 */
import { type Contract, contracts, recordTypes } from '../contract/index.ts';
import { nearest } from '../lib/nearest.ts';
import { formatList } from '../lib/text.ts';
import type { RecordType } from '../model/record.ts';
import { isRejectsColumn } from '../model/rejects-file.ts';

/** Maps "Company Name", "company-name" and "COMPANY_NAME" to one text. Empty for a name of punctuation only. */
export function normalise(name: string): string {
  // Unicode classes take long to build; for printable ASCII this is equivalent.
  if (/^[ -~]*$/.test(name)) return name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

/** Looks columns up by name: one, or several that only differ in what is not regarded, or none. */
export function columnFinder(columns: readonly string[]): (wanted: string) => readonly string[] {
  const exact = new Set(columns);
  const near = new Map<string, string[]>();
  for (const name of exact) {
    const key = normalise(name);
    if (key === '' || isRejectsColumn(name)) continue;
    const alike = near.get(key);
    if (alike === undefined) near.set(key, [name]);
    else alike.push(name);
  }
  return (wanted) => (exact.has(wanted) ? [wanted] : (near.get(normalise(wanted)) ?? []));
}

export function contractsFor(type: RecordType | undefined): readonly Contract[] {
  return type === undefined ? recordTypes.map((each) => contracts[each]) : [contracts[type]];
}

export function canonicalName(name: string, candidates: readonly Contract[]): string | undefined {
  return candidates.flatMap((contract) => contract.field(name)?.name ?? [])[0];
}

/** The hint for an unknown field name: the nearest name, or all names. */
export function fieldNameHint(name: string, candidates: readonly Contract[]): string {
  const all = candidates.flatMap(({ fields }) => fields.flatMap((field) => [field.name, ...(field.aliases ?? [])]));
  const names = [...new Set(all)];
  const near = nearest(name, names);
  return near === undefined ? `The fields are ${formatList(names, '')}.` : `Did you mean "${near}"?`;
}

/** `company_domain and signal_title, which are not mapped`. */
export function notMapped(fields: readonly string[]): string {
  return `${formatList(fields, '')}, which ${fields.length === 1 ? 'is' : 'are'} not mapped`;
}

export function describeColumns(columns: readonly string[]): string {
  const names = columns.filter((name) => !isRejectsColumn(name));
  return names.length === 0 ? 'The input has no columns.' : `The columns are ${formatList(names)}.`;
}

/** The columns that match each field. If one has exactly the field's name, only exact matches count. */
export function columnsNamedLike(
  columns: readonly string[],
  contract: Contract,
): ReadonlyMap<string, readonly string[]> {
  const candidates = [...new Set(columns)];
  const result = new Map<string, readonly string[]>();
  for (const { name, aliases = [] } of contract.fields) {
    const names = [name, ...aliases];
    const exact = candidates.filter((column) => names.includes(column));
    const wanted = new Set(names.map(normalise));
    const found = exact.length > 0 ? exact : candidates.filter((column) => wanted.has(normalise(column)));
    if (found.length > 0) result.set(name, found);
  }
  return result;
}
