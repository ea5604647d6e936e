/**
 * Where the values of one line of NDJSON begin and end, in one pass over its bytes. Of what JSON allows, this scan
 * understands flat objects: texts, numbers, true, false and null under names that are written without a backslash,
 * each name once, with spaces and tabs between. Of everything else it says that it is unsure.
 *
 * Lines of a file look alike: the name that stood behind another one is looked for there first. Names are learnt as
 * they come, so that one that stands twice is seen also where nothing is made from it.
 */
import {
  ABSENT,
  ends,
  LINE_FEED,
  marks,
  NUMBER,
  PLAIN,
  SHORT,
  seekSpecial,
  starts,
  TOKEN,
  UNSURE,
  WRITTEN,
} from './cells';
import { allocate, equal, VECTOR } from './memory';
import { isCanonicalNumber, numberEnd } from './shapes';
import { isWritten, rewrite, stringEnd } from './strings';

const TAB: u8 = 0x09;
const CR: u8 = 0x0d;
const SPACE: u8 = 0x20;
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const COLON: u8 = 0x3a;
const BACKSLASH: u8 = 0x5c;
const OPEN: u8 = 0x7b;
const CLOSE: u8 = 0x7d;

/** `true`, `fals`, `null` as the four bytes stand in memory. */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const NULL: u32 = 0x6c6c756e;
const LAST_OF_FALSE: u8 = 0x65;

/** A name of the objects. */
@unmanaged
class Name {
  /** Its bytes, with the quotation marks. */
  text: usize = 0;
  size: usize = 0;
  /** The cell that its value is, or {@link NO_COLUMN}. */
  column: i32 = 0;
  /** The number of the object that had it last. */
  object: u64 = 0;
  /** The name that stood behind it last. */
  follower: usize = 0;
}

const NO_COLUMN: i32 = -1;
const MOST_NAMES: u32 = 1024;
/** Longest name, in bytes. */
const MOST_NAME: usize = 1024;
/** Of a name that is nowhere: it is longer than any row. */
const ENDLESS: usize = 1 << 30;

let names: usize = 0;
let nameCount: u32 = 0;
/** What is followed by the first name. */
let root: usize = 0;
let nowhere: usize = 0;
let columns: usize = 0;
let objects: u64 = 0;

/** Texts that had to be written anew for the object that was scanned last. */
let texts: usize = 0;
let textsEnd: usize = 0;

/** Whether rows are objects. */
export let isObjects: bool = false;

/** To be called behind `setDialect`; `longest` is the most bytes that {@link scanObject} is given. */
export function setObjects(width: u32, longest: usize): void {
  isObjects = true;
  columns = <usize>width;
  texts = allocate(longest);
  names = allocate(<usize>MOST_NAMES * offsetof<Name>());
  nowhere = allocate(offsetof<Name>());
  nameAt(nowhere).size = ENDLESS;
  root = allocate(offsetof<Name>());
  nameAt(root).follower = nowhere;
}

/** The name of a column: `size` bytes with quotation marks around them stand at `text`. Whether there is room for it. */
export function addName(text: usize, size: usize, column: i32): bool {
  if (nameCount === MOST_NAMES || size > MOST_NAME) return false;
  const name = nameAt(names + <usize>nameCount * offsetof<Name>());
  name.text = text;
  name.size = size;
  name.column = column;
  name.object = 0;
  name.follower = nowhere;
  nameCount += 1;
  return true;
}

function nameAt(address: usize): Name {
  return changetype<Name>(address);
}

/**
 * Scans the row that begins at `from`, which is no blank line. The byte at `end` is overwritten.
 * @returns the address behind its line end, or {@link SHORT} or {@link UNSURE}
 */
export function scanObject(from: usize, end: usize): usize {
  // No part of a row goes over a line feed: whatever looks for more stops here.
  store<u8>(end, LINE_FEED);
  const behind = scanMembers(from, end);
  if (behind !== 0) return behind;
  return seekLineFeed(from, end) < end ? UNSURE : SHORT;
}

/** The address behind the object's line end, or 0. */
function scanMembers(from: usize, end: usize): usize {
  for (let i: usize = 0; i < columns; i += VECTOR) v128.store(marks + i, i8x16.splat(ABSENT));
  objects += 1;
  textsEnd = texts;
  let i = behindSpace(from);
  if (load<u8>(i) !== OPEN) return 0;
  i = behindSpace(i + 1);
  if (load<u8>(i) === CLOSE) return behindLine(i + 1, end);
  let before = root;
  while (i < end) {
    let found = nameAt(before).follower;
    let size = nameAt(found).size;
    if (i + size > end || !equal(nameAt(found).text, i, size)) {
      found = nameOf(i, end);
      if (found === 0) return 0;
      nameAt(before).follower = found;
      size = nameAt(found).size;
    }
    const name = nameAt(found);
    if (name.object === objects) return 0;
    name.object = objects;
    before = found;
    i += size;
    if (load<u8>(i) !== COLON) i = behindSpace(i);
    if (load<u8>(i) !== COLON) return 0;
    i = scanValue(behindSpace(i + 1), end, name.column);
    if (i === 0) return 0;
    let byte = load<u8>(i);
    if (byte === COMMA) {
      i = behindSpace(i + 1);
      continue;
    }
    i = behindSpace(i);
    byte = load<u8>(i);
    i += 1;
    if (byte === CLOSE) return behindLine(i, end);
    if (byte !== COMMA) return 0;
    i = behindSpace(i);
  }
  return 0;
}

/** The address behind the value, or 0. What is known of it is the cell of `column`. */
function scanValue(at: usize, end: usize, column: i32): usize {
  if (load<u8>(at) !== QUOTE) return scanToken(at, column);
  const start = at + 1;
  let behind = seekSpecial(start, end);
  let mark = PLAIN;
  if (load<u8>(behind) === BACKSLASH) {
    behind = stringEnd(behind, end);
    mark = WRITTEN;
  }
  if (load<u8>(behind) !== QUOTE) return 0;
  if (column === NO_COLUMN) return behind + 1;
  if (mark === PLAIN || isWritten) enter(column, start, behind, mark);
  else {
    const text = textsEnd;
    textsEnd = rewrite(start, behind, text);
    enter(column, text, textsEnd, WRITTEN);
  }
  return behind + 1;
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
  if (column !== NO_COLUMN) enter(column, at, end, mark);
  return end;
}

function enter(column: i32, start: usize, end: usize, mark: u8): void {
  store<u32>(starts + 4 * <usize>column, <u32>start);
  store<u32>(ends + 4 * <usize>column, <u32>end);
  store<u8>(marks + <usize>column, mark);
}

/** The name that begins at `at`, learnt where it is new; 0 where none begins there, or none that can be learnt. */
function nameOf(at: usize, end: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0;
  const last = seekSpecial(at + 1, end);
  if (load<u8>(last) !== QUOTE) return 0;
  const size = last + 1 - at;
  for (let index: u32 = 0; index < nameCount; index += 1) {
    const known = names + <usize>index * offsetof<Name>();
    if (nameAt(known).size === size && equal(nameAt(known).text, at, size)) return known;
  }
  if (nameCount === MOST_NAMES || size > MOST_NAME) return 0;
  const text = allocate(size);
  memory.copy(text, at, size);
  addName(text, size, NO_COLUMN);
  return names + <usize>(nameCount - 1) * offsetof<Name>();
}

function behindSpace(at: usize): usize {
  let i = at;
  for (let byte = load<u8>(i); byte === SPACE || byte === TAB; byte = load<u8>(i)) i += 1;
  return i;
}

/** Behind the line's end, where nothing else stands in front of it; else 0. */
function behindLine(at: usize, end: usize): usize {
  let i = behindSpace(at);
  if (load<u8>(i) === CR) i += 1;
  return load<u8>(i) === LINE_FEED && i < end ? i + 1 : 0;
}

function seekLineFeed(from: usize, end: usize): usize {
  let i = from;
  while (i < end && load<u8>(i) !== LINE_FEED) i += 1;
  return i;
}
