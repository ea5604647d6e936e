/**
 * Unpacks an archive of `runs pack` into a folder of runs. The archive comes from another person: it may contain only
 * regular files in run folders, and it is unpacked beside the runs first, so that a bad one leaves nothing behind.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry, type TarHeader } from 'modern-tar';
import { isDiskFull, syncToDisk } from '../journal/file-system.ts';
import { decodeLine, linesIfExists } from '../journal/lines.ts';
import { readJournal } from '../journal/read-journal.ts';
import { readRunFile } from '../journal/run-file.ts';
import { createRoot, journalSize, type RunFolder } from '../journal/run-folder.ts';
import { messageOf } from '../lib/text.ts';
import type { RunEvent } from '../model/event.ts';
import { ProblemError } from '../model/problem.ts';
import { LOCAL, SUBFOLDERS } from './pack-run.ts';

/** Run folders that are this large never unpack to this many times the size of their archive. */
const BOMB_BYTES = 2 ** 30;
const BOMB_RATIO = 250;

const RUN_ID = /^[A-Za-z0-9][\w.-]{0,149}$/;
/** Parts of a path. Windows reads `a:b` as a part of the file `a`, and `\` as a separator. */
const FORBIDDEN = process.platform === 'win32' ? /^\.{0,2}$|[\\:\p{Cc}]/u : /^\.{0,2}$|\p{Cc}/u;

/**
 * The packed run, as a folder of runs has it. An archive that was unpacked there before is not unpacked again, because
 * the folder may know more by now.
 *
 * @throws ProblemError `archive.unsafe`, `archive.damaged`, `archive.differs`; `run.folder` if nothing can be written there
 */
export async function unpackRun(
  archive: string,
  root: string,
): Promise<{ readonly folder: RunFolder; readonly isNew: boolean }> {
  if (/\.tmp$/i.test(archive)) throw damaged(archive, 'by its name it is incomplete');
  createRoot(root);
  const draft = mkdtempSync(path.join(root, '.unpack-'));
  try {
    const id = await extract(archive, draft);
    const folder = path.join(root, id);
    const packed = path.join(draft, id);
    const { run } = await readRunFile(packed);
    if (run !== id) throw damaged(archive, `the folder ${id} has the run ${run}`);
    if ((await bytesOfRun(packed)) <= 0) throw damaged(archive, `${id} has no journal`);
    const isThere = existsSync(folder);
    if (isThere) await assertSame(archive, folder, packed);
    const isNew = !isThere || (await isCopyOf(folder, packed));
    if (isThere && isNew) renameSync(folder, path.join(draft, 'copy'));
    if (isNew) renameSync(packed, folder);
    return { folder: { id, path: folder }, isNew };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Writes the files of an archive into a folder. @returns the id of its run */
async function extract(archive: string, draft: string): Promise<string> {
  const limit = Math.max(BOMB_BYTES, BOMB_RATIO * statSync(archive).size);
  const ids = new Set<string>();
  let bytes = 0;
  const assertSafe = ({ name, type, size }: TarHeader): void => {
    const [id = '', ...inside] = name.split('/');
    const isKnown = inside.length === 1 || (inside.length === 2 && SUBFOLDERS.includes(inside[0] ?? ''));
    const isInside = RUN_ID.test(id) && isKnown && !inside.some((part) => FORBIDDEN.test(part));
    if (!isInside) throw unsafe(archive, `it has a file outside a run folder (${name})`);
    if (type !== 'file') throw unsafe(archive, `it has a link or a special file (${name})`);
    if (LOCAL.test(inside.join('/'))) throw unsafe(archive, `it has a file that is never packed (${name})`);
    bytes += size;
    if (bytes > limit) throw unsafe(archive, `it would unpack to more than ${limit} bytes`);
    ids.add(id);
  };
  const write = async (entries: AsyncIterable<ParsedTarEntry>): Promise<void> => {
    for await (const { header, body } of entries) {
      assertSafe(header);
      const file = path.join(draft, header.name);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(body, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
      // A part of a run would hide the archive.
      syncToDisk([file], []);
    }
  };
  const decoder = Duplex.fromWeb(createTarDecoder({ strict: true }), { objectMode: true });
  try {
    await pipeline(createReadStream(archive), createGunzip(), decoder, write);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (!isDiskFull(error)) throw damaged(archive, messageOf(error).replace(/\.$/, ''));
    const message = `Cannot unpack the archive into ${path.dirname(draft)}: ${messageOf(error)}`;
    throw refused(archive, 'run.folder', message, 'Free disk space, or name another folder for runs with --out DIR.');
  }
  const [id, ...others] = ids;
  if (id === undefined) throw damaged(archive, 'it is empty');
  if (others.length > 0) throw unsafe(archive, 'it has more than one run');
  return id;
}

/** The journal of the folder must have everything that the packed one has, except the line that makes it a copy. */
async function assertSame(archive: string, folder: string, packed: string): Promise<void> {
  const bytes = await bytesOfRun(packed);
  const isLongEnough = journalSize(folder) >= bytes;
  if (isLongEnough && (await digestOfJournal(folder, bytes)) === (await digestOfJournal(packed, bytes))) return;
  const message = `${folder} exists already and knows less than the archive, or something else`;
  const hint = 'Move that folder away, or name another folder for runs with --out DIR.';
  throw refused(archive, 'archive.differs', message, hint);
}

/** Whether a folder is only a copy to look at, and the archive may send. */
async function isCopyOf(folder: string, packed: string): Promise<boolean> {
  const [{ runState: known }, { runState }] = await Promise.all([readJournal(folder), readJournal(packed)]);
  return known.handedOver?.copy === true && runState.handedOver === undefined;
}

/** The length of a journal without the line that says that another folder may send. */
async function bytesOfRun(folder: string): Promise<number> {
  let last = '';
  for await (const { text } of linesIfExists(path.join(folder, 'journal.ndjson'))) last = text;
  const { event } = Object(decodeLine(last)) as Partial<RunEvent>;
  return journalSize(folder) - (event === 'run.handed_over' ? Buffer.byteLength(`${last}\n`) : 0);
}

async function digestOfJournal(folder: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path.join(folder, 'journal.ndjson'), { end: bytes - 1 }))
    hash.update(chunk);
  return hash.digest('hex');
}

function unsafe(archive: string, what: string): ProblemError {
  const hint = 'Only archives of `signals runs pack` can be used. Ask its sender for another one.';
  return refused(archive, 'archive.unsafe', `The archive is not safe to unpack: ${what}`, hint);
}

function damaged(archive: string, what: string): ProblemError {
  const message = `The file is not an archive of \`signals runs pack\`, or it is damaged: ${what}`;
  const hint = 'Copy the archive again, or name a run folder or the id of a run.';
  return refused(archive, 'archive.damaged', message, hint);
}

function refused(where: string, code: string, message: string, hint: string): ProblemError {
  return new ProblemError({ code, message: `${message}. Nothing was unpacked.`, where, hint });
}
