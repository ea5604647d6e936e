/**
 * Room that is kept free for the last lines of a journal: on a full disk the answers to requests that are under way
 * could not be written down otherwise, and nobody would know of them afterwards.
 */
import { rm } from 'node:fs/promises';
import { writeSmall } from './small-file.ts';

/** Enough for the results of more requests than anybody has under way at once. */
const RESERVE_BYTES = 64 * 1024;

/** Takes the room. With bytes at random, so that no file system stores them as nothing. */
export function takeReserve(file: string): void {
  const words = new Uint32Array(RESERVE_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  for (let n = 0; n < words.length; n += 1) words[n] = Math.random() * 2 ** 32;
  writeSmall(file, words);
}

/**
 * Gives the room. By another thread, as a pipe's copy is written: one that fills the disk just now has failed before
 * the room is there. Given at once, the copy took it, and the journal's first line found none.
 */
export function giveReserve(file: string): Promise<void> {
  return rm(file, { force: true });
}

/** Whether a write failed because there is no room, of the disk or of a quota. */
export function isFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
