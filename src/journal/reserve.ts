/**
 * Room that is kept free for the last lines of a journal: on a full disk the answers to requests that are under way
 * could not be written down otherwise, and nobody would know of them afterwards.
 */
import { randomFillSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';

/** Enough for the results of more requests than anybody has under way at once. */
const RESERVE_BYTES = 64 * 1024;

/** Takes the room. Random bytes, so that no file system stores them as nothing. */
export async function takeReserve(file: string): Promise<void> {
  await writeFile(file, randomFillSync(Buffer.alloc(RESERVE_BYTES)), { mode: 0o600 });
}

export function giveReserve(file: string): Promise<void> {
  return rm(file, { force: true });
}

/** Whether a write failed because there is no room, of the disk or of a quota. */
export function isFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
