/**
 * Small files of a run, written and removed at once, on this thread: to hand such a thing to another thread and to
 * hear back takes several times as long as the thing itself, and a run does some thirty of them before its first
 * request. Never for what may be a pipe, may be large, or must have reached the disk.
 */
import { lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { isMissing } from './exists.ts';

/** Writes a whole file so that a reader sees the old one or the new one, never a half. For its owner alone. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.tmp`;
  try {
    writePrivateFile(draft, text);
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

/** For its owner alone. */
export function writePrivateFile(file: string, content: string | Uint8Array | Uint32Array): void {
  writeFileSync(file, content, { mode: 0o600 });
}

/** Undefined where it cannot be read, for whatever reason. */
export function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not there, not on this system, or not for us.
    return undefined;
  }
}

/** Removes a file, if it is there: where nothing may be written, to remove what is missing is refused as well. */
export function removeFile(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  try {
    unlinkSync(file);
  } catch (error) {
    // Another process has removed it since.
    if (!isMissing(error)) throw error;
  }
}
