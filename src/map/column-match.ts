/**
 * Names of columns and fields: when two are the same, which one was meant, and how a list of them is told.
 * Columns match exactly first, then without regard to case, spaces and punctuation (cli.md, "Mapping").
 */
import { type Contract, contracts, recordTypes } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';

/** Columns of our own rejects files, which come before the input's (cli.md, "Run folder"). */
const REJECTS_COLUMNS: ReadonlySet<string> = new Set(['_line', '_reason']);

/** Names listed in one sentence. */
const LIST_LIMIT = 30;

/** "Company Name", "company-name" and "COMPANY_NAME" are one. Empty where the name is punctuation alone. */
export function normalise(name: string): string {
  // Of printable ASCII these are the letters and digits. The classes of Unicode take long to build.
  if (/^[ -~]*$/.test(name)) return name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

/** Whether the column was written by this program into a rejects file. */
export function isRejectsColumn(name: string): boolean {
  return REJECTS_COLUMNS.has(name);
}

export type ColumnMatch =
  | { readonly kind: 'one'; readonly name: string; readonly index: number }
  | { readonly kind: 'several'; readonly names: readonly string[] }
  | { readonly kind: 'none' };

/** Looks columns up by name. Of columns with the very same name the first is found. */
export function columnFinder(columns: readonly string[]): (wanted: string) => ColumnMatch {
  const exact = new Map<string, number>();
  const near = new Map<string, string[]>();
  for (const [index, name] of columns.entries()) {
    if (exact.has(name)) continue;
    exact.set(name, index);
    const key = normalise(name);
    if (key === '' || isRejectsColumn(name)) continue;
    const alike = near.get(key);
    if (alike === undefined) near.set(key, [name]);
    else alike.push(name);
  }
  return (wanted) => {
    const index = exact.get(wanted);
    if (index !== undefined) return { kind: 'one', name: wanted, index };
    const names = near.get(normalise(wanted)) ?? [];
    const [name] = names;
    if (name === undefined) return { kind: 'none' };
    if (names.length > 1) return { kind: 'several', names };
    return { kind: 'one', name, index: exact.get(name) ?? -1 };
  };
}

/** The contracts that a mapping may be meant for: that of its type, or all of them. */
export function contractsFor(type: RecordType | undefined): readonly Contract[] {
  return type === undefined ? recordTypes.map((each) => contracts[each]) : [contracts[type]];
}

/** Every name of every field, aliases included. */
export function fieldNames(candidates: readonly Contract[]): readonly string[] {
  const names = candidates.flatMap(({ fields }) => fields.flatMap((field) => [field.name, ...(field.aliases ?? [])]));
  return [...new Set(names)];
}

/** The one name of a field that has several; undefined where no contract has such a field. */
export function canonicalName(name: string, candidates: readonly Contract[]): string | undefined {
  for (const contract of candidates) {
    const field = contract.field(name);
    if (field !== undefined) return field.name;
  }
  return undefined;
}

/** `"Company", "Website" and "Kind"`, with the number of those that are not listed. */
export function formatList(names: readonly string[], quote = '"', limit = LIST_LIMIT): string {
  const shown = names.slice(0, limit).map((name) => `${quote}${name}${quote}`);
  const rest = names.length - shown.length;
  if (rest > 0) shown.push(`${rest} more`);
  const last = shown.pop();
  if (last === undefined) return 'none';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** The sentence that tells which columns there are. */
export function describeColumns(columns: readonly string[]): string {
  const names = columns.filter((name) => !isRejectsColumn(name));
  return names.length === 0 ? 'The input has no columns.' : `The columns are ${formatList(names)}.`;
}
