/**
 * Writes one record as JSON from the cells that a scan found: the plan's fields in order, each by its shape. The host
 * evaluates what a shape does not cover; results for single cells are cached.
 */
import { allocate, copy, equal } from './arena';
import { CLOSE, OPEN, QUOTE } from './bytes';
import {
  CellCache,
  createCellCache,
  find,
  isAbsent,
  judgedOf,
  keep,
  MOST_VALUE,
  mappedOf,
  OTHER_SORT,
  writeValue,
} from './cell-cache';
import { evaluate } from './host';
import { mayEscapeSpace } from './json-strings';
import { mayNeedTrim, trimmedEnd, trimmedStart, WIDEST, writeText } from './json-text';
import { dateTimeForm, isCanonicalNumber, mayBeNumber, UNKNOWN, WITHOUT_OFFSET } from './plain-values';
import { ends, marks, ABSENT as NO_CELL, NUMBER as NUMBER_TOKEN, PLAIN, starts, WRITTEN } from './scan-cells';

/** What {@link writeRecord} gives in place of an address. */
export const UNSURE: usize = 0;
export const CRAMPED: usize = 1;

/** Shapes of a field (FieldPlan in model/fast-reader.ts). */
const TEXT: i32 = 0;
const UNTYPED: i32 = 1;
const NUMBER: i32 = 2;
const DATE_TIME: i32 = 3;
const VALUE: i32 = 5;

/** What the host answers in place of a size. */
const ABSENT: i32 = -1;

/** What a field comes to: its value as JSON, and numbers of notes. */
@unmanaged
class Outcome {
  json: usize = 0;
  /** {@link ABSENT} where there is no value. */
  size: i32 = 0;
  mapped: u16 = 0;
  judged: u16 = 0;
}

/** `,"name":` and its length; a quotation mark stands behind it. */
@unmanaged
class Key {
  text: usize = 0;
  size: usize = 0;
}

@unmanaged
class Step {
  shape: i32 = 0;
  /** The cell that it is made from; -1 where it is made from none or from several. */
  column: i32 = 0;
  /** Whether it is made from several cells. */
  isJoined: bool = false;
  keys: usize = 0;
  keyCount: u32 = 0;
  /** What the constant comes to, or an empty cell; null where the row is the reference path's. */
  fixed: Outcome | null = null;
  cache: CellCache | null = null;
  /** Of the mapping, where there is a value that is not sent. */
  leftOut: u16 = 0;
  /** What a date-time without an offset is told with, once there was one; until then -1. */
  local: i32 = -1;
}

/** One bit each in {@link presentFields}. */
const MOST_STEPS: u32 = 32;
const MOST_KEYS: u32 = 4;

const steps: usize = allocate(<usize>MOST_STEPS * offsetof<Step>());
let stepCount: u32 = 0;

/** Words that count as empty: lengths as bits, and the words one behind the other. */
let wordLengths: u32 = 0;
let words: usize = 0;
let wordCount: u32 = 0;
const MOST_WORDS: u32 = 256;

/** The host's answers: their JSON, and the numbers of their notes. */
let answer: usize = allocate(4096);
let answerSize: usize = 4096;
let mappedAnswer: u16 = 0;
let judgedAnswer: u16 = 0;

/** Numbers of the notes of the record in work. */
const MOST_NOTES: u32 = 2 * MOST_STEPS;
const mapped: usize = allocate(2 * <usize>MOST_NOTES);
const judged: usize = allocate(2 * <usize>MOST_NOTES);
let mappedCount: u32 = 0;
let judgedCount: u32 = 0;

/** The fields of the record in work that have a value, sent or not: bit 0 for the first step. */
export let presentFields: u32 = 0;
let stepBit: u32 = 0;

/** Bytes of a record without what its cells add. */
let fixedRoom: usize = 2;
/** In how many values of a record the bytes of one cell stand at the most. */
let mostKeys: usize = 1;

function stepAt(index: u32): Step {
  return changetype<Step>(steps + <usize>index * offsetof<Step>());
}

function keyAt(step: Step, index: u32): Key {
  return changetype<Key>(step.keys + <usize>index * offsetof<Key>());
}

/** Whether there is room for one step more. */
export function addStep(
  shape: i32,
  column: i32,
  isJoined: bool,
  isRemembered: bool,
  leftOut: u16,
  keyCount: u32,
): bool {
  if (stepCount === MOST_STEPS || keyCount > MOST_KEYS) return false;
  const step = stepAt(stepCount);
  step.shape = shape;
  step.column = column;
  step.isJoined = isJoined;
  step.keys = allocate(<usize>MOST_KEYS * offsetof<Key>());
  step.keyCount = 0;
  step.fixed = null;
  step.cache = isRemembered ? createCellCache() : null;
  step.leftOut = leftOut;
  step.local = -1;
  // Several fields may be made from the same cell.
  let copies = <usize>keyCount;
  for (let index: u32 = 0; index < stepCount; index += 1) {
    if (column >= 0 && stepAt(index).column === column) copies += <usize>stepAt(index).keyCount;
  }
  mostKeys = max(mostKeys, copies);
  stepCount += 1;
  return true;
}

/** A name on the wire for the step that was added last: `size` bytes of `,"name":"` stand at `text`. */
export function addKey(text: usize, size: usize): void {
  const step = stepAt(stepCount - 1);
  const key = keyAt(step, step.keyCount);
  key.text = text;
  key.size = size - 1;
  step.keyCount += 1;
  fixedRoom += size + 1 + MOST_VALUE;
}

/** What the step that was added last comes to where its cell is empty, or always where it has none. */
export function setFixed(json: usize, size: i32, mappedNotes: u16, judgedNotes: u16): void {
  const step = stepAt(stepCount - 1);
  const outcome = changetype<Outcome>(allocate(offsetof<Outcome>()));
  outcome.json = json;
  outcome.size = size;
  outcome.mapped = mappedNotes;
  outcome.judged = judgedNotes;
  step.fixed = outcome;
  if (size > 0) fixedRoom += <usize>step.keyCount * <usize>size;
}

/** Whether there is room for one word more. `size` is at least 1. */
export function addWord(text: usize, size: u32): bool {
  if (words === 0) words = allocate(8 * <usize>MOST_WORDS);
  if (wordCount === MOST_WORDS) return false;
  store<u32>(words + 8 * <usize>wordCount, <u32>text);
  store<u32>(words + 8 * <usize>wordCount, size, 4);
  wordCount += 1;
  wordLengths |= 1 << min(size, 31);
  return true;
}

/** Where the host writes an answer of so many bytes. */
export function answerRoom(size: usize): usize {
  if (size > answerSize) {
    answerSize = 2 * size;
    answer = allocate(answerSize);
  }
  return answer;
}

/** The host's numbers for the notes of its answer. */
export function setNotes(mappedNotes: u16, judgedNotes: u16): void {
  mappedAnswer = mappedNotes;
  judgedAnswer = judgedNotes;
}

/** Bytes of room that a record is likely to need that is made from a row of so many. */
export function roomFor(rowBytes: usize): usize {
  return rowBytes * WIDEST * mostKeys + fixedRoom;
}

/** Tells `enter` the numbers of the record's notes: first the mapping's, then the validation's. */
export function tellNotes(enter: (note: u16) => void): void {
  for (let index: u32 = 0; index < mappedCount; index += 1) enter(load<u16>(mapped + 2 * <usize>index));
  for (let index: u32 = 0; index < judgedCount; index += 1) enter(load<u16>(judged + 2 * <usize>index));
}

/**
 * Writes the record of the row that was scanned last, from `at` on. What is not made from the row's bytes stays in front
 * of `limit`.
 * @returns the address behind it; {@link CRAMPED}, or {@link UNSURE}: the row is the reference path's. Where it is no
 * address, what was written means nothing.
 */
export function writeRecord(at: usize, limit: usize): usize {
  mappedCount = 0;
  judgedCount = 0;
  let to = at;
  presentFields = 0;
  for (let index: u32 = 0; index < stepCount; index += 1) {
    stepBit = 1 << index;
    to = writeField(index, to, limit);
    if (to <= CRAMPED) return to;
  }
  // In place of the first key's comma.
  store<u8>(at, OPEN);
  if (to === at) to += 1;
  store<u8>(to, CLOSE);
  return to + 1;
}

function writeField(index: u32, at: usize, limit: usize): usize {
  const step = stepAt(index);
  const column = step.column;
  if (column < 0) return step.isJoined ? writeEvaluated(index, 0, 0, at, limit) : writeFixed(step, at, limit);
  const begin = <usize>load<u32>(starts + 4 * <usize>column);
  const behind = <usize>load<u32>(ends + 4 * <usize>column);
  const mark = load<u8>(marks + <usize>column);
  if (mark >= NUMBER_TOKEN) return writeToken(index, mark, begin, behind, at, limit);
  let start = begin;
  let end = behind;
  const isBare = begin < behind && isSolid(load<u8>(begin)) && isSolid(load<u8>(behind - 1));
  if (!isBare) {
    start = trimmedStart(begin, behind);
    end = trimmedEnd(start, behind);
  }
  if (start === end || isEmptyWord(start, end)) return writeFixed(step, at, limit);
  if (mark === WRITTEN && mayEscapeSpace(start, end)) return writeRemembered(index, start, end, at, limit);
  switch (step.shape) {
    case TEXT:
    case VALUE:
      if (!isBare && mayNeedTrim(start, end)) break;
      return writeCell(step, start, end, true, at);
    case UNTYPED:
      if (isCanonicalNumber(start, end)) return writeCell(step, start, end, false, at);
      if (mayBeNumber(start) || mayNeedTrim(start, end)) break;
      return writeCell(step, start, end, true, at);
    case NUMBER:
      if (!isCanonicalNumber(start, end)) break;
      return writeCell(step, start, end, false, at);
    case DATE_TIME: {
      const form = dateTimeForm(start, end);
      if (form === UNKNOWN || (form === WITHOUT_OFFSET && step.local < 0)) break;
      if (form === WITHOUT_OFFSET) tell(0, <u16>step.local);
      return writeCell(step, start, end, true, at);
    }
  }
  return writeRemembered(index, start, end, at, limit);
}

/** Of ASCII, and no white space. */
function isSolid(byte: u8): bool {
  return <u8>(byte - 0x21) < 0x5e;
}

/** What JSON writes without quotation marks, or has not. */
function writeToken(index: u32, mark: u8, start: usize, end: usize, at: usize, limit: usize): usize {
  const step = stepAt(index);
  if (mark === NO_CELL) return writeFixed(step, at, limit);
  if (mark === NUMBER_TOKEN) {
    if (step.shape === TEXT) return writeCell(step, start, end, true, at);
    if (step.shape === VALUE || step.shape === NUMBER) return writeCell(step, start, end, false, at);
  }
  return writeRemembered(index, start, end, at, limit);
}

/** The cell's own bytes as the value. */
function writeCell(step: Step, start: usize, end: usize, isText: bool, at: usize): usize {
  tell(step.leftOut, 0);
  presentFields |= stepBit;
  if (step.keyCount === 0) return at;
  const mark = load<u8>(marks + <usize>step.column);
  let to = at;
  for (let index: u32 = 0; index < step.keyCount; index += 1) {
    const key = keyAt(step, index);
    to = copy(key.text, key.size + <usize>isText, to);
    to = mark === PLAIN || mark >= WRITTEN ? copy(start, end - start, to) : writeText(start, end, mark, to);
    if (!isText) continue;
    store<u8>(to, QUOTE);
    to += 1;
  }
  return to;
}

/** From the cache, else by evaluation. */
function writeRemembered(index: u32, start: usize, end: usize, at: usize, limit: usize): usize {
  const step = stepAt(index);
  const cache = step.cache;
  const slot: usize = cache === null ? 0 : find(cache, start, end, sortOf(step));
  if (slot === 0) return writeEvaluated(index, start, end, at, limit);
  tell(mappedOf(slot), judgedOf(slot));
  if (isAbsent(slot)) return at;
  presentFields |= stepBit;
  let to = at;
  for (let key: u32 = 0; key < step.keyCount; key += 1) to = writeValue(slot, writeKey(step, key, to));
  return to;
}

/** A number is not a text of the same digits. */
function sortOf(step: Step): u8 {
  return load<u8>(marks + <usize>step.column) >= NUMBER_TOKEN ? OTHER_SORT : 0;
}

/** By the host's functions. */
function writeEvaluated(index: u32, start: usize, end: usize, at: usize, limit: usize): usize {
  const step = stepAt(index);
  const size = evaluate(index);
  if (size < ABSENT) return UNSURE;
  if (step.shape === DATE_TIME && end > start && dateTimeForm(start, end) === WITHOUT_OFFSET) {
    step.local = judgedAnswer;
  }
  const cache = step.cache;
  if (cache !== null)
    keep(cache, start, end, sortOf(step), answer, <usize>max(size, 0), mappedAnswer, judgedAnswer);
  return writeJson(step, answer, size, mappedAnswer, judgedAnswer, at, limit);
}

function writeFixed(step: Step, at: usize, limit: usize): usize {
  const fixed = step.fixed;
  if (fixed === null) return UNSURE;
  return writeJson(step, fixed.json, fixed.size, fixed.mapped, fixed.judged, at, limit);
}

function writeJson(
  step: Step,
  json: usize,
  size: i32,
  mappedNotes: u16,
  judgedNotes: u16,
  at: usize,
  limit: usize,
): usize {
  tell(mappedNotes, judgedNotes);
  if (size < 0) return at;
  presentFields |= stepBit;
  let to = at;
  for (let key: u32 = 0; key < step.keyCount; key += 1) {
    if (to + keyAt(step, key).size + <usize>size > limit) return CRAMPED;
    to = copy(json, <usize>size, writeKey(step, key, to));
  }
  return to;
}

function writeKey(step: Step, index: u32, at: usize): usize {
  const key = keyAt(step, index);
  return copy(key.text, key.size, at);
}

/** 0 stands for no notes. */
function tell(mappedNotes: u16, judgedNotes: u16): void {
  if (mappedNotes !== 0) {
    store<u16>(mapped + 2 * <usize>mappedCount, mappedNotes);
    mappedCount += 1;
  }
  if (judgedNotes !== 0) {
    store<u16>(judged + 2 * <usize>judgedCount, judgedNotes);
    judgedCount += 1;
  }
}

function isEmptyWord(start: usize, end: usize): bool {
  const size = end - start;
  if ((wordLengths & (1 << (<u32>min(size, 31)))) === 0) return false;
  for (let index: u32 = 0; index < wordCount; index += 1) {
    const word = words + 8 * <usize>index;
    if (<usize>load<u32>(word, 4) === size && equal(<usize>load<u32>(word), start, size)) return true;
  }
  return false;
}
