/**
 * Groups the reasons why rows are invalid and why batches were not delivered. A part of the run state.
 *
 * The groups and their examples are limited, so that a file of invalid rows cannot fill the memory. The rest is counted.
 */
import { printable } from '../lib/printable.ts';
import { commitOf, type RunEvent } from '../model/event.ts';
import type { Position } from '../model/row.ts';
import type {
  AnswerGroup,
  BatchChange,
  Example,
  ReasonGroup,
  Reasons,
  RowIssue,
  UndeliveredBatch,
} from '../model/run-state.ts';

const GROUP_LIMIT = 50;
const EXAMPLE_LIMIT = 3;
/** Answers that contain a request id are all different. */
const ANSWER_LIMIT = 10;
/** Characters of an answer that the summary shows: a few lines of a terminal. */
const ANSWER_LENGTH = 600;

/** The reasons of a run, or of a check. */
export class RunReasons implements Reasons {
  readonly #groups = new ReasonGroups();
  /** Rows after the last commit, which do not count yet: a run that stops there reads them again. */
  readonly #uncommitted = new ReasonGroups();
  /** Whether they are why the run has stopped. */
  #haveStopped = false;
  /** Batches that were not delivered, by id. */
  readonly #ended = new Map<string, Answer>();

  on(event: RunEvent, changes: readonly BatchChange[]): void {
    for (const { batch } of changes) {
      const answer = answerOf(event, batch);
      if (answer === undefined) this.#ended.delete(batch.batch);
      else this.#ended.set(batch.batch, answer);
    }
    switch (event.event) {
      case 'row.invalid':
        this.#uncommitted.add(event, event.issues);
        return;
      case 'run.resumed':
      case 'run.ended':
        this.#haveStopped = event.event === 'run.ended' && event.stop?.code === 'invalid';
        if (!this.#haveStopped) this.#uncommitted.clear();
        return;
      default:
        if (commitOf(event) !== undefined) this.#groups.take(this.#uncommitted);
    }
  }

  /** For rows that are in no journal. */
  add(position: Pick<Position, 'source' | 'line'>, issues: readonly RowIssue[]): void {
    this.#groups.add(position, issues);
  }

  get invalid(): readonly Readonly<ReasonGroup>[] {
    return this.#shown().all();
  }

  get more(): number {
    return this.#shown().more;
  }

  #shown(): ReasonGroups {
    if (!this.#haveStopped) return this.#groups;
    const all = new ReasonGroups();
    for (const part of [this.#groups, this.#uncommitted]) all.addGroups(part.all(), part.more);
    return all;
  }

  get answers(): readonly AnswerGroup[] {
    return answersOf(this.#ended.values());
  }

  /** The reasons of several shards together. */
  static merge(all: readonly Reasons[]): Reasons {
    const merged = new RunReasons();
    const answers: Answer[] = [];
    for (const { invalid, more, answers: groups } of all) {
      merged.#groups.addGroups(invalid, more);
      answers.push(...groups);
    }
    for (const [index, answer] of answers.entries()) merged.#ended.set(String(index), answer);
    return merged;
  }
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

  addGroups(groups: Iterable<Readonly<ReasonGroup>>, more: number): void {
    for (const group of groups) this.#count(group, group.rows, group.examples);
    this.more += more;
  }

  /** Moves all groups of another object to this one. */
  take(other: ReasonGroups): void {
    this.addGroups(other.#groups.values(), other.more);
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
  examples.push(example);
  examples.sort((one, other) => one.source - other.source || one.line - other.line);
  examples.length = Math.min(examples.length, EXAMPLE_LIMIT);
}

function keyOf({ code, field = '' }: RowIssue): string {
  return `${code}:${field}`;
}

/** An answer for some batches: one, except if shards are merged. */
type Answer = Readonly<AnswerGroup>;

/** Undefined if the event does not end the batch, or if the batch is delivered. */
function answerOf(event: RunEvent, { records, ranges: [range] }: UndeliveredBatch): Answer | undefined {
  if (event.event !== 'batch.settled' || event.outcome === 'delivered') return undefined;
  const { batch, outcome, status } = event;
  const error = event.error ?? (status === undefined ? '' : `HTTP ${status}`);
  return { outcome, error: printable(error, ANSWER_LENGTH), batches: 1, records, first: { batch, range } };
}

/** Groups by outcome and error. Errors beyond {@link ANSWER_LIMIT} groups are combined. */
function answersOf(answers: Iterable<Answer>): readonly AnswerGroup[] {
  const groups = new Map<string, AnswerGroup>();
  for (const { outcome, error: answer, batches, records, first } of answers) {
    const hasGroup = groups.has(`${outcome}:${answer}`) || groups.size < ANSWER_LIMIT;
    const error = hasGroup ? answer : 'other answers';
    const group = groups.get(`${outcome}:${error}`) ?? { outcome, error, batches: 0, records: 0, first };
    group.batches += batches;
    group.records += records;
    groups.set(`${outcome}:${error}`, group);
  }
  return [...groups.values()].sort((one, other) => other.records - one.records);
}
