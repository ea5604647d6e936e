/**
 * What somebody who looks at rows is told of a record, in numbers: a hash of what each field came to, and one of what
 * the record has in common with those that are likely the same (model/engine.ts, "Look"). Whoever counts does it by
 * these.
 *
 * The hash is that of report/sketch.ts, which says what it is; test/fast/looks.test.ts holds the two together.
 */

import { allocate, VECTOR } from './arena';
import { BACKSLASH, CAPITAL_A, QUOTE, SPACE } from './bytes';
import { fold } from './host';

/** How a field takes part in likeness (Likeness in model/engine.ts): not, by its value (1), by its text, by its day. */
const NOT: u8 = 0;
const BY_TEXT: u8 = 2;
const BY_DAY: u8 = 3;

const DAY: usize = 'yyyy-mm-dd'.length;

const LETTERS: u8 = 26;

const SEED: u64 = ((<u64>0x9e3779b9) << 32) | <u64>0x7f4a7c15;
const LOOK_BYTES: usize = 8;

/** Whether anybody looks. */
export let isLooking: bool = false;
/** Of each row that was taken last: two u32 for each step, then two for its likeness. */
export let looks: usize = 0;

let fieldCount: usize = 0;
/** The same of the record in work. */
let current: usize = 0;
/** For each step how it takes part in likeness, and the number that stands for its field there. */
let parts: usize = 0;

let likeness: u64 = SEED;
let likenessBytes: u32 = 0;

/** A text in lower case. */
let folded: usize = allocate(4096);
let foldedSize: usize = 4096;

/** From here on rows are looked at. To be called behind the last step. */
export function lookAt(steps: u32, mostRows: u32): void {
  isLooking = true;
  fieldCount = <usize>steps;
  looks = allocate(<usize>mostRows * rowBytes());
  current = allocate(rowBytes());
  parts = allocate(LOOK_BYTES * fieldCount);
}

/** The field of a step takes part in likeness under a number. */
export function setLikeness(step: u32, by: u32, number: u32): void {
  store<u8>(parts + LOOK_BYTES * <usize>step, <u8>by);
  store<u32>(parts + LOOK_BYTES * <usize>step, number, 4);
}

function rowBytes(): usize {
  return LOOK_BYTES * (fieldCount + 1);
}

/** Begins a record. */
export function beginLook(): void {
  likeness = SEED;
  likenessBytes = 0;
}

/** The field of a step is absent. */
export function lookAtNothing(step: u32): void {
  store<u64>(current + LOOK_BYTES * <usize>step, 0);
}

/** The field of a step is the JSON between `start` and `end`. */
export function lookAtValue(step: u32, start: usize, end: usize): void {
  const value = hashOf(start, end - start);
  keepHash(current + LOOK_BYTES * <usize>step, value);
  const part = parts + LOOK_BYTES * <usize>step;
  const by = load<u8>(part);
  if (by === NOT) return;
  const isText = load<u8>(start) === QUOTE;
  const from = isText ? start + 1 : start;
  const behind = isText ? end - 1 : end;
  let hash = value;
  if (by === BY_TEXT) hash = hashOfFolded(from, behind);
  else if (by === BY_DAY) hash = hashOf(from, min(behind - from, DAY));
  // The high half is the first word.
  likeness = mixed(likeness, ((hash & 0xffffffff) << 32) | ((hash >> 32) ^ load<u32>(part, 4)));
  likenessBytes += <u32>LOOK_BYTES;
}

/** The record is taken as row number `row` of those taken last. */
export function keepLooks(row: u32): void {
  keepHash(current + LOOK_BYTES * fieldCount, finished(likeness, likenessBytes));
  memory.copy(looks + <usize>row * rowBytes(), current, rowBytes());
}

/** The high half stands first. */
function keepHash(at: usize, hash: u64): void {
  store<u32>(at, <u32>(hash >> 32));
  store<u32>(at, <u32>hash, 4);
}

/** Where the host writes a folded text of so many bytes. */
export function foldedRoom(size: usize): usize {
  if (size > foldedSize) {
    foldedSize = 2 * size;
    folded = allocate(foldedSize);
  }
  return folded;
}

/** Of plain ASCII the folded form is its lower case; other texts are the host's. */
function hashOfFolded(start: usize, end: usize): u64 {
  const size = end - start;
  const to = foldedRoom(size + VECTOR);
  for (let i: usize = 0; i < size; i += VECTOR) {
    const bytes = v128.load(start + i);
    const spaces = v128.and(
      i8x16.eq(bytes, i8x16.splat(SPACE)),
      i8x16.eq(v128.load(start + i + 1), i8x16.splat(SPACE)),
    );
    const odd = v128.or(v128.or(bytes, i8x16.eq(bytes, i8x16.splat(BACKSLASH))), spaces);
    const rest = size - i;
    const bits = i8x16.bitmask(odd) & (rest < VECTOR ? (1 << (<i32>rest)) - 1 : -1);
    if (bits !== 0) return hashOf(folded, <usize>fold(start, size));
    const capitals = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(CAPITAL_A)), i8x16.splat(LETTERS));
    v128.store(to + i, i8x16.add(bytes, v128.and(capitals, i8x16.splat(SPACE))));
  }
  return hashOf(to, size);
}

/** Never 0, which stands for an absent field. */
function hashOf(start: usize, size: usize): u64 {
  let state = SEED;
  let i: usize = 0;
  for (; i + 8 <= size; i += 8) state = mixed(state, load<u64>(start + i));
  if (i < size) state = mixed(state, load<u64>(start + i) & (((<u64>1) << (8 * <u64>(size - i))) - 1));
  return finished(state, <u32>size);
}

function mixed(state: u64, word: u64): u64 {
  let high = <u32>(state >> 32);
  let low = <u32>state;
  high ^= rotl<u32>(<u32>word * 0x239b961b, 15) * 0xab0e9789;
  low ^= rotl<u32>(<u32>(word >> 32) * 0xab0e9789, 16) * 0x38b34ae5;
  high = (rotl<u32>(high, 19) + low) * 5 + 0x561ccd1b;
  low = (rotl<u32>(low, 17) + high) * 5 + 0x0bcaa747;
  return ((<u64>high) << 32) | <u64>low;
}

function finished(state: u64, size: u32): u64 {
  let high = <u32>(state >> 32) ^ size;
  let low = <u32>state ^ size;
  high += low;
  low += high;
  high = scattered(high);
  low = scattered(low);
  high += low;
  low += high;
  const hash = ((<u64>high) << 32) | <u64>low;
  return hash === 0 ? 1 : hash;
}

function scattered(word: u32): u32 {
  let mix = word;
  mix = (mix ^ (mix >> 16)) * 0x85ebca6b;
  mix = (mix ^ (mix >> 13)) * 0xc2b2ae35;
  return mix ^ (mix >> 16);
}
