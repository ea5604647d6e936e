/**
 * One record as JSON, from the cells that a scan found: the plan's fields in their order, each by its shape. What a
 * shape does not cover goes to the field's `evaluate`, by way of a memo where it is made from one cell.
 */
import type { Evaluated, FieldPlan, ReadingPlan } from '../model/engine.ts';
import { type Block, blockOf, copyWords, SLACK } from './block.ts';
import { createMemo, type Memo, MOST_VALUE } from './memo.ts';
import { type CellScan, PLAIN, QUOTE, UNSURE } from './scan.ts';
import { dateTimeForm, isCanonicalNumber, mayBeNumber, UNKNOWN, WITHOUT_OFFSET } from './shapes.ts';
import { mayNeedTrim, textOf, trimmedEnd, trimmedStart, WIDEST, writeText } from './text.ts';

/** The record needs more room than it was given. */
export const CRAMPED = -3;

export interface Records {
  /** Bytes of room that a record is likely to need that is made from a row of so many. */
  room(rowBytes: number): number;
  /**
   * Writes the record of the row that was scanned last, from `at` on; `limit` is where the room ends. Its size,
   * {@link CRAMPED}, or {@link UNSURE}: the row is the reference path's. Where it is no size, what was written means
   * nothing.
   */
  write(row: Block, out: Block, at: number, limit: number): number;
  /** Of the record written last. */
  notes: readonly string[];
}

const NO_NOTES: readonly string[] = [];
/** Bytes of the quotation marks around a text. */
const QUOTES = 2;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** How a cell becomes a value: as a text, as a number, or as the reference path's functions say. */
const TEXT = 0;
const NUMBER = 1;
const EVALUATED = 2;

interface Step {
  readonly plan: FieldPlan;
  readonly shape: FieldPlan['shape'];
  /** The cell that it is made from; -1 where it is made from none or from several. */
  readonly column: number;
  readonly several: boolean;
  /** `,"name":` for each name on the wire, and the same with a quotation mark behind it. */
  readonly keys: readonly Block[];
  readonly quotedKeys: readonly Block[];
  /** What the constant comes to, or an empty cell. */
  readonly fixed: Outcome | undefined;
  readonly memo: Memo | undefined;
  /** What a date-time without an offset is told with, once there was one. */
  local: readonly string[] | undefined;
}

/** What a field came to; undefined where the row is the reference path's. */
interface Outcome extends Pick<Evaluated, 'mapped' | 'judged'> {
  readonly json: Block | undefined;
}

export function createRecords(plan: ReadingPlan, { starts, ends, marks }: CellScan): Records {
  const { width } = plan;
  const steps = plan.fields.map((field) => stepOf(field, width));
  const isEmptyWord = wordTest(plan.empty);
  const fixedRoom = steps.reduce((sum, step) => sum + roomOf(step), 2 + SLACK);
  const widest = WIDEST * mostUses(steps, width);
  /** The cells that a field is evaluated from; what stands in the others means nothing. */
  const cells = new Array<string>(width).fill('');
  let mapped = NO_NOTES;
  let judged = NO_NOTES;

  /** By the reference path's functions. */
  function evaluated(step: Step, row: Block, start: number, end: number): Outcome | undefined {
    for (const column of step.plan.columns) {
      const mark = marks[column] ?? 0;
      cells[column] = textOf(row.bytes, starts[column] ?? 0, ends[column] ?? 0, mark);
    }
    const outcome = outcomeOf(step.plan.evaluate(cells));
    if (outcome !== undefined) step.memo?.keep(row, start, end, outcome.json?.bytes, outcome);
    return outcome;
  }

  /** How the cell, which is not empty, becomes the field's value. */
  function howOf({ shape, local }: Step, bytes: Buffer, start: number, end: number): number {
    switch (shape) {
      case 'text':
        return mayNeedTrim(bytes, start, end) ? EVALUATED : TEXT;
      case 'untyped':
        if (isCanonicalNumber(bytes, start, end)) return NUMBER;
        return mayBeNumber(bytes, start) || mayNeedTrim(bytes, start, end) ? EVALUATED : TEXT;
      case 'number':
        return isCanonicalNumber(bytes, start, end) ? NUMBER : EVALUATED;
      case 'date-time': {
        const form = dateTimeForm(bytes, start, end);
        if (form === WITHOUT_OFFSET && local !== undefined) judged = joined(judged, local);
        return form === UNKNOWN || (form === WITHOUT_OFFSET && local === undefined) ? EVALUATED : TEXT;
      }
      default:
        return EVALUATED;
    }
  }

  /** From the memo, else by evaluation. */
  function recalled(
    step: Step,
    row: Block,
    start: number,
    end: number,
    out: Block,
    at: number,
    limit: number,
  ): number {
    const { memo, keys } = step;
    const slot = memo?.find(row, start, end) ?? -1;
    if (memo === undefined || slot < 0) {
      const outcome = evaluated(step, row, start, end);
      if (step.shape === 'date-time' && dateTimeForm(row.bytes, start, end) === WITHOUT_OFFSET) {
        step.local = outcome?.judged;
      }
      return settled(step, outcome, out, at, limit);
    }
    const notes = memo.notes(slot);
    if (notes !== undefined) tell(notes);
    if (memo.isAbsent(slot)) return at;
    let o = at;
    for (const key of keys) o = memo.write(slot, out, copied(key, out, o));
    return o;
  }

  function settled(
    { keys }: Step,
    outcome: Outcome | undefined,
    out: Block,
    at: number,
    limit: number,
  ): number {
    if (outcome === undefined) return UNSURE;
    tell(outcome);
    const { json } = outcome;
    if (json === undefined) return at;
    let o = at;
    for (const key of keys) {
      if (o + key.bytes.length + json.bytes.length > limit) return CRAMPED;
      o = copied(json, out, copied(key, out, o));
    }
    return o;
  }

  function tell(notes: Pick<Evaluated, 'mapped' | 'judged'>): void {
    mapped = joined(mapped, notes.mapped);
    judged = joined(judged, notes.judged);
  }

  /** Writes one field; the index behind it, or why there is none. */
  function field(step: Step, row: Block, out: Block, at: number, limit: number): number {
    const { column } = step;
    if (column < 0)
      return settled(step, step.several ? evaluated(step, row, 0, 0) : step.fixed, out, at, limit);
    const { bytes } = row;
    const start = trimmedStart(bytes, starts[column] ?? 0, ends[column] ?? 0);
    const end = trimmedEnd(bytes, start, ends[column] ?? 0);
    if (start === end || isEmptyWord(bytes, start, end)) return settled(step, step.fixed, out, at, limit);
    const how = howOf(step, bytes, start, end);
    if (how === EVALUATED) return recalled(step, row, start, end, out, at, limit);
    const { keys, quotedKeys } = step;
    if (keys.length === 0) {
      mapped = joined(mapped, step.plan.leftOut);
      return at;
    }
    const mark = marks[column] ?? 0;
    let o = at;
    for (let name = 0; name < keys.length; name += 1) {
      const key = how === TEXT ? quotedKeys[name] : keys[name];
      if (key !== undefined) o = copied(key, out, o);
      o =
        mark === PLAIN
          ? copyWords(row, start, end - start, out, o)
          : writeText(bytes, start, end, mark, out.bytes, o);
      if (how === NUMBER) continue;
      out.bytes[o] = QUOTE;
      o += 1;
    }
    return o;
  }

  const records: Records = {
    room: (rowBytes) => rowBytes * widest + fixedRoom,
    notes: NO_NOTES,
    write(row, out, at, limit) {
      mapped = NO_NOTES;
      judged = NO_NOTES;
      let o = at;
      for (let n = 0; n < steps.length; n += 1) {
        const step = steps[n];
        if (step !== undefined) o = field(step, row, out, o, limit);
        if (o < 0) return o;
      }
      records.notes = joined(mapped, judged);
      // In place of the first key's comma.
      out.bytes[at] = OPEN;
      if (o === at) o += 1;
      out.bytes[o] = CLOSE;
      return o + 1 - at;
    },
  };
  return records;
}

function stepOf(plan: FieldPlan, width: number): Step {
  const { shape, columns, names } = plan;
  const [column] = columns;
  const several = columns.length > 1;
  return {
    plan,
    shape,
    column: column === undefined || several ? -1 : column,
    several,
    keys: names.map((name) => padded(`,${JSON.stringify(name)}:`)),
    quotedKeys: names.map((name) => padded(`,${JSON.stringify(name)}:"`)),
    fixed: several ? undefined : outcomeOf(plan.evaluate(new Array<string>(width).fill(''))),
    memo: columns.length === 1 && shape !== 'text' ? createMemo() : undefined,
    local: undefined,
  };
}

function outcomeOf(evaluated: Evaluated | undefined): Outcome | undefined {
  if (evaluated === undefined) return undefined;
  const { json, mapped, judged } = evaluated;
  return { json: json === undefined ? undefined : blockOf(Buffer.from(json)), mapped, judged };
}

/** Bytes of a field without what its cell adds. */
function roomOf({ keys, fixed }: Step): number {
  const value = Math.max(MOST_VALUE, fixed?.json?.bytes.length ?? 0);
  return keys.reduce((sum, key) => sum + key.bytes.length + value + QUOTES, 0);
}

/** How often the cell of one column is written into a record at most. */
function mostUses(steps: readonly Step[], width: number): number {
  const uses = new Array<number>(width).fill(0);
  for (const { column, keys } of steps) if (column >= 0) uses[column] = (uses[column] ?? 0) + keys.length;
  return Math.max(1, ...uses);
}

/** Whether the bytes are one of the words that count as empty. */
function wordTest(words: readonly string[]): (bytes: Buffer, start: number, end: number) => boolean {
  const given = words.map((word) => Buffer.from(word));
  const lengths = new Set(given.map((word) => word.length));
  if (given.length === 0) return () => false;
  return (bytes, start, end) =>
    lengths.has(end - start) && given.some((word) => word.compare(bytes, start, end) === 0);
}

function joined(one: readonly string[], other: readonly string[]): readonly string[] {
  if (other.length === 0) return one;
  return one.length === 0 ? other : one.concat(other);
}

function copied(from: Block, out: Block, at: number): number {
  return copyWords(from, 0, from.bytes.length, out, at);
}

/** A text in memory that goes on behind it, so that it is copied by words alone. */
function padded(text: string): Block {
  const size = Buffer.byteLength(text);
  const memory = Buffer.alloc(size + SLACK, text);
  return { bytes: memory.subarray(0, size), view: blockOf(memory).view };
}
