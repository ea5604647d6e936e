/** A column of a sample, and its candidacy for a field. */
import type { FieldMapping } from '../document-schema.ts';
import type { ColumnProfile } from './column-facts.ts';
import type { Meanings, meaningsOfParts } from './header-words.ts';

export interface Column {
  readonly name: string;
  /** The name without regard to case, spaces and punctuation. */
  readonly key: string;
  readonly meanings: Meanings;
  /** Of the parts of an NDJSON path. */
  readonly ofParts: ReturnType<typeof meaningsOfParts>;
  readonly profile: ColumnProfile;
  /** The language of the headers writes the day before the month. */
  readonly dayFirst: boolean;
}

export interface Candidate {
  readonly field: string;
  readonly column: string;
  readonly mapping: FieldMapping;
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, without a full stop. */
  readonly reason: string;
  /** Other mappings of the same column: the possible formats of an ambiguous date. */
  readonly alternatives?: readonly FieldMapping[] | undefined;
}

/** The meanings of the header but these, to be compared. */
export function meaningsWithout({ meanings: { known } }: Column, ...omitted: readonly string[]): string {
  return [...known]
    .filter((each) => !omitted.includes(each))
    .sort()
    .join(' ');
}

/** Whether the header has only these meanings. */
export function only({ meanings: { known } }: Column, ...allowed: readonly string[]): boolean {
  return known.size > 0 && [...known].every((each) => allowed.includes(each));
}
