/**
 * The shelf: files in the state folder that say which records earlier runs have sent to one service, a folder for each
 * base URL and type. A section for each run: a line with the run, a line a claim, and a line that ends it; each line
 * with a checksum, as in the journal.
 *
 * The journal of a run remains the truth, and a section is made from it. A file is written under another name and then
 * renamed, so that it is there as a whole or not at all; what a disk makes of it later shows in the checksums. Nobody
 * writes into a file that is there, so that any number of processes may read and write at once.
 */
import { createHash } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { openAppend } from '../journal/append-file.ts';
import { decodeObjectLine, encodeObjectLine } from '../journal/event-line.ts';
import { isMissing } from '../journal/exists.ts';
import { linesOf } from '../journal/file-lines.ts';
import { makeFolder } from '../journal/make-folder.ts';
import { once } from '../lib/once.ts';
import type { RecordType } from '../model/record.ts';
import type { DeliveredEntry } from './entries.ts';

/** Where a run sends: what is known of one service says nothing about another one. */
export interface Service {
  readonly type: RecordType;
  readonly baseUrl: string;
}

const section = once(() =>
  z.object({
    v: z.literal(1),
    run: z.string(),
    /** Of the run: absolute. With the time it tells two runs of one name apart. */
    folder: z.string(),
    startedAt: z.string(),
    /** Length in bytes of the journal from which it was made. */
    journal: z.number(),
  }),
);

const claim = once(() =>
  z.object({
    state: z.enum(['delivered', 'unknown']),
    time: z.number(),
    keys: z.string(),
  }),
);

const end = once(() => z.object({ end: z.number() }));

export type Section = z.infer<ReturnType<typeof section>>;

const ENDING = '.ndjson';

/** The folder of a service's shelf. Its name is a digest, because an address is no name of a folder. */
export function shelfOf(state: string, { type, baseUrl }: Service): string {
  const digest = createHash('sha256').update(`${type}\n${baseUrl}`).digest('hex').slice(0, 16);
  return path.join(state, 'delivered', `${type}-${digest}`);
}

/** The name of a section's file: another one whenever the journal has grown, so that no file ever changes. */
export function sectionName({ run, folder, startedAt, journal }: Omit<Section, 'v'>): string {
  const digest = createHash('sha256').update(`${folder}\n${startedAt}`).digest('hex').slice(0, 8);
  return `${run}-${digest}-${journal}`;
}

/** Files of a shelf; none where there is no such folder. @param only the name of one of them, without its ending */
export async function shelfFiles(shelf: string, only?: string): Promise<readonly string[]> {
  const names = await readdir(shelf).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names
    .filter((name) => (only === undefined ? name.endsWith(ENDING) : name === `${only}${ENDING}`))
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .map((name) => path.join(shelf, name));
}

/**
 * Reads a file of a shelf. Claims of a section whose end is missing were told all the same: each is true for itself.
 *
 * @param wants asked of each section; claims of one that is not wanted are passed over
 * @returns the sections that are there to their end
 */
export async function readShelfFile(
  file: string,
  wants: (section: Section) => boolean,
  onClaim: (claim: DeliveredEntry, section: Section) => void,
): Promise<readonly Section[]> {
  const whole: Section[] = [];
  let open: { readonly section: Section; readonly wanted: boolean; claims: number } | undefined;
  try {
    for await (const { text } of linesOf(file)) {
      const line = decodeObjectLine(text);
      const ended = end().safeParse(line).data;
      const found = claim().safeParse(line).data;
      if (found !== undefined && open !== undefined) {
        open.claims += 1;
        if (open.wanted) onClaim(found, open.section);
      } else if (ended !== undefined && open !== undefined) {
        if (ended.end === open.claims) whole.push(open.section);
        open = undefined;
      } else {
        const next = section().safeParse(line).data;
        open = next && { section: next, wanted: wants(next), claims: 0 };
      }
    }
  } catch (error) {
    // It went into a larger file meanwhile, which is there already.
    if (!isMissing(error)) throw error;
  }
  return whole;
}

/** Writes files of a shelf. */
export interface ShelfDraft {
  begin(section: Omit<Section, 'v'>): void;
  claim(claim: DeliveredEntry): void;
  end(): void;
  /** Puts the file in its place, under this name. */
  keep(name: string): Promise<void>;
  discard(): Promise<void>;
}

/** Begins a file of a shelf. Until it is kept nobody sees it. */
export async function draftShelfFile(shelf: string, unique: string): Promise<ShelfDraft> {
  makeFolder(shelf);
  const draft = path.join(shelf, `.${unique}.tmp`);
  await rm(draft, { force: true });
  const out = await openAppend(draft);
  let written: Promise<void> = Promise.resolve();
  let claims = 0;
  const put = (object: object): void => {
    written = out.append(encodeObjectLine(object));
    // Whoever keeps the file learns of it.
    written.catch(() => undefined);
  };
  return {
    begin(about) {
      claims = 0;
      put({ v: 1, ...about });
    },
    claim({ state, time, keys }) {
      claims += 1;
      put({ state, time, keys });
    },
    end: () => put({ end: claims }),
    async keep(name) {
      await written;
      await out.close();
      await rename(draft, path.join(shelf, `${name}${ENDING}`));
    },
    async discard() {
      await out.close();
      await rm(draft, { force: true });
    },
  };
}

/** Removes files that were left half-written, and files that nothing has been added to since `before` (in ms). */
export async function clearShelf(shelf: string, before: number): Promise<void> {
  const names = await readdir(shelf);
  for (const name of names) {
    const file = path.join(shelf, name);
    const touched = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    const limit = name.startsWith('.') ? Date.now() - DRAFT_MS : before;
    if (touched < limit) await rm(file, { force: true });
  }
}

/** Nobody writes on one file for a day. */
const DRAFT_MS = 86_400_000;
