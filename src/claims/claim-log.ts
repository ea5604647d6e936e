/**
 * The log in which processes claim records before they send them. All append to one file, and its order decides: a process
 * appends its claim, reads what others have appended before it, and has the records that no other has claimed. So none needs
 * a lock, and a killed process holds up no other one.
 *
 * A session is the work of one process on one run, from `open` to `end`. Once every session has ended, the log is closed, and the
 * next one begins. A line after `closed` counts for nothing: its writer repeats it in the next log.
 */
import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { fileNamesIn, isMissing, removeFile } from '../journal/file-system.ts';
import { decodeLine, encodeLine } from '../journal/lines.ts';
import { decodeKeys, type Key, KeyMap } from '../lib/key-map.ts';
import { once } from '../lib/resources.ts';

export interface Session {
  readonly id: string;
  readonly run: string;
  /** ISO 8601. Together with the name it identifies a run. */
  readonly startedAt: string;
  /** The run folder: absolute. */
  readonly folder: string;
  hasEnded: boolean;
}

const lineSchema = once(() =>
  z.union([
    z.object({ open: z.string(), run: z.string(), startedAt: z.string(), folder: z.string() }),
    z.object({ by: z.string(), keys: z.string() }),
    /** Claims that another process has made before, or that a run has sent. */
    z.object({ by: z.string(), drop: z.string() }),
    z.object({ end: z.string() }),
    /** The log is closed, if every session has ended. */
    z.object({ closed: z.literal(true) }),
  ]),
);

type LogLine = z.infer<ReturnType<typeof lineSchema>>;

const NAME = /^claims\.(\d+)\.ndjson$/;
const READ_BYTES = 1024 * 1024;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;

export class ClaimLog {
  readonly #folder: string;
  #number = 0;
  #fd = -1;
  #offset = 0;
  #isClosed = false;
  readonly #sessions: Session[] = [];
  /** Key -> index of the session of another process. */
  #owners = new KeyMap();
  #isSynced = true;
  #own: Session | undefined;
  readonly #onEnd: () => void;

  /** @param onEnd called when a session has ended. @throws the system's error */
  constructor(folder: string, onEnd: () => void) {
    this.#folder = folder;
    this.#onEnd = onEnd;
    this.#openFrom(0);
    this.read();
  }

  get openSessions(): readonly Session[] {
    return this.#sessions.filter(({ hasEnded }) => !hasEnded);
  }

  /** Whether another process found this one gone, and ended its session. */
  get isLost(): boolean {
    return this.#own?.hasEnded === true;
  }

  /** The session of another process that has claimed a key and not ended. */
  ownerOf(key: Key): Session | undefined {
    const index = this.#owners.get(key);
    const session = index === undefined ? undefined : this.#sessions[index];
    return session?.hasEnded === false ? session : undefined;
  }

  begin(session: Omit<Session, 'hasEnded'>): void {
    const { id: open, run, startedAt, folder } = session;
    this.#append({ open, run, startedAt, folder });
    this.#own = this.#sessions.find(({ id }) => id === open);
  }

  claim(keys: Uint8Array): void {
    this.#append({ by: this.#ownId(), keys: Buffer.from(keys).toString('base64') });
  }

  drop(keys: Uint8Array): void {
    this.#append({ by: this.#ownId(), drop: Buffer.from(keys).toString('base64') });
  }

  /** Ends a session, of this process or of one that is gone, and begins a new log if no session is left. */
  end({ id }: Pick<Session, 'id'>): void {
    this.#append({ end: id });
    this.#append({ closed: true });
  }

  read(): void {
    do {
      if (this.#isClosed) this.#openNext();
      this.#readTo(undefined);
    } while (this.#isClosed);
  }

  /** The keys that a session has claimed, and that no other one had before. */
  keysOf({ id }: Session): readonly Key[] {
    const keys = new Set<Key>();
    this.#scan(0, (line) => {
      if ('keys' in line && line.by === id) for (const key of decodeKeys(line.keys)) keys.add(key);
      if ('drop' in line && line.by === id) for (const key of decodeKeys(line.drop)) keys.delete(key);
      return true;
    });
    return [...keys];
  }

  sync(): void {
    if (!this.#isSynced) fdatasyncSync(this.#fd);
    this.#isSynced = true;
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = -1;
    if (fd >= 0) closeSync(fd);
  }

  #ownId(): string {
    if (this.#own === undefined) throw new Error('a claim without a session');
    return this.#own.id;
  }

  /** Returns once the line is in the open log, with all lines before it read and none after it. */
  #append(line: LogLine): void {
    const text = encodeLine(line);
    for (;;) {
      // A line feed first: a process may have been killed in the middle of a line.
      const bytes = Buffer.from(`\n${text}`);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
      this.#isSynced = false;
      const isFound = this.#readTo(text.slice(0, -1));
      if (this.#isClosed) this.read();
      if (isFound) return;
    }
  }

  /** Reads lines up to one with this text, or to the end. Returns whether it was found. */
  #readTo(text: string | undefined): boolean {
    let isFound = false;
    this.#offset = this.#scan(this.#offset, (line, found) => {
      this.#apply(line);
      isFound = found === text;
      return !isFound && !this.#isClosed;
    });
    return isFound;
  }

  /** Calls `take` with each line until it returns false. Returns the offset after the last line that was taken. */
  #scan(from: number, take: (line: LogLine, text: string) => boolean): number {
    const { size } = fstatSync(this.#fd);
    let offset = from;
    let bytes = Math.min(READ_BYTES, size - offset);
    while (bytes > 0) {
      const buffer = Buffer.allocUnsafe(bytes);
      const read = buffer.subarray(0, readSync(this.#fd, buffer, 0, bytes, offset));
      let at = 0;
      for (let feed = read.indexOf(10); feed >= 0; feed = read.indexOf(10, at)) {
        const text = read.toString('utf8', at, feed);
        at = feed + 1;
        const line = lineSchema().safeParse(decodeLine(text)).data;
        if (line !== undefined && !take(line, text)) return offset + at;
      }
      if (at === 0 && bytes === size - offset) break;
      offset += at;
      bytes = Math.min(at === 0 ? bytes * 2 : READ_BYTES, size - offset);
    }
    return offset;
  }

  #apply(line: LogLine): void {
    if ('open' in line) {
      const { open: id, run, startedAt, folder } = line;
      this.#sessions.push({ id, run, startedAt, folder, hasEnded: false });
    } else if ('keys' in line) this.#setOwner(line.by, line.keys);
    else if ('drop' in line) this.#removeOwner(line.by, line.drop);
    else if ('end' in line) this.#end(line.end);
    else this.#isClosed = this.#sessions.every(({ hasEnded }) => hasEnded);
  }

  #setOwner(id: string, keys: string): void {
    const index = this.#sessions.findIndex((session) => session.id === id);
    const session = this.#sessions[index];
    if (session === undefined || session === this.#own) return;
    for (const key of decodeKeys(keys)) {
      if (this.ownerOf(key) === undefined) this.#owners.set(key, index);
    }
  }

  #removeOwner(id: string, keys: string): void {
    for (const key of decodeKeys(keys)) if (this.ownerOf(key)?.id === id) this.#owners.set(key, NO_SESSION);
  }

  #end(id: string): void {
    const session = this.#sessions.find((one) => one.id === id);
    if (session === undefined) return;
    session.hasEnded = true;
    this.#onEnd();
    // Their keys need memory.
    if (this.#sessions.every((one) => one.hasEnded || one === this.#own)) this.#owners = new KeyMap();
  }

  #openNext(): void {
    const last = this.#number;
    this.#openFrom(last + 1);
    // Now it is not needed: a process that still appends to it reads that it was closed.
    removeFile(this.#fileOf(last));
  }

  /** Opens the first log from a number on. Makes it if there is none. */
  #openFrom(number: number): void {
    for (;;) {
      const numbers = fileNamesIn(this.#folder).map((name) => Number(NAME.exec(name)?.[1]));
      const found = Math.min(...numbers.filter((one) => one >= number));
      const isNew = !Number.isFinite(found);
      try {
        const flags = isNew ? APPEND | constants.O_CREAT : APPEND;
        const opened = openSync(this.#fileOf(isNew ? number : found), flags, 0o600);
        const last = this.#fd;
        this.#fd = opened;
        if (last >= 0) closeSync(last);
      } catch (error) {
        // It was closed and removed meanwhile.
        if (isMissing(error) && !isNew) continue;
        throw error;
      }
      this.#number = isNew ? number : found;
      this.#offset = 0;
      this.#isClosed = false;
      return;
    }
  }

  #fileOf(number: number): string {
    return path.join(this.#folder, `claims.${number}.ndjson`);
  }
}

const NO_SESSION = 2 ** 32 - 2;
