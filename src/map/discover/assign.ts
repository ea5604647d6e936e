/** Chooses columns for fields from scored candidates: what is certain is used, what is plausible becomes a question. */
import { formatList } from '../column-names.ts';
import type { Column, ColumnCandidate } from './column.ts';
import { type ColumnProfile, domainIn, isSparse } from './column-facts.ts';
import type { Proposal, Question } from './proposal.ts';

/** Confidence from which a proposal is used without a question. */
export const USE = 0.8;

/** Confidence from which a proposal is worth a question. */
export const ASK = 0.4;

/** Confidence of a question about a column whose header fits: nothing else is likelier. */
export const SURE = 0.6;

/** Candidates whose confidences differ by less than this are rivals: neither is used. */
const MARGIN = 0.05;

/** Options of one question. */
export const OPTIONS = 5;

/** Fields of which a tool can have the same moment twice: as text and as a number. */
const DATES = ['detected_at', 'engagement_date'];

/** Two columns of it are a wider and a narrower one: either is right. */
const GRADED = 'industry';

export interface Assigned {
  readonly used: readonly Proposal[];
  readonly questions: readonly Question[];
}

/**
 * Takes candidates from the best down, each column and each field once. This greedy choice can differ from the best total
 * only where two pairs score nearly the same, and those become a question.
 *
 * @param candidates from the best to the worst
 */
export function assign(candidates: readonly ColumnCandidate[], columns: readonly Column[]): Assigned {
  const profiles = new Map(columns.map(({ name, profile }) => [name, profile]));
  const used: Proposal[] = [];
  const questions: Question[] = [];
  const doneFields = new Set<string>();
  const doneColumns = new Set<string>();
  /** Columns that fit two fields: the user decides for which they are used. */
  const disputed = new Set<string>();
  for (const best of candidates) {
    if (doneFields.has(best.field) || doneColumns.has(best.column)) continue;
    const free = candidates.filter((other) => !doneFields.has(other.field) && !doneColumns.has(other.column));
    const ofField = free.filter((other) => other.field === best.field);
    const near = (other: ColumnCandidate): boolean => best.confidence - other.confidence < MARGIN;
    const rivalColumns = ofField.filter(
      (other) =>
        (near(other) && best.field !== GRADED && !isLesser(profiles, best, other)) ||
        (other.confidence >= USE && isFuller(profiles, best, other)),
    );
    const rivalFields = free.filter(
      (other) => other.column === best.column && other.field !== best.field && near(other),
    );
    doneFields.add(best.field);
    const ask = (why: string): void => {
      questions.push({ field: best.field, why, options: ofField.flatMap(options).slice(0, OPTIONS) });
    };
    if (best.alternatives !== undefined) {
      doneColumns.add(best.column);
      ask(`"${best.column}": ${best.reason}`);
    } else if (rivalColumns.length > 0) {
      ask(
        `${formatList([best, ...rivalColumns].map(({ column }) => column))} ${rivalColumns.length === 1 ? 'both' : 'all'} fit`,
      );
    } else if (rivalFields.length > 0) {
      disputed.add(best.column);
      ask(
        `"${best.column}" fits ${formatList(
          [best, ...rivalFields].map(({ field }) => field),
          '',
        )}`,
      );
    } else if (best.confidence >= USE && !disputed.has(best.column)) {
      doneColumns.add(best.column);
      used.push(proposal(best));
    } else {
      ask(`"${best.column}" might be it (${Math.round(best.confidence * 100)}%: ${best.reason})`);
    }
  }
  return { used, questions };
}

/** The same column, or one with the same values, or one that is mostly empty where the better one is not. */
function isLesser(
  profiles: ReadonlyMap<string, ColumnProfile>,
  best: ColumnCandidate,
  other: ColumnCandidate,
): boolean {
  if (best.column === other.column) return true;
  const [one, two] = [profiles.get(best.column), profiles.get(other.column)];
  if (one === undefined || two === undefined || one.texts.length === 0) return false;
  const meaning = (cell: string | undefined): string | number | undefined => {
    if (cell !== undefined && best.field === 'company_domain') return domainIn(cell);
    return DATES.includes(best.field) ? secondOf(cell) : cell;
  };
  return (
    two.texts.length < one.texts.length / 2 ||
    two.cells.every((cell, row) => cell === '' || one.cells[row] === '' || meaning(cell) === meaning(one.cells[row]))
  );
}

/** The second that a cell means, as ISO 8601 or as a count of seconds or milliseconds; other texts as they are. */
function secondOf(cell: string | undefined): string | number | undefined {
  if (cell !== undefined && /^1\d{9}(?:\d{3})?$/u.test(cell)) return Number(cell.slice(0, 10));
  const moment = cell !== undefined && /^\d{4}-.*:.*Z$/u.test(cell) ? Date.parse(cell) : Number.NaN;
  return Number.isNaN(moment) ? cell : Math.floor(moment / 1000);
}

/** Most cells of the better column are empty, and those of the other are not. */
function isFuller(
  profiles: ReadonlyMap<string, ColumnProfile>,
  best: ColumnCandidate,
  other: ColumnCandidate,
): boolean {
  const [one, two] = [profiles.get(best.column), profiles.get(other.column)];
  return (
    one !== undefined &&
    two !== undefined &&
    one.texts.length > 0 &&
    isSparse(one) &&
    2 * one.texts.length < two.texts.length
  );
}

function options(candidate: ColumnCandidate): readonly Proposal[] {
  const ways = candidate.alternatives ?? [candidate.mapping];
  return ways.map((mapping) => proposal({ ...candidate, mapping }));
}

function proposal({ field, mapping, column, confidence, reason }: ColumnCandidate): Proposal {
  return { field, mapping, columns: [column], confidence, reason };
}
