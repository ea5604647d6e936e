/** Joins columns and fields: what is certain is used, what is plausible becomes a question, each column and each field once. */
import { formatList } from '../../lib/text.ts';
import type { FieldMapping } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import { type Likelihood, weights } from './scorer.ts';

export interface Proposal {
  readonly field: string;
  readonly mapping: FieldMapping;
  readonly columns: readonly string[];
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, without a full stop. */
  readonly reason: string;
  /** Why only the user can decide how the values are read, as a clause. */
  readonly doubt?: string | undefined;
}

export interface Question {
  readonly field: string;
  /** The reason in words, without a full stop. */
  readonly why: string;
  /** The best first. */
  readonly options: readonly Proposal[];
  /** Whether its column is likely to be right, and only the user knows how the values are read. */
  readonly isReading?: boolean | undefined;
}

/** Probability from which a proposal is likelier to be right than not. */
export const LIKELY = 0.5;

/** Options of one question. */
export const OPTIONS = 5;

/** Those that are worth a question, the likeliest first. */
export function candidatesOf(pairs: readonly Likelihood[]): readonly Likelihood[] {
  return shared(pairs)
    .filter(({ probability }) => probability >= weights().ask)
    .sort((one, other) => other.probability - one.probability);
}

/** A field has one column, and a column one field: probabilities that add up to more than 1 are rivals. */
function shared(pairs: readonly Likelihood[]): readonly Likelihood[] {
  const sums = new Map<unknown, number>();
  for (const { field, column, probability } of pairs) {
    for (const key of [field, column]) sums.set(key, (sums.get(key) ?? 0) + probability);
  }
  return pairs.map((pair) => ({
    ...pair,
    probability: pair.probability / Math.max(1, sums.get(pair.field) ?? 1, sums.get(pair.column) ?? 1),
  }));
}

/** Takes candidates from the best down. */
export function assign(candidates: readonly Likelihood[]) {
  const used: Proposal[] = [];
  const questions: Question[] = [];
  const done = new Set<unknown>();
  for (const best of candidates) {
    if (done.has(best.field) || done.has(best.column)) continue;
    const { ways, doubt } = best.reading;
    const [way] = ways;
    done.add(best.field);
    // A column that is certain is no other field's.
    if (isCertain(best)) done.add(best.column);
    if (way !== undefined && doubt === undefined && isCertain(best)) {
      used.push(proposalOf(best, way));
      continue;
    }
    const rivals = candidates.filter(
      (other) => other.field === best.field && (other === best || !done.has(other.column)),
    );
    const options = rivals.flatMap((each) => each.reading.ways.map((mapping) => proposalOf(each, mapping)));
    const isReading = best.probability >= LIKELY && ways.length > 1;
    questions.push({ field: best.field, why: whyAsked(best, rivals), options: options.slice(0, OPTIONS), isReading });
  }
  return { used, questions };
}

/** A column with the name of a field is certain without the scorer. */
function isCertain({ probability, field }: Likelihood): boolean {
  return probability === 1 || probability >= (weights().useOf[field] ?? weights().use);
}

/** `"Action" is 83% likely to be it`. */
export function howLikely({ columns, confidence }: Pick<Proposal, 'columns' | 'confidence'>): string {
  return `${formatList(columns)} is ${Math.round(100 * confidence)}% likely to be it`;
}

function whyAsked(best: Likelihood, rivals: readonly Likelihood[]): string {
  const { column, reading, probability } = best;
  const near = rivals.filter((other) => other !== best && 2 * other.probability >= probability);
  if (near.length > 0) {
    return `${formatList([best, ...near].map((each) => each.column.name))} ${near.length === 1 ? 'both' : 'all'} fit`;
  }
  const { doubt } = reading;
  const columns = [column.name];
  return doubt === undefined ? howLikely({ columns, confidence: probability }) : `${formatList(columns)}: ${doubt}`;
}

function proposalOf({ field, probability, reason, reading }: Likelihood, mapping: FieldMapping): Proposal {
  return { field, mapping, columns: columnsOf(mapping), confidence: probability, reason, doubt: reading.doubt };
}
