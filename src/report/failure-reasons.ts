/**
 * Groups the reasons why rows are invalid and why batches were not delivered. Reads events.
 *
 * The groups and their examples are limited, so that a file of invalid rows cannot fill the memory. The rest is counted.
 */
import { printable } from '../lib/printable.ts';
import type { RunEvent } from '../model/event.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Issue, IssueCode, Position, RowRange } from '../model/row.ts';
import type { BatchChange, RunState, UndeliveredBatch } from '../model/run-state.ts';

const GROUP_LIMIT = 50;
const EXAMPLE_LIMIT = 3;
/** Answers that contain a request id are all different. */
const ANSWER_LIMIT = 10;
/** Characters of an answer that the summary shows: a few lines of a terminal. */
const ANSWER_LENGTH = 600;

/** Why a row is invalid. The journal has no `found` and `hint`; `check` has them. */
type RowIssue = Pick<Issue, 'code' | 'field' | 'column' | 'found' | 'hint'>;

export interface Example extends Pick<Issue, 'found' | 'hint'> {
  readonly source: number;
  readonly line: number;
}

/** Rows with the same problem in the same field. A row with two problems is in two groups. */
export interface ReasonGroup extends Pick<Issue, 'code' | 'field'> {
  /** Undefined if the rows do not share one. */
  column: string | undefined;
  rows: number;
  /** The first rows, in the order of the inputs. */
  readonly examples: Example[];
}

/** Batches with the same outcome and the same error. */
export interface AnswerGroup {
  readonly outcome: Exclude<Outcome, 'delivered'>;
  readonly error: string;
  batches: number;
  records: number;
  /** The first of these batches. `range`: its first rows. */
  readonly first: { readonly batch: string; readonly range: RowRange | undefined };
}

export type Reasons = ReturnType<typeof createReasons>;

export function createReasons() {
  const groups = new ReasonGroups();
  /** Rows after the last commit, which do not count yet: a run that stops there reads them again. */
  const uncommitted = new ReasonGroups();
  /** Batches that were not delivered, by id. */
  const ended = new Map<string, Answer>();

  return {
    on(event: RunEvent, _runState: RunState, changes: readonly BatchChange[]): void {
      for (const { batch } of changes) {
        const answer = answerOf(event, batch);
        if (answer === undefined) ended.delete(batch.batch);
        else ended.set(batch.batch, answer);
      }
      switch (event.event) {
        case 'row.invalid':
          uncommitted.add(event, event.issues);
          return;
        case 'batch.sealed':
          groups.take(uncommitted);
          return;
        case 'source.ended':
          if (event.commit !== undefined) groups.take(uncommitted);
          return;
        // `runs merge` reads several runs, and the one before may have been killed.
        case 'run.started':
        case 'run.resumed':
        case 'run.ended':
          uncommitted.clear();
          return;
        default:
      }
    },
    /** For `check`, which has the rows themselves and no journal. */
    add: (position: Pick<Position, 'source' | 'line'>, issues: readonly RowIssue[]): void =>
      groups.add(position, issues),
    /** The most frequent first. */
    invalid: (): readonly Readonly<ReasonGroup>[] => groups.all(),
    /** Problems that did not fit into any group. */
    more: (): number => groups.more,
    answers: (): readonly AnswerGroup[] => answersOf(ended.values()),
  };
}

class ReasonGroups {
  readonly #groups = new Map<string, ReasonGroup>();
  /** Problems that did not fit into any group. */
  more = 0;

  add({ source, line }: Pick<Position, 'source' | 'line'>, issues: readonly RowIssue[]): void {
    const seen = new Set<string>();
    for (const issue of issues) {
      const key = keyOf(issue);
      if (seen.has(key)) continue;
      seen.add(key);
      const { found, hint } = issue;
      this.#count(issue, 1, [{ source, line, found, hint }]);
    }
  }

  /** Moves all groups of another object to this one. */
  take(other: ReasonGroups): void {
    for (const group of other.#groups.values()) this.#count(group, group.rows, group.examples);
    this.more += other.more;
    other.clear();
  }

  /** The largest first. */
  all(): readonly ReasonGroup[] {
    return [...this.#groups.values()].sort((one, other) => other.rows - one.rows);
  }

  clear(): void {
    // V8 links the table of an emptied Map to the next one, which keeps both in memory.
    if (this.#groups.size > 0) this.#groups.clear();
    this.more = 0;
  }

  #count(issue: RowIssue, rows: number, examples: readonly Example[]): void {
    const { code, field, column } = issue;
    const key = keyOf(issue);
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= GROUP_LIMIT) {
        this.more += rows;
        return;
      }
      group = { code, field, column, rows: 0, examples: [] };
      this.#groups.set(key, group);
    }
    if (group.column !== column) group.column = undefined;
    group.rows += rows;
    for (const example of examples) addExample(group.examples, example);
  }
}

/** Keeps the first rows. They come in order, except from the next shard of `runs merge`. */
function addExample(examples: Example[], example: Example): void {
  const last = examples.at(-1);
  const isAfter =
    last === undefined || last.source < example.source || (last.source === example.source && last.line <= example.line);
  if (isAfter && examples.length >= EXAMPLE_LIMIT) return;
  examples.push(example);
  if (isAfter) return;
  examples.sort((one, other) => one.source - other.source || one.line - other.line);
  examples.length = Math.min(examples.length, EXAMPLE_LIMIT);
}

function keyOf({ code, field = '' }: RowIssue): string {
  return `${code}:${field}`;
}

type Answer = Omit<AnswerGroup, 'batches'>;

/** Undefined if the event does not end the batch, or if the batch is delivered. */
function answerOf(event: RunEvent, { records, ranges: [range] }: UndeliveredBatch): Answer | undefined {
  if (event.event !== 'batch.settled' || event.outcome === 'delivered') return undefined;
  const { batch, outcome, status } = event;
  const error = event.error ?? (status === undefined ? '' : `HTTP ${status}`);
  return { outcome, error: printable(error, ANSWER_LENGTH), records, first: { batch, range } };
}

/** Groups by outcome and error. Errors beyond {@link ANSWER_LIMIT} groups are combined. */
function answersOf(batches: Iterable<Answer>): readonly AnswerGroup[] {
  const groups = new Map<string, AnswerGroup>();
  for (const { outcome, error: answer, records, first } of batches) {
    const hasGroup = groups.has(`${outcome}:${answer}`) || groups.size < ANSWER_LIMIT;
    const error = hasGroup ? answer : 'other answers';
    const group = groups.get(`${outcome}:${error}`) ?? { outcome, error, batches: 0, records: 0, first };
    group.batches += 1;
    group.records += records;
    groups.set(`${outcome}:${error}`, group);
  }
  return [...groups.values()].sort((one, other) => other.records - one.records);
}

/** Why a row is invalid, as a clause without its values: `company_name (from Company) is missing`. */
export function describeReason({ code, field = 'the row', column }: Pick<Issue, 'code' | 'field' | 'column'>): string {
  const from = column === undefined || column === field ? '' : ` (from ${printable(column, 80)})`;
  return `${printable(field, 80)}${from} ${PROBLEMS[code]}`;
}

const PROBLEMS: Readonly<Record<IssueCode, string>> = {
  missing: 'is missing',
  constants: 'has no value in a mapped column',
  type: 'is not a plain value',
  enum: 'is not one of the allowed values',
  number: 'is not a number',
  range: 'is not in the allowed range',
  date: 'is not a date in the expected format',
  domain: 'contains no domain',
  value: "is not in the mapping's value table",
  columns: 'has more or fewer cells than the header',
  cell: 'is an error in the workbook',
  quote: 'has an unclosed quote, or text after a closing quote',
  encoding: "has bytes that are invalid in the input's encoding",
  json: 'is not a JSON object with unique keys',
  transform: 'failed in the transform',
  size: 'exceeds the size limit',
};
