/**
 * The kernel of the fast path: turns CSV and NDJSON rows into JSON records. Written in AssemblyScript and compiled to
 * WebAssembly: numbers have the size of their type, `load` and `store` take addresses, and a `v128` is 16 bytes compared
 * at once. The host (src/fast/index.ts) loads the plan once and then calls `take` until there are no more rows.
 */
import { forgetNul, hasNul } from './json-text';
import { allocate, COMMA } from './memory';
import { fieldsFromRow, forEachNote, OUTPUT_FULL, presentFields, roomFor, writeRecord } from './record';
import { inner, SHORT, scan, skipBlankLine, UNSURE as UNKNOWN_ROW } from './scan-cells';
import { isObjects, scanObject } from './scan-objects';

export { allocate } from './memory';
export { addKey, addStep, addWord, beginAnswer, setFixed } from './record';
export { ends, marks, setDialect, starts } from './scan-cells';
export { setObjects, setPath } from './scan-objects';

/** Why {@link take} stopped. */
const TAKEN: i32 = 0;
const AT_END: i32 = 1;
const ROW_CUT: i32 = 2;
const NOT_UNDERSTOOD: i32 = 3;

const OUTPUT_BYTES: usize = 1 << 20;
const MAX_ROWS: u32 = 1024;
const ROW_BYTES: usize = 20;
/** Numbers of notes are below this (src/fast/evaluator.ts). */
const MAX_NOTES: u32 = 8192;

/** The records of the last call of {@link take}, with commas between. */
export const output: usize = allocate(OUTPUT_BYTES);
/**
 * Five u32 for each row of the last call: its address, the address after it, the lines before it, the lines up to its end,
 * the size of its record.
 */
export const rows: usize = allocate(ROW_BYTES * <usize>MAX_ROWS);
/** The notes of these records in the order of first appearance: u16 each. */
export const notes: usize = allocate(2 * <usize>MAX_NOTES);
/** The number of records with a note, by the note's number: u32 each. */
export const noteTimes: usize = allocate(4 * <usize>MAX_NOTES);

/** Counts of the last call. */
export let rowCount: u32 = 0;
export let noteCount: u32 = 0;
export let outputSize: usize = 0;
/** Address after the rows of the last call and the blank lines after them, and the number of lines up to it. */
export let next: usize = 0;
export let lines: u32 = 0;

/**
 * Reads consecutive rows, and the blank lines between them, up to the first row that it does not understand.
 *
 * @param from address of the first row or blank line
 * @param end address after the last byte; the byte there may be overwritten
 * @param most maximum rows
 * @param spare maximum bytes of all records; the first one alone may have more
 * @param largest maximum bytes of one record
 * @param longest maximum bytes of one row, without its line feed
 * @returns {@link TAKEN}: `most` rows were read, or the next record does not fit; {@link AT_END}: all bytes were read;
 * {@link ROW_CUT}: the next row does not end within the bytes; {@link NOT_UNDERSTOOD}: it is for the reference path
 */
export function take(from: usize, end: usize, most: u32, spare: usize, largest: usize, longest: usize): i32 {
  rowCount = 0;
  clearNotes();
  outputSize = 0;
  next = from;
  lines = 0;
  const limit = min(most, MAX_ROWS);
  while (rowCount < limit) {
    if (next >= end) return AT_END;
    const lineEnd = skipBlankLine(next, end);
    if (lineEnd !== next) {
      next = lineEnd;
      lines += 1;
      continue;
    }
    forgetNul();
    const rowEnd = isObjects ? scanObject(next, end) : scan(next, end);
    if (rowEnd === SHORT) return ROW_CUT;
    if (rowEnd === UNKNOWN_ROW || rowEnd - 1 - next > longest) return NOT_UNDERSTOOD;
    const isFirst = rowCount === 0;
    const at = output + outputSize + (isFirst ? 0 : 1);
    const room = roomFor(rowEnd - next);
    if (at + room > output + OUTPUT_BYTES) return isFirst ? NOT_UNDERSTOOD : TAKEN;
    const recordEnd = writeRecord(at, output + OUTPUT_BYTES - room);
    if (recordEnd === OUTPUT_FULL && !isFirst) return TAKEN;
    if (recordEnd <= OUTPUT_FULL || recordEnd - at > largest) return NOT_UNDERSTOOD;
    // The reference path notes U+0000. A record of constants alone is invalid or, if its cells are empty, a blank line.
    if (hasNul || (presentFields & fieldsFromRow) === 0) return NOT_UNDERSTOOD;
    if (!isFirst && recordEnd - output > spare) return TAKEN;
    if (!isFirst) store<u8>(at - 1, COMMA);
    const row = rows + ROW_BYTES * <usize>rowCount;
    store<u32>(row, <u32>next);
    store<u32>(row, <u32>rowEnd, 4);
    store<u32>(row, lines, 8);
    lines += inner + 1;
    store<u32>(row, lines, 12);
    store<u32>(row, <u32>(recordEnd - at), 16);
    forEachNote(enterNote);
    rowCount += 1;
    outputSize = recordEnd - output;
    next = rowEnd;
  }
  return TAKEN;
}

function enterNote(note: u16): void {
  const times = noteTimes + 4 * <usize>note;
  if (load<u32>(times) === 0) {
    store<u16>(notes + 2 * <usize>noteCount, note);
    noteCount += 1;
  }
  store<u32>(times, load<u32>(times) + 1);
}

function clearNotes(): void {
  for (; noteCount > 0; noteCount -= 1) {
    store<u32>(noteTimes + 4 * <usize>load<u16>(notes + 2 * <usize>(noteCount - 1)), 0);
  }
}
