/**
 * Claims: no record is sent to a service twice by two runs. There is one store for each destination (base URL and type), a folder
 * in the state folder. Imports journal/, contract/, model/ and lib/.
 *
 * 1. A process that works on a run opens a session in the claim log (claim-log.ts), and claims records before it seals a batch.
 *    Those that another run has sent or claimed are taken out of the batch.
 * 2. What was sent is written to sorted files (sent-file.ts), and the session ends. Its other claims are free again.
 * 3. After a kill, the next process that needs the records does that from the run's journal.
 *
 * Records of a type that the service deduplicates are only compared with what was sent (`--skip-delivered`).
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { fileNamesIn, isMissing, makeFolder, removeFile } from '../journal/file-system.ts';
import { LockLostError, lockHolder } from '../journal/lock.ts';
import { readJournal } from '../journal/read-journal.ts';
import { readRunFile } from '../journal/run-file.ts';
import { KEY_BYTES, pickKeys } from '../lib/key-map.ts';
import { rememberLast } from '../lib/resources.ts';
import { DAY_MS } from '../lib/units.ts';
import { problemsOf } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import type { RunReader } from '../model/run-state.ts';
import { ClaimLog, type Session } from './claim-log.ts';
import { SentBatches, type SentState } from './sent-batches.ts';
import {
  ENTRY_WORDS,
  EXTENSION,
  MOST_ENTRIES,
  mergeSentFiles,
  type SendingRun,
  SentFile,
  writeSentFile,
} from './sent-file.ts';

export interface Service {
  readonly type: RecordType;
  readonly baseUrl: string;
}

/** The earlier run that sent a record, or that is about to. */
export interface SentBy {
  readonly state: SentState;
  /** Its id, or its path if it is in another folder of runs. */
  readonly run: string;
}

export type SentRecords = ReadonlyMap<number, SentBy>;

/** Age up to which a sent record counts: 90 days. */
const HISTORY_MS = 90 * DAY_MS;
/** Entries above which they are written to a file: 4 MB. */
const SPILL_ENTRIES = 256 * 1024;
const EXPORT_PREFIX = 'earlier-';
const EXPORT = /^earlier-(.+\.sent)$/;

export class Claims {
  readonly folder: string;
  /** Of the files of the store. */
  readonly #prefix: string;
  readonly #service: Service;
  readonly #isClaimed: boolean;
  readonly #log: ClaimLog;
  #files: SentFile[] = [];
  #areFilesCurrent = false;
  #own: Omit<Session, 'hasEnded'> | undefined;
  #sent: SentEntries | undefined;
  #batches: SentBatches | undefined;
  #fsync = false;

  /** @throws the system's error if the store cannot be written, or ProblemError `state.damaged` */
  constructor(state: string, service: Service) {
    this.folder = folderOf(state, service);
    this.#prefix = `${this.folder}${path.sep}`;
    this.#service = service;
    this.#isClaimed = !contracts[service.type].deduplicates;
    makeFolder(this.folder);
    this.#log = new ClaimLog(this.folder, () => {
      this.#areFilesCurrent = false;
    });
    this.#openFiles();
  }

  /** Writes down what runs have sent whose processes were killed. */
  async endLostSessions(): Promise<void> {
    for (const session of this.#log.openSessions) if (!isAlive(session)) await this.#settle(session, false);
  }

  /** For the holder of the run's lock. @param fsync whether claims must survive a power cut */
  async begin({ run, startedAt, folder }: Pick<Session, 'run' | 'startedAt' | 'folder'>, fsync = false): Promise<void> {
    this.#fsync = fsync;
    await this.endLostSessions();
    // This process holds the lock of the run, so the other one is gone.
    for (const session of this.#log.openSessions) {
      if (session.run === run && session.startedAt === startedAt) await this.#settle(session, true);
    }
    const session = { id: randomUUID(), run, startedAt, folder: path.resolve(folder) };
    this.#log.begin(session);
    this.#own = session;
    // From now on, it is told when another session ends.
    this.#importFrom(folder);
    this.#sent = new SentEntries(this.#prefix, session);
    const { baseUrl } = this.#service;
    this.#batches = new SentBatches({ baseUrl, begun: baseUrl }, this.#isClaimed, (...sent) =>
      this.#sent?.add(...sent),
    );
  }

  /**
   * @param keys of the records of a batch (lib/key-map.ts)
   * @param isForced they are sent even if another run has sent them
   * @returns those that must not be sent
   */
  async claim(keys: Buffer, isForced: boolean): Promise<SentRecords> {
    if (this.#isClaimed) {
      this.#log.claim(keys);
      this.#assertHeld();
    }
    const sent = isForced ? NONE : await this.find(keys);
    if (this.#isClaimed && sent.size > 0) this.#log.drop(pickKeys(keys, sent.keys()));
    return sent;
  }

  async find(keys: Buffer): Promise<SentRecords> {
    const owners = new Map<number, Session>();
    for (let n = 0; n * KEY_BYTES < keys.length; n += 1) {
      const owner = this.#log.ownerOf(keys.toString('latin1', n * KEY_BYTES, (n + 1) * KEY_BYTES));
      if (owner !== undefined) owners.set(n, owner);
    }
    for (const owner of new Set(owners.values())) if (!isAlive(owner)) await this.#settle(owner, false);
    if (!this.#areFilesCurrent) this.#openFiles();
    const words = new Uint32Array(keys.buffer.slice(keys.byteOffset, keys.byteOffset + keys.length));
    const found = new Map<number, SentBy>();
    for (let n = 0; n * KEY_BYTES < keys.length; n += 1) {
      const owner = owners.get(n);
      const isHeld = owner !== undefined && !owner.hasEnded;
      const by =
        this.#findSent(words, n) ?? (isHeld ? { state: 'unknown' as const, run: this.#nameOf(owner) } : undefined);
      if (by !== undefined) found.set(n, by);
    }
    return found;
  }

  readonly on: RunReader = (...read) => this.#batches?.add(...read);

  /** Call this before each attempt. @throws LockLostError if another process found this one gone, and its claims are free */
  confirm(): void {
    if (this.#fsync) this.#log.sync();
    if (!this.#isClaimed) return;
    this.#log.read();
    this.#assertHeld();
  }

  /** Writes what was sent, and ends the session: its other claims are free. @throws the system's error */
  finish(): void {
    if (this.#own === undefined) return;
    this.#sent?.write();
    this.#log.end(this.#own);
    this.#openFiles();
    this.#compact();
  }

  /** Without {@link finish}, the session counts as killed. */
  close(): void {
    this.#log.close();
    for (const file of this.#files.splice(0)) file.close();
  }

  /**
   * Writes what other runs have sent, or are about to send, into a run folder, for a machine that does not know it. From open
   * files: they may be removed.
   */
  async exportTo(folder: string): Promise<void> {
    await this.endLostSessions();
    this.#log.read();
    // Before the files are opened: a session that ends meanwhile is in both.
    for (const session of this.#log.openSessions) {
      if (session.folder !== path.resolve(folder)) this.#claimsOf(session, path.join(folder, EXPORT_PREFIX)).write();
    }
    this.#openFiles();
    for (const file of this.#files) {
      writeSentFile(path.join(folder, EXPORT_PREFIX + path.basename(file.path)), file.runs, file.read());
    }
  }

  /** Everything that a session has claimed may have been sent. */
  #claimsOf(session: Session, prefix = this.#prefix): SentEntries {
    const sent = new SentEntries(prefix, session);
    sent.addKeys('unknown', Buffer.from(this.#log.keysOf(session).join(''), 'latin1'));
    return sent;
  }

  /** Adds what {@link exportTo} has written. Later runs on this machine must not send those records either. */
  #importFrom(folder: string): void {
    for (const name of fileNamesIn(folder)) {
      const known = EXPORT.exec(name)?.[1];
      if (known === undefined) continue;
      const sent = new SentFile(path.join(folder, name));
      this.#files.push(sent);
      writeSentFile(path.join(this.folder, known), sent.runs, sent.read());
    }
    this.#openFiles();
  }

  #assertHeld(): void {
    if (this.#log.isLost) throw new LockLostError(this.#own?.folder ?? this.folder, undefined);
  }

  #findSent(words: Uint32Array, index: number): SentBy | undefined {
    let unknown: SentBy | undefined;
    for (const file of this.#files) {
      for (const value of file.find(words, (index * KEY_BYTES) / 4)) {
        const by = file.runs[value >>> 1];
        if (by === undefined || !isRecent(by)) continue;
        if (by.run === this.#own?.run && by.startedAt === this.#own.startedAt) continue;
        if ((value & 1) === 0) return { state: 'delivered', run: this.#nameOf(by) };
        unknown = { state: 'unknown', run: this.#nameOf(by) };
      }
    }
    return unknown;
  }

  #nameOf({ run, folder }: Pick<Session, 'run' | 'folder'>): string {
    const isHere = this.#own === undefined || path.dirname(folder) === path.dirname(this.#own.folder);
    return isHere || !folderExists(folder) ? run : folder;
  }

  /**
   * Ends the session of a process that is gone. Without a journal of its run, everything that it has claimed may have been sent.
   * @param isOwn whether this process holds the lock of the run
   */
  async #settle(session: Session, isOwn: boolean): Promise<void> {
    const read = new SentEntries(this.#prefix, session);
    const sent = (await this.#readSent(session, read)) ? read : this.#claimsOf(session);
    // Another process resumed the run meanwhile. It ends this session too.
    if (!isOwn && isAlive(session)) return;
    sent.write();
    this.#log.end(session);
  }

  async #readSent({ folder, startedAt }: Session, sent: SentEntries): Promise<boolean> {
    const { baseUrl } = this.#service;
    try {
      const runFile = await readRunFile(folder);
      if (runFile.startedAt !== startedAt) return false;
      const from = { baseUrl, begun: runFile.baseUrl };
      const batches = new SentBatches(from, this.#isClaimed, (...one) => sent.add(...one));
      const { runState } = await readJournal(folder, { onEvent: (...read) => batches.add(...read) });
      batches.addInFlight(runState);
      return true;
    } catch (error) {
      // Before the first line of a journal nothing is sent.
      return problemsOf(error).some(({ code }) => code === 'journal.empty');
    }
  }

  #openFiles(): void {
    const names = fileNamesIn(this.folder).filter((name) => name.endsWith(EXTENSION));
    const open = new Map(this.#files.map((file) => [file.path, file]));
    const files: SentFile[] = [];
    let areJoined = false;
    for (const file of names.map((name) => path.join(this.folder, name))) {
      try {
        files.push(open.get(file) ?? new SentFile(file));
      } catch (error) {
        if (!isMissing(error)) throw error;
        areJoined = true;
      }
    }
    for (const file of this.#files) if (!files.includes(file)) file.close();
    this.#files = files;
    this.#areFilesCurrent = true;
    if (areJoined) this.#openFiles();
  }

  /** Joins the smallest files while they are together about as large as the next one, so that there are few. */
  #compact(): void {
    // Files that are too large to be joined would stay for ever.
    const removed = this.#files.filter(({ runs }) => !runs.some(isRecent));
    const bySize = this.#files.toSorted((one, other) => one.entries - other.entries);
    const joined: SentFile[] = [];
    let entries = 0;
    for (const file of bySize) {
      if (joined.length > 0 && (file.entries > 2 * entries || entries + file.entries > MOST_ENTRIES)) break;
      joined.push(file);
      entries += file.entries;
    }
    const isOld = joined.some(({ runs }) => !runs.every(isRecent));
    if (joined.length >= MIN_JOINED || isOld) {
      mergeSentFiles(joined, newFile(this.#prefix), isRecent);
      removed.push(...joined);
    }
    for (const file of removed) removeFile(file.path);
  }
}

/** Most records that were sent from another folder are of one run. */
const folderExists = rememberLast(existsSync);

function isAlive({ folder }: Session): boolean {
  return lockHolder(folder) !== undefined;
}

const NONE: SentRecords = new Map();
const MIN_JOINED = 4;

export function hasClaims(state: string, service: Service): boolean {
  return existsSync(folderOf(state, service));
}

function folderOf(state: string, { type, baseUrl }: Service): string {
  // A URL is not a valid name of a folder.
  const digest = createHash('sha256').update(`${type}\n${baseUrl}`).digest('hex').slice(0, 16);
  return path.join(state, 'claims', `${type}-${digest}`);
}

/** @param prefix a folder, and how the name begins */
function newFile(prefix: string): string {
  return `${prefix}${randomUUID()}${EXTENSION}`;
}

function isRecent({ time }: SendingRun): boolean {
  return time > Date.now() - HISTORY_MS;
}

/** Collects records that a run has sent, and writes them to files. */
class SentEntries {
  readonly #prefix: string;
  readonly #run: Pick<Session, 'run' | 'startedAt' | 'folder'>;
  // The system provides the memory page by page, as it is used.
  readonly #words = new Uint32Array(SPILL_ENTRIES * ENTRY_WORDS);
  #length = 0;

  constructor(prefix: string, { run, startedAt, folder }: Pick<Session, 'run' | 'startedAt' | 'folder'>) {
    this.#prefix = prefix;
    this.#run = { run, startedAt, folder };
  }

  /** @param keys as base64 */
  add(state: SentState, keys: string): void {
    this.addKeys(state, Buffer.from(keys, 'base64'));
  }

  addKeys(state: SentState, keys: Buffer): void {
    for (let at = 0; at + KEY_BYTES <= keys.length; at += KEY_BYTES) {
      this.#words[this.#length] = keys.readUInt32LE(at);
      this.#words[this.#length + 1] = keys.readUInt32LE(at + 4);
      this.#words[this.#length + 2] = keys.readUInt32LE(at + 8);
      this.#words[this.#length + 3] = state === 'unknown' ? 1 : 0;
      this.#length += ENTRY_WORDS;
      if (this.#length === this.#words.length) this.write();
    }
  }

  write(): void {
    if (this.#length === 0) return;
    const run = { ...this.#run, time: Date.now() };
    writeSentFile(newFile(this.#prefix), [run], this.#words.subarray(0, this.#length));
    this.#length = 0;
  }
}
