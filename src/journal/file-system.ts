/** Small operations on the files of a run folder. Synchronous, because a thread switch takes longer. Not for large files. */
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { attempt, hasCode } from '../lib/text.ts';

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

/** Whether a write failed because the disk or a quota is full. */
export function isDiskFull(error: unknown): error is Error {
  return hasCode(error, 'ENOSPC', 'EDQUOT');
}

/** None if there is no such folder. @throws the system's error if it cannot be listed */
export function fileNamesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export function folderSize(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(path.join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}

/**
 * Makes a folder and its missing parents, with access for its owner only. Node's recursive mkdir never returns if nothing can be
 * created in a parent (`/proc`, the home of some service accounts). @throws the system's error
 */
export function makeFolder(folder: string): void {
  const parent = path.dirname(folder);
  if (parent !== folder && !isFolder(folder) && !isFolder(parent)) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it a moment ago.
    if (!isFolder(folder)) throw error;
  }
}

/** False if it is missing, or in a folder that this process cannot read. */
function isFolder(name: string): boolean {
  return attempt(() => statSync(name).isDirectory()) === true;
}

/** Replaces a file atomically: a reader sees the old content or the new one. Default: with access for its owner only. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writePrivateFile(draft, text);
    chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

/** @throws the system's error, but not for a folder: Windows and some network drives cannot sync one */
export function syncToDisk(files: readonly string[], folders: readonly string[]): void {
  for (const file of files) sync(file);
  // A file system that cannot sync a folder writes names in order.
  for (const folder of folders) attempt(() => sync(folder));
}

function sync(file: string): void {
  const fd = openSync(file, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Not through a symbolic link: in a run folder from another person, it could point to any file of the user. */
export const WRITE_NO_LINK = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;

/** Only the owner has access. @throws the system's error, also for a symbolic link */
export function writePrivateFile(file: string, content: string | Uint8Array | Uint32Array): void {
  const fd = openSync(file, constants.O_TRUNC | WRITE_NO_LINK, 0o600);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

/** Undefined if the file cannot be read, for any reason. */
export function readTextFile(file: string): string | undefined {
  return attempt(() => readFileSync(file, 'utf8'));
}

/** At most `length` bytes from an offset on; fewer at the end of the file. @throws the system's error */
export function readPart(file: string, offset: number, length: number): Buffer {
  const fd = openSync(file, 'r');
  try {
    const part = Buffer.alloc(length);
    return part.subarray(0, readSync(fd, part, 0, length, offset));
  } finally {
    closeSync(fd);
  }
}

/** Removes a file if it exists. On a read-only file system, removing a missing file would fail too. */
export function removeFile(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  try {
    unlinkSync(file);
  } catch (error) {
    // Another process has removed it meanwhile.
    if (!isMissing(error)) throw error;
  }
}
