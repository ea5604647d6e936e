/**
 * Writes one record as JSON from the cells that a scan found: the plan's fields in order, each by its shape. The host
 * evaluates what a shape does not cover; results for single cells are cached.
 */
import { add, find, isAbsent, MAX_VALUE, noteOf, writeValue } from './cell-cache';
import { evaluate } from './host';
import { MAX_EXPANSION, mayNeedTrim, trimmedEnd, trimmedStart, writeText } from './json-text';
import { allocate, BACKSLASH, CLOSE, copy, equal, OPEN, QUOTE } from './memory';
import { dateTimeForm, isCanonicalNumber, mayBeNumber, UNKNOWN, WITHOUT_OFFSET } from './plain-values';
import { ends, marks, ABSENT as NO_CELL, NUMBER as NUMBER_TOKEN, PLAIN, STRING, starts } from './scan-cells';

/** Results of {@link writeRecord} that are not addresses. */
export const UNSURE: usize = 0;
export const OUTPUT_FULL: usize = 1;

/** Shapes of a field (`FieldPlan` in model/fast-reader.ts). */
const TEXT: i32 = 0;
const UNTYPED: i32 = 1;
const NUMBER: i32 = 2;
const DATE_TIME: i32 = 3;
const VALUE: i32 = 5;

/** In place of a column: the field is a constant, or made from several cells. */
const NO_COLUMN: i32 = -1;
const SEVERAL: i32 = -2;

/** The host's result instead of a size. */
const ABSENT: i32 = -1;

/** An evaluated field: its value as JSON, and the number of its notes. */
@unmanaged
class FieldResult {
  json: usize = 0;
  /** {@link ABSENT} if there is no value. */
  size: i32 = 0;
  note: u16 = 0;
}

/** `,"name":` and its length, without the quotation mark that follows in memory. */
@unmanaged
class Key {
  text: usize = 0;
  size: usize = 0;
}

@unmanaged
class Step {
  shape: i32 = 0;
  /** The cell that it is made from, {@link NO_COLUMN} or {@link SEVERAL}. */
  column: i32 = 0;
  keys: usize = 0;
  keyCount: u32 = 0;
  /** The result for an empty cell, or of a constant. Null if the row is for the reference path. */
  fixed: FieldResult | null = null;
  /** Whether the cell may be in the cache. */
  isCached: bool = false;
  /** Number of the note for a value that is not sent. */
  leftOut: u16 = 0;
  /** Number of the note for a date-time without an offset; -1 before the first one. */
  local: i32 = -1;
}

/** One bit each in {@link presentFields}. */
const MAX_STEPS: u32 = 32;
const MAX_KEYS: u32 = 4;

const steps: usize = allocate(<usize>MAX_STEPS * offsetof<Step>());
let stepCount: u32 = 0;

/** Words that count as empty: a bit mask of their lengths, and the list of words. */
let wordLengths: u32 = 0;
let words: usize = 0;
let wordCount: u32 = 0;
const MAX_WORDS: u32 = 256;

/** The host's answer, and the bytes allocated for its JSON. */
const answer = changetype<FieldResult>(allocate(offsetof<FieldResult>()));
let answerRoom: usize = 0;
const MIN_ANSWER: usize = 4096;

/** Numbers of the notes of the current record. */
const notes: usize = allocate(2 * <usize>MAX_STEPS);
let noteCount: u32 = 0;

/** Mask of the current record's fields with a value, sent or not: bit 0 is the first step. */
export let presentFields: u32 = 0;
let stepBit: u32 = 0;
/** Mask of the sent fields that are made from cells. A record without any of them has only constants. */
export let fieldsFromRow: u32 = 0;

/** Maximum bytes of a record without its cells. */
let fixedRoom: usize = 2;
/** Maximum number of values in a record that one cell is copied to. */
let maxCopies: usize = 1;

function stepAt(index: u32): Step {
  return changetype<Step>(steps + <usize>index * offsetof<Step>());
}

function keyAt(step: Step, index: u32): Key {
  return changetype<Key>(step.keys + <usize>index * offsetof<Key>());
}

/** Adds a step. Returns false if there are too many steps or keys. */
export function addStep(shape: i32, column: i32, leftOut: u16, keyCount: u32): bool {
  if (stepCount === MAX_STEPS || keyCount > MAX_KEYS) return false;
  const step = stepAt(stepCount);
  step.shape = shape;
  step.column = column;
  step.keys = allocate(<usize>MAX_KEYS * offsetof<Key>());
  step.keyCount = 0;
  step.fixed = null;
  step.isCached = column >= 0 && shape !== TEXT && shape !== VALUE;
  step.leftOut = leftOut;
  step.local = -1;
  // Several fields may be made from the same cell.
  let copies = <usize>keyCount;
  for (let index: u32 = 0; index < stepCount; index += 1) {
    if (column >= 0 && stepAt(index).column === column) copies += <usize>stepAt(index).keyCount;
  }
  maxCopies = max(maxCopies, copies);
  stepCount += 1;
  return true;
}

/** Adds a wire name to the last step: `size` bytes of `,"name":"` at `text`. */
export function addKey(text: usize, size: usize): void {
  const step = stepAt(stepCount - 1);
  const key = keyAt(step, step.keyCount);
  key.text = text;
  key.size = size - 1;
  step.keyCount += 1;
  fixedRoom += size + 1 + MAX_VALUE;
  if (step.column !== NO_COLUMN) fieldsFromRow |= 1 << (stepCount - 1);
}

/** Sets the result of the last step for an empty cell, or of a constant. */
export function setFixed(json: usize, size: i32, note: u16): void {
  const step = stepAt(stepCount - 1);
  const result = changetype<FieldResult>(allocate(offsetof<FieldResult>()));
  result.json = json;
  result.size = size;
  result.note = note;
  step.fixed = result;
  if (size > 0) fixedRoom += <usize>step.keyCount * <usize>size;
}

/** Adds a word of at least 1 byte that counts as empty. Returns false if there are too many. */
export function addWord(text: usize, size: u32): bool {
  if (words === 0) words = allocate(8 * <usize>MAX_WORDS);
  if (wordCount === MAX_WORDS) return false;
  store<u32>(words + 8 * <usize>wordCount, <u32>text);
  store<u32>(words + 8 * <usize>wordCount, size, 4);
  wordCount += 1;
  wordLengths |= 1 << min(size, 31);
  return true;
}

/** The address at which the host writes an answer of `size` bytes with this note. */
export function beginAnswer(size: usize, note: u16): usize {
  if (size > answerRoom) {
    answerRoom = max(2 * size, MIN_ANSWER);
    answer.json = allocate(answerRoom);
  }
  answer.note = note;
  return answer.json;
}

/** Estimated maximum bytes of a record that is made from a row of `rowBytes`. */
export function roomFor(rowBytes: usize): usize {
  return rowBytes * MAX_EXPANSION * maxCopies + fixedRoom;
}

/** Calls `visit` with the numbers of the record's notes. */
export function forEachNote(visit: (note: u16) => void): void {
  for (let index: u32 = 0; index < noteCount; index += 1) visit(load<u16>(notes + 2 * <usize>index));
}

/**
 * Writes the record of the last scanned row at `at`. Bytes that are not from the row are written before `limit`.
 * @returns the address after it; {@link OUTPUT_FULL} if there is not enough space; {@link UNSURE} if the row is for the reference
 * path. The bytes at `at` are valid only if the result is an address.
 */
export function writeRecord(at: usize, limit: usize): usize {
  noteCount = 0;
  let to = at;
  presentFields = 0;
  for (let index: u32 = 0; index < stepCount; index += 1) {
    stepBit = 1 << index;
    to = writeField(index, to, limit);
    if (to <= OUTPUT_FULL) return to;
  }
  // Replaces the comma of the first key.
  store<u8>(at, OPEN);
  if (to === at) to += 1;
  store<u8>(to, CLOSE);
  return to + 1;
}

function writeField(index: u32, at: usize, limit: usize): usize {
  const step = stepAt(index);
  const column = step.column;
  if (column === NO_COLUMN) return writeFixed(step, at, limit);
  if (column === SEVERAL) return writeEvaluated(index, 0, 0, at, limit);
  const begin = <usize>load<u32>(starts + 4 * <usize>column);
  const after = <usize>load<u32>(ends + 4 * <usize>column);
  const mark = load<u8>(marks + <usize>column);
  if (mark >= NUMBER_TOKEN) return writeToken(index, mark, begin, after, at, limit);
  let start = begin;
  let end = after;
  const isBare = begin < after && isSolid(load<u8>(begin)) && isSolid(load<u8>(after - 1));
  if (!isBare) {
    start = trimmedStart(begin, after);
    end = trimmedEnd(start, after);
  }
  if (start === end || isEmptyWord(start, end)) return writeFixed(step, at, limit);
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
      const note = form === WITHOUT_OFFSET ? <u16>step.local : step.leftOut;
      return writeNoted(step, start, end, true, note, at);
    }
  }
  return writeCached(index, start, end, at, limit);
}

/** Whether a byte is a visible ASCII character. */
function isSolid(byte: u8): bool {
  return <u8>(byte - 0x21) < 0x5e;
}

/** Writes a JSON value other than a plain string, or an absent one. */
function writeToken(index: u32, mark: u8, start: usize, end: usize, at: usize, limit: usize): usize {
  const step = stepAt(index);
  if (mark === NO_CELL) return writeFixed(step, at, limit);
  const isText = step.shape === TEXT || step.shape === VALUE;
  if (mark === STRING && isText && wordCount === 0 && isTrimmed(start + 1, end - 1)) {
    return writeCell(step, start + 1, end - 1, true, at);
  }
  if (mark === NUMBER_TOKEN) {
    if (step.shape === TEXT) return writeCell(step, start, end, true, at);
    if (step.shape === VALUE || step.shape === NUMBER) return writeCell(step, start, end, false, at);
  }
  return writeCached(index, start, end, at, limit);
}

/** Whether a string with an escape surely begins and ends with visible ASCII characters. */
function isTrimmed(start: usize, end: usize): bool {
  return isSolid(load<u8>(start)) && isSolid(load<u8>(end - 1)) && !mayBeSpace(start) && !mayBeSpace(end - 2);
}

/** Whether an escape at `at` may be one of white space. */
function mayBeSpace(at: usize): bool {
  const letter = load<u8>(at, 1);
  return load<u8>(at) === BACKSLASH && letter !== QUOTE && letter !== BACKSLASH;
}

function writeCell(step: Step, start: usize, end: usize, isText: bool, at: usize): usize {
  return writeNoted(step, start, end, isText, step.leftOut, at);
}

/** Writes the bytes of the cell as the value. */
function writeNoted(step: Step, start: usize, end: usize, isText: bool, note: u16, at: usize): usize {
  addNote(note);
  presentFields |= stepBit;
  if (step.keyCount === 0) return at;
  const mark = load<u8>(marks + <usize>step.column);
  let to = at;
  for (let index: u32 = 0; index < step.keyCount; index += 1) {
    const key = keyAt(step, index);
    to = copy(key.text, key.size + <usize>isText, to);
    to = mark === PLAIN || mark >= NUMBER_TOKEN ? copy(start, end - start, to) : writeText(start, end, mark, to);
    if (!isText) continue;
    store<u8>(to, QUOTE);
    to += 1;
  }
  return to;
}

/** Writes the value from the cache, or evaluates the cell. */
function writeCached(index: u32, start: usize, end: usize, at: usize, limit: usize): usize {
  const step = stepAt(index);
  const entry = step.isCached ? find(tagOf(index), start, end) : 0;
  if (entry === 0) return writeEvaluated(index, start, end, at, limit);
  addNote(noteOf(entry));
  if (isAbsent(entry)) return at;
  presentFields |= stepBit;
  let to = at;
  for (let key: u32 = 0; key < step.keyCount; key += 1) to = writeValue(entry, writeKey(step, key, to));
  return to;
}

/** For the cache: the step, and whether the cell is a plain string or another JSON value with the same bytes. */
function tagOf(index: u32): u8 {
  const isToken = load<u8>(marks + <usize>stepAt(index).column) >= NUMBER_TOKEN;
  return ((<u8>index) << 1) | <u8>isToken;
}

/** Writes a value that the host evaluates. */
function writeEvaluated(index: u32, start: usize, end: usize, at: usize, limit: usize): usize {
  const step = stepAt(index);
  answer.size = evaluate(index);
  if (answer.size < ABSENT) return UNSURE;
  if (step.shape === DATE_TIME && end > start && dateTimeForm(start, end) === WITHOUT_OFFSET) {
    step.local = answer.note;
  }
  if (step.isCached) add(tagOf(index), start, end, answer.json, <usize>max(answer.size, 0), answer.note);
  return writeResult(step, answer, at, limit);
}

function writeFixed(step: Step, at: usize, limit: usize): usize {
  const fixed = step.fixed;
  return fixed === null ? UNSURE : writeResult(step, fixed, at, limit);
}

function writeResult(step: Step, result: FieldResult, at: usize, limit: usize): usize {
  addNote(result.note);
  if (result.size < 0) return at;
  const size = <usize>result.size;
  presentFields |= stepBit;
  let to = at;
  for (let key: u32 = 0; key < step.keyCount; key += 1) {
    if (to + keyAt(step, key).size + size > limit) return OUTPUT_FULL;
    to = copy(result.json, size, writeKey(step, key, to));
  }
  return to;
}

function writeKey(step: Step, index: u32, at: usize): usize {
  const key = keyAt(step, index);
  return copy(key.text, key.size, at);
}

/** Adds the number of notes to the record; 0 for none. */
function addNote(note: u16): void {
  if (note === 0) return;
  store<u16>(notes + 2 * <usize>noteCount, note);
  noteCount += 1;
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
