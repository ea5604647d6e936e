/**
 * Why rows became no record and why batches were not delivered, grouped for people. A reader of events.
 *
 * Bounded: a file in which every row is at fault must not fill the memory, so there is a limit to the groups and
 * to the examples of each; what does not fit is counted.
 */
import type { RunEvent } from '../model/event.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Issue, IssueCode, Position } from '../model/row.ts';
import { printable } from './printable.ts';

const GROUP_LIMIT = 50;
const EXAMPLE_LIMIT = 3;
/** A server's words differ from answer to answer where they hold a request's id. */
const ANSWER_LIMIT = 10;
const ANSWER_LENGTH = 200;

/** Why a row is invalid; the values found are there in `check`, and not behind the journal. */
type Fault = Pick<Issue, 'code' | 'field' | 'column' | 'found'>;

export interface Example {
  readonly source: number;
  readonly line: number;
  readonly found?: string;
}

/** Rows with the same fault in the same field. A row with two faults stands in two groups. */
export interface ReasonGroup {
  readonly code: IssueCode;
  readonly field?: string;
  readonly column?: string;
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
  const groups = new Map<string, ReasonGroup & { rows: number; examples: Example[] }>();
  const answers = new Map<string, AnswerGroup & { batches: number; records: number }>();
  const open = new Map<string, number>();
  let more = 0;

  const add: Reasons['add'] = (position, faults) => {
    const seen = new Set<string>();
    for (const { code, field, column, found } of faults) {
      const key = `${code}:${field ?? ''}`;
      if (seen.has(key)) continue;
      seen.add(key);
      let group = groups.get(key);
      if (group === undefined) {
        if (groups.size >= GROUP_LIMIT) {
          more += 1;
          continue;
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
      group.rows += 1;
      if (group.examples.length < EXAMPLE_LIMIT) {
        const { source, line } = position;
        group.examples.push(found === undefined ? { source, line } : { source, line, found });
      }
    }
  };

  return {
    on(event) {
      if (event.event === 'row.invalid') add(event, event.issues);
      else if (event.event === 'batch.sealed') open.set(event.batch, event.records);
      else if (event.event === 'batch.split') {
        open.delete(event.batch);
        for (const part of event.parts) open.set(part.batch, part.records);
      } else if (event.event === 'batch.settled') {
        const records = open.get(event.batch) ?? 0;
        open.delete(event.batch);
        if (event.outcome === 'delivered') return;
        const said = printable(
          event.error ?? (event.status === undefined ? '' : `HTTP ${event.status}`),
          ANSWER_LENGTH,
        );
        const known = answers.has(`${event.outcome}:${said}`) || answers.size < ANSWER_LIMIT;
        const error = known ? said : 'other answers';
        const key = `${event.outcome}:${error}`;
        const group = answers.get(key) ?? { outcome: event.outcome, error, batches: 0, records: 0 };
        group.batches += 1;
        group.records += records;
        answers.set(key, group);
      }
    },
    add,
    invalid: () => [...groups.values()].sort((one, other) => other.rows - one.rows),
    more: () => more,
    answers: () => [...answers.values()].sort((one, other) => other.records - one.records),
  };
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
  date: 'is not a date of the expected form',
  domain: 'holds no domain',
  value: 'is not in the table of values of the mapping',
  columns: 'has more or fewer cells than the header',
  quote: 'has a quote that never closes, or text behind a closing quote',
  encoding: 'has bytes that are not text in the encoding of the input',
  json: 'is not a JSON object',
  size: 'is larger than the limit',
};
