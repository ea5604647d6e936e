/**
 * A file of records that runs have sent to one service. Entries are sorted by the first word of their key, so that a lookup reads
 * one block; a Bloom filter answers 99 % of the lookups of new records without reading. A file is never changed.
 *
 * Layout: entries | first word and CRC-32 of each block | Bloom filter | runs as JSON | length of that JSON, number of entries,
 * words of the filter, CRC-32 of all after the entries, {@link MAGIC}. Numbers are words of 32 bits.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder, removeFile, syncToDisk, writePrivateFile } from '../journal/file-system.ts';
import { ProblemError } from '../model/problem.ts';

export interface SendingRun {
  readonly run: string;
  /** ISO 8601. Together with the name it identifies a run. */
  readonly startedAt: string;
  /** The run folder: absolute. */
  readonly folder: string;
  /** When it ended, or was found killed: milliseconds since 1970. */
  readonly time: number;
}

/** Words of an entry: three of the key, and `run * 2`, plus one if it is unknown whether the record has arrived. */
export const ENTRY_WORDS = 4;
const ENTRY_BYTES = ENTRY_WORDS * 4;
const BLOCK_ENTRIES = 256;
const BLOCK_WORDS = BLOCK_ENTRIES * ENTRY_WORDS;
const BLOCK_BYTES = BLOCK_ENTRIES * ENTRY_BYTES;
const BITS_PER_ENTRY = 10;
const PROBES = 5;
const TAIL_WORDS = 5;
const MAGIC = 0x51_67_73_02;

export const EXTENSION = '.sent';

export class SentFile {
  readonly path: string;
  readonly entries: number;
  readonly runs: readonly SendingRun[];
  readonly #fd: number;
  readonly #blocks: Uint32Array;
  readonly #bloom: Uint32Array;
  readonly #block = new Uint32Array(BLOCK_WORDS);

  /** @throws the system's error, or ProblemError `state.damaged` */
  constructor(file: string) {
    this.path = file;
    this.#fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(this.#fd);
      const tail = new Uint32Array(TAIL_WORDS);
      readSync(this.#fd, tail, { position: Math.max(0, size - tail.byteLength) });
      const [jsonBytes = 0, entries = 0, bloomWords = 0, checksum = 0, magic] = tail;
      const blockBytes = 8 * Math.ceil(entries / BLOCK_ENTRIES);
      const bytes = entries * ENTRY_BYTES + blockBytes + bloomWords * 4 + jsonBytes + tail.byteLength;
      if (magic !== MAGIC || bytes !== size) throw damaged(file);
      const blocks = new Uint32Array(blockBytes / 4);
      const bloom = new Uint32Array(bloomWords);
      const json = new Uint8Array(jsonBytes);
      let at = entries * ENTRY_BYTES;
      let crc = 0;
      for (const part of [blocks, bloom, json]) {
        readSync(this.#fd, part, { position: at });
        crc = crc32(bytesOf(part), crc);
        at += part.byteLength;
      }
      if (crc !== checksum) throw damaged(file);
      this.entries = entries;
      this.runs = JSON.parse(Buffer.from(json).toString('utf8'));
      this.#blocks = blocks;
      this.#bloom = bloom;
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  find(words: Uint32Array, at: number): readonly number[] {
    const [a = 0, b = 0, c = 0] = [words[at], words[at + 1], words[at + 2]];
    if (!isInBloom(this.#bloom, b, c)) return NONE;
    const found: number[] = [];
    // Equal first words can begin in the block before.
    for (let block = Math.max(0, this.#firstBlockFrom(a) - 1); this.#firstWord(block) <= a; block += 1) {
      const entries = this.#readBlock(block);
      for (let entry = 0; entry < entries.length; entry += ENTRY_WORDS) {
        if (entries[entry] === a && entries[entry + 1] === b && entries[entry + 2] === c) {
          found.push(entries[entry + 3] ?? 0);
        }
      }
    }
    return found;
  }

  read(): Uint32Array {
    const words = new Uint32Array(this.entries * ENTRY_WORDS);
    readSync(this.#fd, words, { position: 0 });
    for (let block = 0; block * 2 < this.#blocks.length; block += 1) {
      this.#assertIntact(block, words.subarray(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS));
    }
    return words;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #firstBlockFrom(word: number): number {
    let low = 0;
    let high = this.#blocks.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#firstWord(middle) < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #firstWord(block: number): number {
    return this.#blocks[block * 2] ?? Number.POSITIVE_INFINITY;
  }

  #readBlock(block: number): Uint32Array {
    const words = this.#block.subarray(0, Math.min(BLOCK_ENTRIES, this.entries - block * BLOCK_ENTRIES) * ENTRY_WORDS);
    readSync(this.#fd, words, { position: block * BLOCK_BYTES });
    this.#assertIntact(block, words);
    return words;
  }

  #assertIntact(block: number, words: Uint32Array): void {
    if (crc32(bytesOf(words)) !== this.#blocks[block * 2 + 1]) throw damaged(this.path);
  }
}

const NONE: readonly number[] = [];

function damaged(file: string): ProblemError {
  return new ProblemError({
    code: 'state.damaged',
    message: 'This file is damaged. It lists records that earlier runs have sent.',
    where: file,
    hint: 'Restore it from a backup. Without it, records that are in no other list may be sent again: if that is acceptable, delete it.',
  });
}

function bytesOf(words: Uint32Array | Uint8Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

function isInBloom(bloom: Uint32Array, b: number, c: number): boolean {
  const bits = bloom.length * 32;
  for (let probe = 0, hash = b; probe < PROBES; probe += 1, hash = (hash + c) >>> 0) {
    const bit = hash % bits;
    if (((bloom[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

function addToBloom(bloom: Uint32Array, b: number, c: number): void {
  const bits = bloom.length * 32;
  for (let probe = 0, hash = b; probe < PROBES; probe += 1, hash = (hash + c) >>> 0) {
    const bit = hash % bits;
    bloom[bit >>> 5] = (bloom[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }
}

/** @param words of at most {@link MOST_ENTRIES} entries, in any order */
export function writeSentFile(file: string, runs: readonly SendingRun[], words: Uint32Array): void {
  const sorted = sortEntries(words);
  const entries = sorted.length / ENTRY_WORDS;
  const bloom = new Uint32Array(Math.max(1, Math.ceil((entries * BITS_PER_ENTRY) / 32)));
  for (let at = 0; at < sorted.length; at += ENTRY_WORDS) addToBloom(bloom, sorted[at + 1] ?? 0, sorted[at + 2] ?? 0);
  const blocks: number[] = [];
  for (let from = 0; from < sorted.length; from += BLOCK_WORDS) {
    const block = sorted.subarray(from, from + BLOCK_WORDS);
    blocks.push(block[0] ?? 0, crc32(bytesOf(block)));
  }
  const json = Buffer.from(JSON.stringify(runs));
  const rest = Buffer.concat([bytesOf(Uint32Array.from(blocks)), bytesOf(bloom), json]);
  const tail = Uint32Array.of(json.length, entries, bloom.length, crc32(rest), MAGIC);
  makeFolder(path.dirname(file));
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.tmp`);
  try {
    writePrivateFile(draft, Buffer.concat([bytesOf(sorted), rest, bytesOf(tail)]));
    syncToDisk([draft], []);
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

/** Entries of the largest file: 16 MB. Together with a first word, an index fits into the 53 bits of a number. */
export const MOST_ENTRIES = 2 ** 20;

function sortEntries(words: Uint32Array): Uint32Array {
  const order = new Float64Array(words.length / ENTRY_WORDS);
  for (let entry = 0; entry < order.length; entry += 1) {
    order[entry] = (words[entry * ENTRY_WORDS] ?? 0) * MOST_ENTRIES + entry;
  }
  const sorted = new Uint32Array(words.length);
  let at = 0;
  for (const key of order.sort()) {
    const from = (key % MOST_ENTRIES) * ENTRY_WORDS;
    for (let word = from; word < from + ENTRY_WORDS; word += 1, at += 1) sorted[at] = words[word] ?? 0;
  }
  return sorted;
}

/**
 * @param files together at most {@link MOST_ENTRIES} entries
 * @param isWanted whether the entries of a run are still needed
 */
export function mergeSentFiles(
  files: readonly SentFile[],
  target: string,
  isWanted: (run: SendingRun) => boolean,
): void {
  const runs: SendingRun[] = [];
  const numberOf = (run: SendingRun): number => {
    if (!isWanted(run)) return -1;
    const known = runs.findIndex((one) => one.run === run.run && one.startedAt === run.startedAt);
    if (known < 0) return runs.push(run) - 1;
    if ((runs[known]?.time ?? 0) < run.time) runs[known] = run;
    return known;
  };
  const joined = new Uint32Array(ENTRY_WORDS * files.reduce((sum, { entries }) => sum + entries, 0));
  let length = 0;
  for (const file of files) {
    const numbers = file.runs.map(numberOf);
    const words = file.read();
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      const value = words[at + 3] ?? 0;
      const run = numbers[value >>> 1] ?? -1;
      if (run < 0) continue;
      for (let word = 0; word < 3; word += 1) joined[length + word] = words[at + word] ?? 0;
      joined[length + 3] = run * 2 + (value & 1);
      length += ENTRY_WORDS;
    }
  }
  writeSentFile(target, runs, joined.subarray(0, length));
}
