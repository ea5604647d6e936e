/**
 * The kernel of the fast path: turns CSV and NDJSON rows into JSON records. Written in AssemblyScript and compiled to
 * WebAssembly: numbers have the size of their type, `load` and `store` take addresses, and a `v128` is 16 bytes compared
 * at once. The host (src/fast/index.ts) loads the plan once, and then calls `take` as long as there are rows.
 */
import { allocate } from './arena';
import { COMMA } from './bytes';
import { CRAMPED, presentFields, roomFor, tellNotes, writeRecord } from './record';
import { inner, SHORT, scan, skipBlankLine, UNSURE as UNKNOWN_ROW } from './scan-cells';
import { isObjects, scanObject } from './scan-objects';

export { allocate } from './arena';
export { addKey, addStep, addWord, answerRoom, setFixed, setNotes } from './record';
export { ends, marks, setDialect, starts } from './scan-cells';
export { setObjects, setPath } from './scan-objects';

/** Why {@link take} stopped. */
const TAKEN: i32 = 0;
const AT_END: i32 = 1;
const ROW_CUT: i32 = 2;
const NOT_UNDERSTOOD: i32 = 3;

const OUTPUT_BYTES: usize = 1 << 20;
const MOST_ROWS: u32 = 1024;
const ROW_BYTES: usize = 20;
/** Numbers of notes are below this (src/fast/note-numbers.ts). */
const MOST_NOTES: u32 = 8192;

/** The records that were taken last, with commas between. */
export const output: usize = allocate(OUTPUT_BYTES);
/**
 * Of each row that was taken last, five u32: its address and the one behind it, the lines in front of it and up to its
 * end, the size of its record.
 */
export const rows: usize = allocate(ROW_BYTES * <usize>MOST_ROWS);
/** A mask of the fields that each of these records has: u32 each, bit 0 for the first step. */
export const present: usize = allocate(4 * <usize>MOST_ROWS);
/** The notes of these records, in the order in which they first came: u16 each. */
export const notes: usize = allocate(2 * <usize>MOST_NOTES);
/** How many of the records have a note, by its number: u32 each. */
export const noteTimes: usize = allocate(4 * <usize>MOST_NOTES);

/** How much {@link take} took. */
export let rowCount: u32 = 0;
export let noteCount: u32 = 0;
export let outputSize: usize = 0;
/** Behind what was taken, blank lines included; and the lines up to there. */
export let next: usize = 0;
export let lines: u32 = 0;

/**
 * Takes rows, one behind the other, and the blank lines between them, as long as they are certain.
 *
 * @param from where the first row or blank line begins
 * @param end behind the last byte; that byte may be overwritten
 * @param most rows, at the most
 * @param spare bytes that the records may have together; the first one may have more
 * @param largest bytes of one record at the most
 * @param longest bytes of one row at the most, without its line feed
 * @returns whether `most` rows were taken or there is no room for another one (0), all bytes (1), whether a row does
 * not end within the bytes (2), or is the reference path's (3)
 */
export function take(from: usize, end: usize, most: u32, spare: usize, largest: usize, longest: usize): i32 {
  rowCount = 0;
  forgetNotes();
  outputSize = 0;
  next = from;
  lines = 0;
  const limit = min(most, MOST_ROWS);
  while (rowCount < limit) {
    if (next >= end) return AT_END;
    const behind = skipBlankLine(next, end);
    if (behind !== next) {
      next = behind;
      lines += 1;
      continue;
    }
    const rowEnd = isObjects ? scanObject(next, end) : scan(next, end);
    if (rowEnd === SHORT) return ROW_CUT;
    if (rowEnd === UNKNOWN_ROW || rowEnd - 1 - next > longest) return NOT_UNDERSTOOD;
    const isFirst = rowCount === 0;
    const at = output + outputSize + (isFirst ? 0 : 1);
    const room = roomFor(rowEnd - next);
    if (at + room > output + OUTPUT_BYTES) return isFirst ? NOT_UNDERSTOOD : TAKEN;
    const recordEnd = writeRecord(at, output + OUTPUT_BYTES - room);
    if (recordEnd === CRAMPED && !isFirst) return TAKEN;
    if (recordEnd <= CRAMPED || recordEnd - at > largest) return NOT_UNDERSTOOD;
    if (!isFirst && recordEnd - output > spare) return TAKEN;
    if (!isFirst) store<u8>(at - 1, COMMA);
    const row = rows + ROW_BYTES * <usize>rowCount;
    store<u32>(row, <u32>next);
    store<u32>(row, <u32>rowEnd, 4);
    store<u32>(row, lines, 8);
    lines += inner + 1;
    store<u32>(row, lines, 12);
    store<u32>(row, <u32>(recordEnd - at), 16);
    tellNotes(enterNote);
    store<u32>(present + 4 * <usize>rowCount, presentFields);
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

function forgetNotes(): void {
  for (; noteCount > 0; noteCount -= 1) {
    store<u32>(noteTimes + 4 * <usize>load<u16>(notes + 2 * <usize>(noteCount - 1)), 0);
  }
}
