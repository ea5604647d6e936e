/** The delivered index: which records earlier runs have sent to one service. A folder of segment files in the state folder. */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../journal/file-system.ts';
import type { RecordType } from '../model/record.ts';
import { EXTENSION, readSegmentFile, type Segment, writeSegmentFile } from './segment-file.ts';

/** The destination of a run. What one service has received says nothing about another one. */
export interface Service {
  readonly type: RecordType;
  readonly baseUrl: string;
}

/** Above this number of files, they are merged into one. */
const MAX_FILES = 100;
/** Age at which a temporary file is certainly left over from a killed process, in milliseconds. */
const DRAFT_MS = 86_400_000;

export class DeliveredIndex {
  readonly folder: string;

  constructor(state: string, { type, baseUrl }: Service) {
    // A URL is not a valid name of a folder.
    this.folder = path.join(state, 'delivered', `${type}-${shortDigest(`${type}\n${baseUrl}`, 16)}`);
  }

  /** The segment files; none if the folder does not exist. */
  async files(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return names
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

  /** Merges the files into one if there are many. @param before entries up to this time are left out, ms since 1970 */
  async compact(now: number, before: number): Promise<void> {
    const files = await this.files();
    if (files.length <= MAX_FILES) return;
    /** For each run, the segment that was made from the longest journal. */
    const latest = new Map<string, { readonly file: string; readonly journal: number }>();
    for (const file of files) {
      for (const segment of await readSegmentFile(file, () => false)) {
        const { journal } = segment;
        const identity = identityOf(segment);
        if (journal > (latest.get(identity)?.journal ?? -1)) latest.set(identity, { file, journal });
      }
    }
    await writeSegmentFile(this.folder, `merged-${now}-${process.pid}`, async (writer) => {
      for (const file of files) {
        const isLatest = (segment: Segment): boolean => {
          const chosen = latest.get(identityOf(segment));
          return chosen?.file === file && chosen.journal === segment.journal;
        };
        await readSegmentFile(file, isLatest, (entry, segment) => {
          if (entry.time > before) writer.add(entry, segment);
        });
      }
    });
    for (const file of files) await rm(file, { force: true });
  }
}

/** Identifies a run: its folder can be used again by a later run of the same name. */
export function identityOf({ folder, startedAt }: Pick<Segment, 'folder' | 'startedAt'>): string {
  return `${folder}\n${startedAt}`;
}

export function shortDigest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
