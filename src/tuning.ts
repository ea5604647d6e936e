/**
 * What V8 is told about the memory of this kind of work: rows pass through, and next to nothing stays. By
 * default V8 takes memory as long as the machine has some, for a speed that a program of this kind gains little of.
 *
 * These are V8's own words and no promise of Node's, so they are said only to versions on which they were tried; any
 * other runs as it would. They change what memory is kept, and nothing that the program computes.
 * docs/decisions/0036-memory-of-the-engine.md has the figures.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Newer ones may not know these words, and would say so on stderr. */
const NEWEST_TRIED = 26;

const MIB = 1024 * 1024;
/** Bytes for young objects, both halves: larger, it is memory that waits to be looked at. */
const YOUNG_LIMIT = 4 * MIB;
/** Of more requests at once than this, most of what is under way is still there when V8 looks, and grows old. */
const MANY_REQUESTS = 16;
const YOUNG_LIMIT_OF_MANY = 16 * MIB;

/** WebAssembly is compiled by the quick compiler alone. */
const BASELINE = '--liftoff-only';
/** It is compiled by the other one alone, and at once; and back to the baseline. */
const AT_BEST = ['--no-liftoff-only', '--no-liftoff', '--no-wasm-lazy-compilation'];
const AS_BEFORE = ['--liftoff', '--wasm-lazy-compilation', BASELINE];

/**
 * What every command needs of Node. It brings code that was compiled when Node was built, and V8 takes such code under
 * the flags alone under which it was made: loaded after the first flag, these take 11 ms in place of 3.
 */
const OF_NODE = [
  'node:fs/promises',
  'node:net',
  'node:os',
  'node:stream/promises',
  'node:timers/promises',
  'node:tty',
  'node:vm',
  'node:zlib',
];

/**
 * To be called before anything is loaded that compiles WebAssembly, and before what was compiled at the build
 * (load.ts), which V8 takes under these flags alone.
 */
export function tuneV8(version: string = process.versions.node): void {
  for (const name of OF_NODE) process.getBuiltinModule(name);
  for (const flag of flagsFor(Number.parseInt(version, 10))?.atOnce ?? []) setFlagsFromString(flag);
}

let youngLimit = YOUNG_LIMIT;
let isWatched = false;

/**
 * V8 doubles the space for young objects again and again, at collections: from now on it is watched until it is large
 * enough. To be called when a command has been loaded, for this ends in another flag.
 */
export function limitYoungSpace(version: string = process.versions.node): void {
  const flags = flagsFor(Number.parseInt(version, 10));
  if (flags === undefined || isWatched) return;
  isWatched = true;
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < youngLimit) return;
    for (const flag of flags.whenGrown) setFlagsFromString(flag);
    observer.disconnect();
    isWatched = false;
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Gives objects more room where many requests are under way at once. To be called before the first one. */
export function makeRoomFor(requests: number, version: string = process.versions.node): void {
  const flags = flagsFor(Number.parseInt(version, 10));
  if (flags === undefined || requests <= MANY_REQUESTS) return;
  for (const flag of flags.forMany) setFlagsFromString(flag);
  youngLimit = YOUNG_LIMIT_OF_MANY;
  limitYoungSpace(version);
}

interface Flags {
  readonly atOnce: readonly string[];
  /** Once the space for young objects has its size. */
  readonly whenGrown: readonly string[];
  /** Where many requests are under way at once. */
  readonly forMany: readonly string[];
}

/** @param major of Node. Undefined where nobody tried */
export function flagsFor(major: number): Flags | undefined {
  if (!(major >= 20 && major <= NEWEST_TRIED)) return undefined;
  return {
    atOnce: [
      // Old objects may take half as much again as what is alive before they are looked at, and not four times as much.
      '--heap-growing-percent=50',
      // Node 20 compiles all of undici's parser of answers at its best: 27 MB of work for 150 bytes an answer.
      ...(major < 22 ? [BASELINE] : []),
    ],
    whenGrown: ['--semi-space-growth-factor=1'],
    // The space for young objects may have stopped growing already.
    forMany: ['--heap-growing-percent=100', '--semi-space-growth-factor=2'],
  };
}

/**
 * What is compiled within `compile` is compiled at its best, whatever is said of the rest: the fast path's kernel is
 * small and has most of the work. It takes about 20 ms.
 */
export function compileAtBest<T>(compile: () => T, version: string = process.versions.node): T {
  const back = allowBest(version);
  try {
    return compile();
  } finally {
    back();
  }
}

/** The same where a library compiles in its own time. Nothing else is to be loaded meanwhile. */
export async function loadedAtBest<T>(
  load: () => Promise<T>,
  version: string = process.versions.node,
): Promise<T> {
  const back = allowBest(version);
  try {
    return await load();
  } finally {
    back();
  }
}

/** Returns what takes it back. */
function allowBest(version: string): () => void {
  const flags = flagsFor(Number.parseInt(version, 10));
  if (flags?.atOnce.includes(BASELINE) !== true) return () => undefined;
  // To say the opposite of the baseline is not enough: it has told V8 never to use the other compiler later on.
  for (const flag of AT_BEST) setFlagsFromString(flag);
  return () => {
    for (const flag of AS_BEFORE) setFlagsFromString(flag);
  };
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
