/**
 * Room that is kept free for the last lines of a journal: on a full disk the answers to requests that are under way
 * could not be written down otherwise, and nobody would know of them afterwards.
 */
import { removeFile, writePrivateFile } from './file-system.ts';

/** Enough for the results of more requests than anybody has under way at once. */
const RESERVE_BYTES = 64 * 1024;

/** Takes the room. With bytes at random, so that no file system stores them as nothing. */
export function takeReserve(file: string): void {
  const words = new Uint32Array(RESERVE_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  for (let n = 0; n < words.length; n += 1) words[n] = Math.random() * 2 ** 32;
  writePrivateFile(file, words);
}

/** Gives the room. */
export function giveReserve(file: string): void {
  removeFile(file);
}

/** Whether a write failed because there is no room, of the disk or of a quota. */
export function isDiskFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
