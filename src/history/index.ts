/**
 * What earlier runs have sent: joins the files of the state folder (journal/) and the filter of the prepare half
 * (seen/). A run is entered in the list before it sends, and on the shelf when it has ended. Of a run that was killed
 * in between, whoever comes next makes the section from its journal: so nothing is claimed that the journal does not
 * say, and nothing is forgotten that it says.
 *
 * A fault of the state folder is a warning. It costs no run, and is told because rows may then be sent a second time.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { journalSize } from '../journal/exists.ts';
import { lockHolder } from '../journal/lock.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { RunFile } from '../journal/run-file.ts';
import { addToRunList, type RunListEntry, readRunList } from '../journal/run-list.ts';
import { rowsOf } from '../lib/row-spans.ts';
import { messageOf } from '../lib/text.ts';
import type { BatchSealed } from '../model/event.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { type DeliveredEntry, EntryBuilder } from './entries.ts';
import { splitKeys } from './record-key.ts';
import type { SeenStore } from './seen-filter.ts';
import {
  clearShelf,
  draftShelfFile,
  readShelfFile,
  type Section,
  type Service,
  type ShelfDraft,
  sectionName,
  shelfFiles,
  shelfOf,
} from './segments.ts';

/** So long a record counts as sent by an earlier run, in milliseconds. */
export const REMEMBERED_MS = 90 * 86_400_000;
/** Behind that nothing on the shelf is needed any more: a run that began in time may have waited before it went on. */
const FORGOTTEN_MS = 2 * REMEMBERED_MS;
/** Files of a shelf, beyond which they are put together. */
const SHELF_FILES = 100;

export interface Asked extends Service {
  /** The state folder. */
  readonly state: string;
  /** When the run that asks began: milliseconds since 1970. What was sent {@link REMEMBERED_MS} before is forgotten. */
  readonly now: number;
  /** Of a run that goes on: as of when, as {@link addEarlier} has told it. Absent where the run begins. */
  readonly asOf?: number;
  /** Folder of the run that asks: its own records are none of an earlier run. */
  readonly self?: string;
}

/** In the folder of a run that was packed: what was known of earlier runs where it began. */
const CARRIED = 'earlier';

export interface Added {
  /** As of when: what is sent later is not known to the run that asked, however often it goes on. */
  readonly asOf: number;
  /** What could not be found out. */
  readonly warnings: readonly Problem[];
}

/** Tells the filter which records earlier runs have sent, as of a point in time. */
export function addEarlier(asked: Asked, seen: Pick<SeenStore, 'addEarlier'>): Promise<Added> {
  return eachEarlier(asked, ({ state, keys }, run) => {
    const earlier = { state, run };
    for (const key of splitKeys(keys)) seen.addEarlier(key, earlier);
  });
}

async function eachEarlier(asked: Asked, on: (claim: DeliveredEntry, run: string) => void): Promise<Added> {
  const { state, now, asOf = Number.POSITIVE_INFINITY } = asked;
  const self = asked.self === undefined ? undefined : path.resolve(asked.self);
  // A clock that was set back must not hide what was sent a moment ago.
  let newest = now;
  const add = (claim: DeliveredEntry, run: string): void => {
    if (claim.time <= now - REMEMBERED_MS || claim.time > asOf) return;
    newest = Math.max(newest, claim.time);
    on(claim, run);
  };
  const warnings: Problem[] = [];
  try {
    if (self !== undefined) {
      for (const file of await shelfFiles(self, CARRIED)) {
        await readShelfFile(
          file,
          () => true,
          (claim, { run }) => add(claim, run),
        );
      }
    }
    const { journals, unkept } = await journalsOf(asked);
    if (unkept > 0) warnings.push(notKept(unkept));
    const isFresh = (section: Section): boolean => {
      const size = journals.get(identityOf(section))?.size;
      return size === undefined || size === section.journal;
    };
    const done = new Set<string>();
    const looked = new Set<string>();
    // Files may have gone into a larger one while they were read: then that one is new.
    for (;;) {
      const file = (await shelfFiles(shelfOf(state, asked))).find((one) => !looked.has(one));
      if (file === undefined) break;
      looked.add(file);
      const wants = (section: Section): boolean => section.folder !== self && isFresh(section);
      const whole = await readShelfFile(file, wants, (claim, { run }) => add(claim, run));
      for (const section of whole) if (isFresh(section)) done.add(identityOf(section));
    }
    for (const [identity, { run }] of journals) {
      if (run.folder === self || done.has(identity)) continue;
      warnings.push(...(await addFromJournal(state, run, (claim) => add(claim, run.run))));
    }
  } catch (error) {
    warnings.push(
      unusable(state, error, 'What earlier runs have sent cannot be looked up, and may be sent again'),
    );
  }
  return { asOf: Number.isFinite(asOf) ? asOf : newest, warnings };
}

/**
 * Writes what a run knows of earlier ones into its folder, so that it can go on where there is no such shelf. A run that
 * asks nothing of earlier ones has nothing to carry.
 */
export async function carryEarlier(
  state: string,
  runFile: RunFile,
  folder: string,
): Promise<readonly Problem[]> {
  const { type, baseUrl, startedAt, skipSent } = runFile;
  if (skipSent === undefined) return [];
  const now = Date.parse(startedAt);
  const asked = { state, type, baseUrl, now, asOf: Date.parse(skipSent), self: folder };
  try {
    return await drafted(folder, CARRIED, async (draft) => {
      let open: string | undefined;
      const { warnings } = await eachEarlier(asked, (claim, run) => {
        if (open !== undefined && open !== run) draft.end();
        if (open !== run) draft.begin({ run, folder: '', startedAt, journal: 0 });
        open = run;
        draft.claim(claim);
      });
      if (open !== undefined) draft.end();
      return warnings;
    });
  } catch (error) {
    throw new ProblemError({
      code: 'pack.failed',
      message: `What earlier runs have sent cannot be written into the run folder: ${messageOf(error)}. Nothing was packed.`,
      where: folder,
      hint: 'Make room on the disk.',
    });
  }
}

/** Two runs may have one name, and one folder after the other. */
function identityOf({ folder, startedAt }: Pick<RunListEntry, 'folder' | 'startedAt'>): string {
  return `${folder}\n${startedAt}`;
}

/**
 * The runs that have sent to a service and tell the keys of their records, with the lengths of their journals; and how
 * many do not tell them.
 */
async function journalsOf({ state, type, baseUrl, now, asOf = now, self }: Asked) {
  const journals = new Map<string, { readonly run: RunListEntry; readonly size: number }>();
  let unkept = 0;
  for (const run of await readRunList(state)) {
    if (run.sandbox || run.type !== type || run.baseUrl !== baseUrl) continue;
    const began = Date.parse(run.startedAt);
    if (!run.keys) {
      if (began > now - REMEMBERED_MS && began <= asOf && run.folder !== self) unkept += 1;
      continue;
    }
    if (began <= now - FORGOTTEN_MS) continue;
    const size = await journalSize(run.folder);
    if (size > 0) journals.set(identityOf(run), { run, size });
  }
  return { journals, unkept };
}

function notKept(runs: number): Problem {
  const [its, it] = runs === 1 ? ['its', 'it was'] : ['their', 'they were'];
  return {
    code: 'state.unkept',
    message: `${runs === 1 ? 'One earlier run' : `${runs} earlier runs`} to this service did not keep what was sent, because ${it} made without --skip-delivered: ${its} rows are sent again.`,
    hint: 'By its interface the service recognises signals that it gets a second time.',
  };
}

/** A run that is not on the shelf as it is now: it was killed before it got there, or works yet. */
async function addFromJournal(
  state: string,
  run: RunListEntry,
  add: (claim: DeliveredEntry) => void,
): Promise<readonly Problem[]> {
  const held = (await lockHolder(run.folder)) !== undefined;
  try {
    await eachClaim(run.folder, held, add);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problems.filter(hasSent).map(({ message, where }) => ({
      code: 'state.journal',
      message: `What ${run.run} has sent is not known, and may be sent again. ${message}`,
      ...(where === undefined ? {} : { where }),
    }));
  }
  if (held) return [];
  try {
    await shelve(state, run);
    return [];
  } catch (error) {
    return [unusable(state, error, NOT_KEPT)];
  }
}

/** A journal without its first line is that of a run that never began. */
function hasSent({ code }: Problem): boolean {
  return code !== 'journal.empty';
}

/** @param held whether a process works on the run: then what is under way is not lost */
async function eachClaim(folder: string, held: boolean, on: (claim: DeliveredEntry) => void): Promise<void> {
  let entries: EntryBuilder | undefined;
  const { ledger } = await readJournal(path.join(folder, 'journal.ndjson'), (event, soFar, changes) => {
    entries ??= new EntryBuilder(!contracts[soFar.type].deduplicates, on);
    entries.add(event, soFar, changes);
  });
  if (!held) entries?.addInFlight(ledger);
}

/** Enters a run in the list, before it sends anything. @returns why that was not possible */
export async function enterRun(state: string, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  try {
    await addToRunList(state, listedOf(runFile, folder));
    return [];
  } catch (error) {
    return [
      unusable(
        state,
        error,
        'The run cannot be entered in the list of runs: it is known by its folder alone',
      ),
    ];
  }
}

/**
 * Puts what a run has sent onto the shelf. To be called when it has ended, by the process that holds it.
 *
 * @returns why that was not possible
 */
export async function shelveRun(
  state: string,
  runFile: RunFile,
  folder: string,
  now: number,
): Promise<readonly Problem[]> {
  const run = listedOf(runFile, folder);
  if (run.sandbox || !run.keys) return [];
  try {
    await shelve(state, run);
    await tidy(shelfOf(state, run), now);
    return [];
  } catch (error) {
    return [unusable(state, error, NOT_KEPT)];
  }
}

function listedOf(runFile: RunFile, folder: string): RunListEntry {
  const { run, startedAt, type, baseUrl, sandbox, keys = false } = runFile;
  return { run, folder: path.resolve(folder), startedAt, type, baseUrl, sandbox, keys };
}

async function shelve(state: string, listed: RunListEntry): Promise<void> {
  const { run, folder, startedAt } = listed;
  // Taken first: where the journal grows meanwhile, the section is not fresh and will be made anew.
  const about = { run, folder, startedAt, journal: await journalSize(folder) };
  await drafted(shelfOf(state, listed), sectionName(about), async (draft) => {
    draft.begin(about);
    await eachClaim(folder, false, draft.claim);
    draft.end();
  });
}

/** Removes what is forgotten, and makes one file of many. */
async function tidy(shelf: string, now: number): Promise<void> {
  await clearShelf(shelf, now - FORGOTTEN_MS);
  const files = await shelfFiles(shelf);
  if (files.length <= SHELF_FILES) return;
  /** The file and the length of the journal that say most of a run. */
  const best = new Map<string, { readonly file: string; readonly journal: number }>();
  for (const file of files) {
    for (const section of await readShelfFile(file, () => false, nothing)) {
      const { journal } = section;
      if (journal > (best.get(identityOf(section))?.journal ?? -1))
        best.set(identityOf(section), { file, journal });
    }
  }
  await drafted(shelf, `together-${now}-${process.pid}`, async (draft) => {
    for (const file of files) {
      let open: Section | undefined;
      const isBest = (section: Section): boolean => {
        const chosen = best.get(identityOf(section));
        return chosen?.file === file && chosen.journal === section.journal;
      };
      await readShelfFile(file, isBest, (claim, section) => {
        if (claim.time <= now - FORGOTTEN_MS) return;
        if (open !== section) {
          if (open !== undefined) draft.end();
          draft.begin(section);
        }
        open = section;
        draft.claim(claim);
      });
      if (open !== undefined) draft.end();
    }
  });
  for (const file of files) await rm(file, { force: true });
}

/** Writes a file of a shelf, which is there when all of it is written. */
async function drafted<T>(shelf: string, name: string, write: (draft: ShelfDraft) => Promise<T>): Promise<T> {
  const draft = await draftShelfFile(shelf, `${name}-${process.pid}`);
  try {
    const written = await write(draft);
    await draft.keep(name);
    return written;
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

function nothing(): void {}

/**
 * Tells the filter of the records that an earlier part of the run itself has sealed: `batch.sealed` of its journal, in
 * their order.
 */
export function addSealed(seen: Pick<SeenStore, 'addSealed'>, { keys = '', ranges }: BatchSealed): void {
  const places = ranges.flatMap((range) => rowsOf(range).map(({ line }) => ({ source: range.source, line })));
  for (const [n, key] of splitKeys(keys).entries()) {
    const place = places[n];
    if (place !== undefined) seen.addSealed(key, place);
  }
}

const NOT_KEPT = 'What this run has sent cannot be kept, so that a later run may send it again';

function unusable(state: string, error: unknown, what: string): Problem {
  return {
    code: 'state.folder',
    message: `${what}: ${messageOf(error)}.`,
    where: state,
    hint: 'Make the folder writable, or name another one with SIGNALS_STATE_DIR. The run itself is whole.',
  };
}
