/**
 * Why rows became no record and why batches were not delivered, grouped for people. A reader of events.
 *
 * Bounded: a file in which every row is at fault must not fill the memory, so there is a limit to the groups and
 * to the examples of each; what does not fit is counted.
 */

import { printable } from '../lib/printable.ts';
import type { BatchSettled, RunEvent } from '../model/event.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Issue, IssueCode, Position } from '../model/row.ts';

const GROUP_LIMIT = 50;
const EXAMPLE_LIMIT = 3;
/** A server's words differ from answer to answer where they hold a request's id. */
const ANSWER_LIMIT = 10;
const ANSWER_LENGTH = 200;

/** Why a row is invalid; what was found and what to do are there in `check`, and not behind the journal. */
type Fault = Pick<Issue, 'code' | 'field' | 'column' | 'found' | 'hint'>;

export interface Example {
  readonly source: number;
  readonly line: number;
  readonly found?: string;
  /** What to do, in a sentence. */
  readonly hint?: string;
}

/** Rows with the same fault in the same field. A row with two faults stands in two groups. */
export interface ReasonGroup {
  readonly code: IssueCode;
  readonly field?: string | undefined;
  /** Absent where the rows do not share one. */
  readonly column?: string | undefined;
  readonly rows: number;
  /** The first ones, in the order of the inputs. */
  readonly examples: readonly Example[];
}

/** Batches that ended in the same way for the same reason. */
interface AnswerGroup {
  readonly outcome: Exclude<Outcome, 'delivered'>;
  readonly error: string;
  readonly batches: number;
  readonly records: number;
}

export interface Reasons {
  on(event: RunEvent): void;
  /** For `check`, which has the rows themselves and no journal. */
  add(position: Pick<Position, 'source' | 'line'>, faults: readonly Fault[]): void;
  /** The most frequent first. */
  invalid(): readonly ReasonGroup[];
  /** Faults of rows that found no place in any group. */
  more(): number;
  answers(): readonly AnswerGroup[];
}

export function createReasons(): Reasons {
  const groups = createGroups();
  /** What was read behind the last commit does not count yet: a run that stops there reads it again. */
  let waiting = createGroups();
  /** Batches that are not delivered, by id. */
  const ended = new Map<string, Omit<AnswerGroup, 'batches'>>();
  const open = new Map<string, number>();

  const settle = (event: BatchSettled): void => {
    const records = open.get(event.batch) ?? 0;
    open.delete(event.batch);
    if (event.outcome === 'delivered') return;
    const text = event.error ?? (event.status === undefined ? '' : `HTTP ${event.status}`);
    ended.set(event.batch, { outcome: event.outcome, error: printable(text, ANSWER_LENGTH), records });
  };

  return {
    on(event) {
      switch (event.event) {
        case 'row.invalid':
          waiting.add(event, event.issues);
          return;
        case 'batch.sealed':
          open.set(event.batch, event.records);
          groups.take(waiting);
          return;
        case 'batch.split':
          open.delete(event.batch);
          for (const { batch, records } of event.parts) open.set(batch, records);
          return;
        case 'source.ended':
          if (event.commit !== undefined) groups.take(waiting);
          return;
        case 'run.resumed':
          waiting = createGroups();
          for (const { batch, records } of event.reopened) {
            open.set(batch, records);
            ended.delete(batch);
          }
          return;
        case 'batch.settled':
          settle(event);
          return;
        case 'run.ended':
          waiting = createGroups();
          for (const batch of event.putBack) ended.delete(batch);
          return;
        default:
      }
    },
    add: (position, faults) => groups.add(position, faults),
    invalid: () => groups.all(),
    more: () => groups.more(),
    answers: () => answersOf([...ended.values()]),
  };
}

interface Groups {
  add: Reasons['add'];
  /** Takes over what another one has gathered, and leaves it empty. */
  take(other: Groups): void;
  all(): readonly ReasonGroup[];
  more(): number;
  isEmpty(): boolean;
  clear(): void;
}

interface OpenGroup extends Omit<ReasonGroup, 'column'> {
  column?: string;
  rows: number;
  readonly examples: Example[];
}

function createGroups(): Groups {
  const groups = new Map<string, OpenGroup>();
  let more = 0;

  const count = ({ code, field, column }: Fault, rows: number, examples: readonly Example[]): void => {
    const key = `${code}:${field ?? ''}`;
    let group = groups.get(key);
    if (group === undefined) {
      if (groups.size >= GROUP_LIMIT) {
        more += rows;
        return;
      }
      group = {
        code,
        ...(field === undefined ? {} : { field }),
        ...(column === undefined ? {} : { column }),
        rows: 0,
        examples: [],
      };
      groups.set(key, group);
    }
    // A fault of the whole row may name a column or none: the group's is one that all its rows share.
    if (group.column !== column) delete group.column;
    group.rows += rows;
    group.examples.push(...examples.slice(0, EXAMPLE_LIMIT - group.examples.length));
  };

  return {
    add({ source, line }, faults) {
      const seen = new Set<string>();
      for (const fault of faults) {
        const key = `${fault.code}:${fault.field ?? ''}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const { found, hint } = fault;
        const told = { ...(found === undefined ? {} : { found }), ...(hint === undefined ? {} : { hint }) };
        count(fault, 1, [{ source, line, ...told }]);
      }
    },
    take(other) {
      if (other.isEmpty()) return;
      for (const group of other.all()) count(group, group.rows, group.examples);
      more += other.more();
      other.clear();
    },
    all: () => [...groups.values()].sort((one, other) => other.rows - one.rows),
    more: () => more,
    isEmpty: () => groups.size === 0 && more === 0,
    clear() {
      groups.clear();
      more = 0;
    },
  };
}

/** Grouped by outcome and words; words beyond the first few kinds are put together. */
function answersOf(batches: readonly Omit<AnswerGroup, 'batches'>[]): readonly AnswerGroup[] {
  const groups = new Map<string, AnswerGroup & { batches: number; records: number }>();
  for (const { outcome, error: said, records } of batches) {
    const known = groups.has(`${outcome}:${said}`) || groups.size < ANSWER_LIMIT;
    const error = known ? said : 'other answers';
    const group = groups.get(`${outcome}:${error}`) ?? { outcome, error, batches: 0, records: 0 };
    group.batches += 1;
    group.records += records;
    groups.set(`${outcome}:${error}`, group);
  }
  return [...groups.values()].sort((one, other) => other.records - one.records);
}

/** What the rows of a group have in common, as a clause: `company_name is missing (column Company)`. */
export function describeReason(group: ReasonGroup): string {
  const column =
    group.column === undefined || group.column === group.field
      ? ''
      : ` (from ${printable(group.column, 80)})`;
  return `${printable(group.field ?? 'the row', 80)}${column} ${FAULTS[group.code]}`;
}

const FAULTS: Readonly<Record<IssueCode, string>> = {
  missing: 'is missing',
  type: 'is not a plain value',
  enum: 'is not one of the allowed values',
  number: 'is not a number',
  range: 'is not in the allowed range',
  date: 'is not a date in the expected format',
  domain: 'contains no domain',
  value: "is not in the mapping's value table",
  columns: 'has more or fewer cells than the header',
  quote: 'has an unclosed quote, or text after a closing quote',
  encoding: "has bytes that are invalid in the input's encoding",
  json: 'is not a JSON object with unique keys',
  transform: 'failed in the transform',
  size: 'exceeds the size limit',
};
