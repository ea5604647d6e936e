/**
 * What `check` suggests for values that are invalid, or that would be sent although they mean "no value": options that change
 * the mapping without an editor.
 */
import { isPlaceholder } from '../lib/placeholder.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import type { RowPlace } from '../model/position.ts';
import type { Candidate } from '../model/record.ts';
import type { Issue } from '../model/row.ts';
import type { Suggestions } from '../model/summary.ts';
import { place } from './text-layout.ts';

/** Limits what a file of hostile values can add. */
const WORDS_SHOWN = 10;

export class SuggestionCollector {
  readonly #words = new Map<string, { readonly fields: Set<string>; readonly first: RowPlace }>();
  readonly #invalid = new Map<string, { values: number; readonly first: RowPlace }>();
  readonly #isOptional: (field: string) => boolean;

  constructor(isOptional: (field: string) => boolean) {
    this.#isOptional = isOptional;
  }

  /** Adds an invalid row. */
  addIssues({ source, line }: RowPlace, issues: readonly Issue[]): void {
    const at = { source, line };
    for (const { field, code, found } of issues) {
      // An empty cell does not help a required field.
      if (field === undefined || code === 'missing' || !this.#isOptional(field)) continue;
      if (found !== undefined && isPlaceholder(found)) this.#addWord(at, field, found.trim());
      else {
        const cause = this.#invalid.get(field) ?? { values: 0, first: at };
        cause.values += 1;
        this.#invalid.set(field, cause);
      }
    }
  }

  /** Adds a sampled row, valid or not. */
  addCandidate(
    { source, line }: RowPlace,
    candidate: Candidate,
    columnOf: (field: string) => string | undefined,
  ): void {
    for (const [field, value] of Object.entries(candidate)) {
      if (typeof value === 'string' && columnOf(field) !== undefined && isPlaceholder(value)) {
        this.#addWord({ source, line }, field, value);
      }
    }
  }

  result(zone: Suggestions['zone']): Suggestions {
    return {
      empty: [...this.#words].map(([word, { fields, first }]) => ({ word, fields: [...fields], first })),
      omitInvalid: [...this.#invalid].map(([field, cause]) => ({ field, ...cause })),
      zone,
    };
  }

  #addWord(at: RowPlace, field: string, word: string): void {
    const known = this.#words.get(word);
    if (known !== undefined) known.fields.add(field);
    else if (this.#words.size < WORDS_SHOWN) this.#words.set(word, { first: at, fields: new Set([field]) });
  }
}

/** The options that follow all suggestions. */
export function suggestedOptions({ empty, omitInvalid }: Suggestions): readonly string[] {
  return [
    ...empty.flatMap(({ word }) => ['--empty', word]),
    ...(omitInvalid.length === 0 ? [] : ['--setting', `omit_invalid=${omitInvalid.map(({ field }) => field).join()}`]),
  ];
}

/** One sentence each. */
export function suggestionLines(
  { empty, omitInvalid, zone }: Suggestions,
  names: readonly string[],
): readonly string[] {
  const words = empty.map(({ word }) => `"${printable(word)}"`).join(', ');
  const fields = [...new Set(empty.flatMap((each) => each.fields))].join(', ');
  const [look, them] = empty.length === 1 ? ['looks', 'it'] : ['look', 'them'];
  return [
    ...empty
      .slice(0, 1)
      .map(
        ({ first }) =>
          `${fields}: ${words} ${look} like "no value" (first at ${place(names, first)}). To treat ${them} as empty: --empty.`,
      ),
    ...omitInvalid.map(
      (each) =>
        `${each.field}: optional, with ${plural(each.values, 'invalid value')} (first at ${place(names, each.first)}). To omit the field and send these rows: --setting omit_invalid=${each.field}.`,
    ),
    ...Object.entries(zone).map(
      ([field, column]) =>
        `${field}: for date-times with a time zone, map it as { column: ${printable(column, 80)}, as: date, format: iso, zone: Europe/Berlin }, with your zone.`,
    ),
  ];
}
