/** The delivered index: which records earlier runs have sent to one service. A folder of segment files in the state folder. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileNamesIn, isMissing } from '../journal/file-system.ts';
import type { RecordType } from '../model/record.ts';
import { EXTENSION, type Segment } from './segment-file.ts';

/** The destination of a run. What one service has received says nothing about another one. */
export interface Service {
  readonly type: RecordType;
  readonly baseUrl: string;
}

/** Above this number of files of single runs, they are joined. */
const MAX_FILES = 100;
/** Names of joined files. They are never joined again, so that each becomes old and is removed. */
const MERGED = 'merged-';
/** Age at which a temporary file is certainly left over from a killed process, in milliseconds. */
const DRAFT_MS = 86_400_000;

export class DeliveredIndex {
  readonly folder: string;

  constructor(state: string, { type, baseUrl }: Service) {
    // A URL is not a valid name of a folder.
    this.folder = path.join(state, 'delivered', `${type}-${shortDigest(`${type}\n${baseUrl}`, 16)}`);
  }

  /** The segment files; none if the folder does not exist. */
  files(): readonly string[] {
    return fileNamesIn(this.folder)
      .filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
      .toSorted()
      .map((name) => path.join(this.folder, name));
  }

  /** Removes files that are older than a time, and temporary files of killed processes. @param before ms since 1970 */
  async removeFiles(before: number): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const file = path.join(this.folder, name);
      const modified = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      const limit = name.startsWith('.') ? Date.now() - DRAFT_MS : before;
      if (modified < limit) await rm(file, { force: true });
    }
  }

  /** Joins the files that were written since the last time, if there are many. */
  async compact(now: number): Promise<void> {
    const files = this.files().filter((file) => !path.basename(file).startsWith(MERGED));
    if (files.length <= MAX_FILES) return;
    const draft = path.join(this.folder, `.${MERGED}${now}-${process.pid}.tmp`);
    try {
      await writeFile(draft, contentsOf(files), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // Another process joins them at the same time. The draft is removed later.
      if (isMissing(error)) return;
      throw error;
    }
    await rename(draft, path.join(this.folder, `${MERGED}${now}-${process.pid}${EXTENSION}`));
    for (const file of files) await rm(file, { force: true });
  }
}

async function* contentsOf(files: readonly string[]): AsyncGenerator<Buffer> {
  for (const file of files) yield* createReadStream(file);
}

/** Identifies a run: its folder can be used again by a later run of the same name. */
export function identityOf({ folder, startedAt }: Pick<Segment, 'folder' | 'startedAt'>): string {
  return `${folder}\n${startedAt}`;
}

export function shortDigest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
