/** What the cells of a column say about a field, with the sentence that says how many of them fit. */
import type { FieldMapping } from '../document-schema.ts';
import type { ColumnProfile } from './column-facts.ts';

export interface Verdict {
  /** The confidence is `factor` times the header's trust; 0 excludes the column. */
  readonly factor: number;
  /** In words, without a full stop. */
  readonly why: string;
  readonly mapping?: FieldMapping | undefined;
  /** Other mappings of the same column: the possible formats of an ambiguous date. The user decides. */
  readonly alternatives?: readonly FieldMapping[] | undefined;
}

/** Minimum share of matching cells, because a cell can be wrong now and then. */
export const MIN_SHARE = 0.9;

/** In a sample of at least so many cells, one can be wrong. */
const ONE_WRONG = 5;

export function isEnough(count: number, total: number, least = MIN_SHARE): boolean {
  return total > 0 && (count >= least * total || (least < 1 && total >= ONE_WRONG && count === total - 1));
}

/** For a column without a value in the sample. */
export const EMPTY: Verdict = { factor: 0.93, why: 'no values in the sample' };

/** Excludes a column. */
export function unfit(why: string): Verdict {
  return { factor: 0, why };
}

/** `company websites in 97 of 100 sampled values` */
export function inSample(what: string, count: number, total: number): string {
  if (total === 1) return `${what} in the sampled value`;
  return count === total ? `${what} in all ${total} sampled values` : `${what} in ${count} of ${total} sampled values`;
}

/** 1 if enough values pass the test, else 0. */
export function judgeValues(
  { texts }: ColumnProfile,
  what: string,
  test: (text: string) => boolean,
  least = MIN_SHARE,
): Verdict {
  const count = texts.filter(test).length;
  const why = inSample(what, count, texts.length);
  return { factor: isEnough(count, texts.length, least) ? 1 : 0, why };
}
