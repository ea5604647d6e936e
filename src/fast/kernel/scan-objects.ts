/**
 * Finds where the values of one NDJSON line begin and end, in one pass. It understands objects and arrays of strings,
 * numbers, true, false and null, with names without backslashes that occur once in their object, and with spaces and
 * tabs between tokens. Any other row is {@link UNSURE}; also one in which a column is an object or an array, is inside an
 * array, or occurs twice with the same path.
 *
 * Lines of a file are alike, so the name that followed another one on the last line is tried first. Names are added as they
 * appear, which also finds duplicates of names that are not mapped.
 */
import { isWritten, stringEnd } from './json-text';
import {
  allocate,
  BACKSLASH,
  CLOSE,
  CLOSE_ARRAY,
  COLON,
  COMMA,
  CR,
  equal,
  LINE_FEED,
  OPEN,
  OPEN_ARRAY,
  POINT,
  QUOTE,
  SPACE,
  TAB,
  VECTOR,
} from './memory';
import { isCanonicalNumber, numberEnd } from './plain-values';
import { ABSENT, ends, marks, NUMBER, PLAIN, SHORT, STRING, seekSpecial, starts, TOKEN, UNSURE } from './scan-cells';

/** The bytes of `true`, `fals` and `null` as little-endian numbers. */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const NULL: u32 = 0x6c6c756e;
const LAST_OF_FALSE: u8 = 0x65;

/** A name in the objects that are values of its parent. */
@unmanaged
class Name {
  parent: usize = 0;
  /** Its bytes, with the quotation marks. */
  text: usize = 0;
  size: usize = 0;
  /** Its path, `company.name`. Set if the parent {@link isAbove} a column. */
  path: usize = 0;
  pathSize: usize = 0;
  /** The column of its value, or {@link NO_COLUMN}. */
  column: i32 = 0;
  /** Whether a column has a longer path with this prefix. */
  isAbove: bool = false;
  /** The number of the last object that had it. */
  object: u64 = 0;
  /** The name after it in that object. */
  follower: usize = 0;
  /** The first name in the last object that was its value. */
  first: usize = 0;
}

const NO_COLUMN: i32 = -1;
const MAX_NAMES: u32 = 1024;
/** Longest name, in bytes. */
const MAX_NAME: usize = 1024;
/** Maximum nesting; deeper rows are for the reference path. */
const MAX_DEPTH: u32 = 32;
/** Size of the name {@link nowhere}, which matches no bytes. */
const ENDLESS: usize = 1 << 30;

let names: usize = 0;
let nameCount: u32 = 0;
/** The name whose value is the row. */
let root: usize = 0;
let nowhere: usize = 0;
/** Number of objects so far, which is the number of the last one. */
let objects: u64 = 0;
/** The number of the object that is the row. */
let row: u64 = 0;

/** Paths of the columns: address and size (u32) of each. */
let paths: usize = 0;
let width: usize = 0;
/** For each column the number (u64) of the last row with a value. */
let rowsOf: usize = 0;

/** Whether rows are objects. */
export let isObjects: bool = false;

/** Call after `setDialect`. */
export function setObjects(columns: u32): void {
  isObjects = true;
  width = <usize>columns;
  paths = allocate(8 * width);
  rowsOf = allocate(8 * width);
  names = allocate(<usize>MAX_NAMES * offsetof<Name>());
  nowhere = allocate(offsetof<Name>());
  nameAt(nowhere).size = ENDLESS;
  root = allocate(offsetof<Name>());
  nameAt(root).first = nowhere;
  nameAt(root).isAbove = true;
}

/** Sets the path of a column: `size` bytes at `text`. Call before the first row. */
export function setPath(column: u32, text: usize, size: usize): void {
  store<u32>(paths + 8 * <usize>column, <u32>text);
  store<u32>(paths + 8 * <usize>column, <u32>size, 4);
}

function nameAt(address: usize): Name {
  return changetype<Name>(address);
}

/**
 * Scans the row at `from`, which is not a blank line. Overwrites the byte at `end`.
 * @returns the address after its line end, or {@link SHORT} or {@link UNSURE}
 */
export function scanObject(from: usize, end: usize): usize {
  // Every scan stops at a line feed.
  store<u8>(end, LINE_FEED);
  const after = scanRow(from, end);
  if (after !== 0) return after;
  return seekLineFeed(from, end) < end ? UNSURE : SHORT;
}

/** The address after the row's line end, or 0. */
function scanRow(from: usize, end: usize): usize {
  for (let i: usize = 0; i < width; i += VECTOR) v128.store(marks + i, i8x16.splat(ABSENT));
  row = objects + 1;
  const open = skipSpace(from);
  if (load<u8>(open) !== OPEN) return 0;
  const after = scanMembers(open + 1, end, root, 1);
  return after === 0 ? 0 : skipLineEnd(after, end);
}

/** The address after the object whose members begin at `at`, or 0. */
function scanMembers(at: usize, end: usize, parent: usize, depth: u32): usize {
  objects += 1;
  const object = objects;
  let i = skipSpace(at);
  if (load<u8>(i) === CLOSE) return i + 1;
  let before: usize = 0;
  while (i < end) {
    let found = before === 0 ? nameAt(parent).first : nameAt(before).follower;
    let size = nameAt(found).size;
    if (i + size > end || !equal(nameAt(found).text, i, size)) {
      found = nameOf(parent, i, end);
      if (found === 0) return 0;
      if (before === 0) nameAt(parent).first = found;
      else nameAt(before).follower = found;
      size = nameAt(found).size;
    }
    const name = nameAt(found);
    if (name.object === object) return 0;
    name.object = object;
    before = found;
    i += size;
    if (load<u8>(i) !== COLON) i = skipSpace(i);
    if (load<u8>(i) !== COLON) return 0;
    i = scanValue(skipSpace(i + 1), end, found, depth);
    if (i === 0) return 0;
    if (load<u8>(i) !== COMMA) i = skipSpace(i);
    const byte = load<u8>(i);
    if (byte === CLOSE) return i + 1;
    if (byte !== COMMA) return 0;
    i = skipSpace(i + 1);
  }
  return 0;
}

/** The address after the array whose elements begin at `at`, or 0. It has no columns. */
function scanElements(at: usize, end: usize, name: usize, depth: u32): usize {
  let i = skipSpace(at);
  if (load<u8>(i) === CLOSE_ARRAY) return i + 1;
  while (i < end) {
    i = scanValue(i, end, name, depth);
    if (i === 0) return 0;
    i = skipSpace(i);
    const byte = load<u8>(i);
    if (byte === CLOSE_ARRAY) return i + 1;
    if (byte !== COMMA) return 0;
    i = skipSpace(i + 1);
  }
  return 0;
}

/** The address after the value of the name, or 0. */
function scanValue(at: usize, end: usize, name: usize, depth: u32): usize {
  const column = nameAt(name).column;
  const byte = load<u8>(at);
  if (byte === QUOTE) return scanText(at, end, column);
  if (byte !== OPEN && byte !== OPEN_ARRAY) return scanToken(at, column);
  if (column !== NO_COLUMN || depth === MAX_DEPTH) return 0;
  if (byte === OPEN) return scanMembers(at + 1, end, name, depth + 1);
  return nameAt(name).isAbove ? 0 : scanElements(at + 1, end, name, depth + 1);
}

/** The address after the string at `quote`, or 0. */
function scanText(quote: usize, end: usize, column: i32): usize {
  const start = quote + 1;
  let last = seekSpecial(start, end);
  const isPlain = load<u8>(last) !== BACKSLASH;
  if (!isPlain) last = stringEnd(last, end);
  if (load<u8>(last) !== QUOTE) return 0;
  const after = last + 1;
  if (column === NO_COLUMN) return after;
  const isFirst = isPlain
    ? setCell(column, start, last, PLAIN)
    : setCell(column, quote, after, isWritten ? STRING : TOKEN);
  return isFirst ? after : 0;
}

function scanToken(at: usize, column: i32): usize {
  const word = load<u32>(at);
  let end = at + 4;
  let mark = TOKEN;
  if (word === NULL) mark = ABSENT;
  else if (word === FALS && load<u8>(at, 4) === LAST_OF_FALSE) end = at + 5;
  else if (word !== TRUE) {
    end = numberEnd(at);
    if (end === 0) return 0;
    if (column !== NO_COLUMN && isCanonicalNumber(at, end)) mark = NUMBER;
  }
  return column === NO_COLUMN || setCell(column, at, end, mark) ? end : 0;
}

/** Sets a cell. Returns false if the row had it before, under other names with the same path. */
function setCell(column: i32, start: usize, end: usize, mark: u8): bool {
  const index = <usize>column;
  if (load<u64>(rowsOf + 8 * index) === row) return false;
  store<u64>(rowsOf + 8 * index, row);
  store<u32>(starts + 4 * index, <u32>start);
  store<u32>(ends + 4 * index, <u32>end);
  store<u8>(marks + index, mark);
  return true;
}

/** The name at `at`, added if it is new; 0 if there is none or it cannot be added. */
function nameOf(parent: usize, at: usize, end: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0;
  const last = seekSpecial(at + 1, end);
  if (load<u8>(last) !== QUOTE) return 0;
  const size = last + 1 - at;
  for (let index: u32 = 0; index < nameCount; index += 1) {
    const known = names + <usize>index * offsetof<Name>();
    const name = nameAt(known);
    if (name.parent === parent && name.size === size && equal(name.text, at, size)) return known;
  }
  return nameCount === MAX_NAMES || size > MAX_NAME ? 0 : addName(parent, at, size);
}

function addName(parent: usize, at: usize, size: usize): usize {
  const added = names + <usize>nameCount * offsetof<Name>();
  nameCount += 1;
  const name = nameAt(added);
  name.parent = parent;
  name.text = allocate(size);
  memory.copy(name.text, at, size);
  name.size = size;
  name.column = NO_COLUMN;
  name.follower = nowhere;
  name.first = nowhere;
  if (nameAt(parent).isAbove) setNamePath(name, nameAt(parent));
  return added;
}

/** Sets the path of a name, and its column. */
function setNamePath(name: Name, parent: Name): void {
  const prefix: usize = changetype<usize>(parent) === root ? 0 : parent.pathSize + 1;
  name.pathSize = prefix + name.size - 2;
  name.path = allocate(name.pathSize + 1);
  if (prefix > 0) {
    memory.copy(name.path, parent.path, parent.pathSize);
    store<u8>(name.path + parent.pathSize, POINT);
  }
  memory.copy(name.path + prefix, name.text + 1, name.size - 2);
  store<u8>(name.path + name.pathSize, POINT);
  for (let column: usize = 0; column < width; column += 1) {
    const path = <usize>load<u32>(paths + 8 * column);
    const size = <usize>load<u32>(paths + 8 * column, 4);
    if (size === name.pathSize && equal(path, name.path, size)) name.column = <i32>column;
    if (size > name.pathSize && equal(path, name.path, name.pathSize + 1)) name.isAbove = true;
  }
}

function skipSpace(at: usize): usize {
  let i = at;
  for (let byte = load<u8>(i); byte === SPACE || byte === TAB; byte = load<u8>(i)) i += 1;
  return i;
}

/** The address after the line end, or 0 if other bytes than spaces precede it. */
function skipLineEnd(at: usize, end: usize): usize {
  let i = skipSpace(at);
  if (load<u8>(i) === CR) i += 1;
  return load<u8>(i) === LINE_FEED && i < end ? i + 1 : 0;
}

function seekLineFeed(from: usize, end: usize): usize {
  let i = from;
  while (i < end && load<u8>(i) !== LINE_FEED) i += 1;
  return i;
}
