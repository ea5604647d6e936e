/**
 * A simulated disk that several processes share: `node:fs` and `node:fs/promises`, as far as the program uses them. It can be
 * full, fail, write less than it was given, and lose in a power cut what was not synced.
 */
import { constants } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import type { Random } from './schedule.ts';

type Content = Uint8Array | string;

interface Inode {
  readonly number: number;
  readonly entries: Map<string, Inode> | undefined;
  data: Buffer;
  size: number;
  mode: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** What a power cut leaves. Undefined if nothing was synced since the file was made. */
  synced: Buffer | undefined;
  links: number;
}

/** What a process that uses the disk does before each operation. */
export interface User {
  /** Milliseconds since 1970, by its clock. */
  date(): number;
  /** @throws whatever ends the process here */
  before(operation: string, file: string): void;
  /** Runs `work` after a moment, unless the process is gone then. */
  later<T>(work: () => T): Promise<T>;
  /** Content of a file in /proc, for this process. */
  proc(file: string): string | undefined;
  readonly cwd: string;
}

export interface Faults {
  /** Of each operation, the part that fails with EIO. */
  eio: number;
  /** Of each write, the part that writes less than it was given. */
  short: number;
  /** Of these, the part after which the next write fails. */
  failing: number;
}

export class Disk {
  readonly #random: Random;
  #numbers = 1;
  readonly #root: Inode;
  /** Bytes that fit on it. */
  capacity = Number.POSITIVE_INFINITY;
  #used = 0;
  readonly faults: Faults = { eio: 0, short: 0, failing: 0 };
  #failsNext = false;
  readonly #open = new Map<number, { inode: Inode; position: number; append: boolean; path: string; user: User }>();
  #descriptors = 100;

  constructor(random: Random) {
    this.#random = random;
    this.#root = this.#inode(true, 0);
  }

  #inode(isFolder: boolean, date: number): Inode {
    const number = this.#numbers;
    this.#numbers += 1;
    return {
      number,
      entries: isFolder ? new Map() : undefined,
      data: Buffer.alloc(0),
      size: 0,
      mode: isFolder ? 0o40700 : 0o100600,
      modified: date,
      synced: undefined,
      links: 1,
    };
  }

  /** From now on, every operation works. */
  heal(): void {
    this.capacity = Number.POSITIVE_INFINITY;
    this.#failsNext = false;
    Object.assign(this.faults, { eio: 0, short: 0, failing: 0 });
  }

  /** Puts a file on the disk, as somebody else would. */
  place(file: string, text: string): void {
    const parts = file.split('/').filter(Boolean);
    const name = parts.pop() ?? '';
    let folder = this.#root;
    for (const part of parts) {
      const next = folder.entries?.get(part) ?? this.#inode(true, 0);
      folder.entries?.set(part, next);
      folder = next;
    }
    const inode = this.#inode(false, 0);
    inode.data = Buffer.from(text);
    inode.size = inode.data.length;
    inode.synced = Buffer.from(inode.data);
    folder.entries?.set(name, inode);
    this.#used += inode.size;
  }

  /** Text of a file. Undefined if there is none. */
  text(file: string): string | undefined {
    const inode = this.#find(file);
    return inode?.entries === undefined ? inode?.data.toString('utf8', 0, inode.size) : undefined;
  }

  names(folder: string): readonly string[] {
    return [...(this.#find(folder)?.entries?.keys() ?? [])].sort();
  }

  get used(): number {
    return this.#used;
  }

  /** Of bytes that were not synced, a file keeps any part. Names are kept. */
  powerCut(): void {
    const visit = (inode: Inode): void => {
      for (const child of inode.entries?.values() ?? []) visit(child);
      if (inode.entries !== undefined) return;
      const synced = inode.synced ?? Buffer.alloc(0);
      if (synced.length === inode.size && synced.equals(inode.data.subarray(0, inode.size))) return;
      const isLonger = inode.size >= synced.length && inode.data.subarray(0, synced.length).equals(synced);
      const kept = isLonger ? inode.data.subarray(0, this.#random.integer(synced.length, inode.size)) : synced;
      this.#used += kept.length - inode.size;
      inode.data = Buffer.from(kept);
      inode.size = kept.length;
    };
    visit(this.#root);
  }

  /** Closes what a process had open. */
  release(user: User): void {
    for (const [fd, one] of this.#open) if (one.user === user) this.#open.delete(fd);
  }

  #find(file: string): Inode | undefined {
    let inode: Inode | undefined = this.#root;
    for (const part of file.split('/')) if (part !== '') inode = inode?.entries?.get(part);
    return inode;
  }

  #parent(file: string, call: string): { readonly folder: Map<string, Inode>; readonly name: string } {
    const at = file.lastIndexOf('/');
    const folder = this.#find(file.slice(0, at))?.entries;
    if (folder === undefined) throw systemError('ENOENT', call, file);
    return { folder, name: file.slice(at + 1) };
  }

  #existing(file: string, call: string): Inode {
    const inode = this.#find(file);
    if (inode === undefined) throw systemError('ENOENT', call, file);
    return inode;
  }

  #mayFail(call: string, file: string): void {
    if (this.faults.eio > 0 && this.#random.chance(this.faults.eio)) throw systemError('EIO', call, file);
  }

  #opened(fd: number, call: string) {
    const one = this.#open.get(fd);
    if (one === undefined) throw systemError('EBADF', call, String(fd));
    return one;
  }

  #resize(inode: Inode, size: number): void {
    if (size > inode.data.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * inode.data.length));
      inode.data.copy(larger, 0, 0, inode.size);
      inode.data = larger;
    }
    if (size < inode.size) inode.data.fill(0, size, inode.size);
    this.#used += size - inode.size;
    inode.size = size;
  }

  #remove(folder: Map<string, Inode>, name: string): void {
    const inode = folder.get(name);
    folder.delete(name);
    if (inode === undefined) return;
    inode.links -= 1;
    if (inode.links === 0) this.#used -= inode.size;
  }

  /** Operations of a process, synchronous. */
  operationsFor(user: User) {
    const full = (file: unknown): string => {
      const text = file instanceof URL ? file.pathname : String(file);
      return text.startsWith('/') ? normal(text) : normal(`${user.cwd}/${text}`);
    };
    const begin = (call: string, file: string): void => {
      user.before(call, file);
      this.#mayFail(call, file);
    };

    const stats = (inode: Inode) => ({
      size: inode.size,
      ino: inode.number,
      dev: 1,
      mode: inode.mode,
      nlink: inode.links,
      uid: 0,
      gid: 0,
      mtimeMs: inode.modified,
      mtime: new Date(inode.modified),
      ctimeMs: inode.modified,
      birthtimeMs: inode.modified,
      isFile: () => inode.entries === undefined,
      isDirectory: () => inode.entries !== undefined,
      isSymbolicLink: () => false,
      isFIFO: () => false,
      isSocket: () => false,
      isCharacterDevice: () => false,
      isBlockDevice: () => false,
    });

    const stat = (file: unknown, options?: { throwIfNoEntry?: boolean }) => {
      const name = full(file);
      begin('stat', name);
      const inode = this.#find(name);
      if (inode !== undefined) return stats(inode);
      if (options?.throwIfNoEntry === false) return undefined;
      throw systemError('ENOENT', 'stat', name);
    };

    const open = (file: unknown, flags: number | string = 'r', mode = 0o600): number => {
      const name = full(file);
      begin('open', name);
      const bits = typeof flags === 'number' ? flags : FLAGS[flags];
      if (bits === undefined) throw new Error(`unknown flags ${flags}`);
      const { folder, name: last } = this.#parent(name, 'open');
      let inode = folder.get(last);
      if (inode !== undefined && (bits & constants.O_EXCL) !== 0) throw systemError('EEXIST', 'open', name);
      if (inode === undefined) {
        if ((bits & constants.O_CREAT) === 0) throw systemError('ENOENT', 'open', name);
        inode = this.#inode(false, user.date());
        inode.mode = 0o100000 | mode;
        folder.set(last, inode);
      }
      if (inode.entries !== undefined && (bits & 3) !== 0) throw systemError('EISDIR', 'open', name);
      if ((bits & constants.O_TRUNC) !== 0) this.#resize(inode, 0);
      const fd = this.#descriptors;
      this.#descriptors += 1;
      this.#open.set(fd, { inode, position: 0, append: (bits & constants.O_APPEND) !== 0, path: name, user });
      return fd;
    };

    const close = (fd: number): void => {
      this.#open.delete(fd);
    };

    const read = (
      fd: number,
      into: NodeJS.ArrayBufferView,
      given: number | { readonly position: number } = 0,
      length?: number,
      place?: number | bigint | null,
    ) => {
      const [offset, position] = typeof given === 'number' ? [given, place] : [0, given.position];
      const one = this.#opened(fd, 'read');
      begin('read', one.path);
      const from =
        position === null || position === undefined || Number(position) < 0 ? one.position : Number(position);
      const bytes = Math.max(0, Math.min(length ?? into.byteLength - offset, one.inode.size - from));
      new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(
        one.inode.data.subarray(from, from + bytes),
        offset,
      );
      if (position === null || position === undefined) one.position += bytes;
      return bytes;
    };

    const write = (
      fd: number,
      content: Content,
      offset?: number | null,
      length?: number | null,
      position?: number | null,
    ): number => {
      if (fd <= 2) return Buffer.byteLength(content);
      const one = this.#opened(fd, 'write');
      begin('write', one.path);
      const whole = bytesOf(content);
      const bytes =
        typeof content === 'string' ? whole : whole.subarray(offset ?? 0, (offset ?? 0) + (length ?? whole.length));
      const { inode } = one;
      const at = one.append ? inode.size : (position ?? one.position);
      const free = this.capacity - this.#used + Math.max(0, inode.size - at);
      let count = Math.min(bytes.length, Math.max(0, Math.floor(free)));
      if (bytes.length > 0 && (count === 0 || this.#failsNext)) {
        const code = count === 0 || this.#random.chance(0.5) ? 'ENOSPC' : 'EIO';
        this.#failsNext = false;
        throw systemError(code, 'write', one.path);
      }
      if (count > 1 && this.#random.chance(this.faults.short)) {
        count = this.#random.integer(1, count - 1);
        this.#failsNext = this.#random.chance(this.faults.failing);
      }
      this.#resize(inode, Math.max(inode.size, at + count));
      inode.data.set(bytes.subarray(0, count), at);
      if (!one.append && (position === undefined || position === null)) one.position = at + count;
      inode.modified = user.date();
      return count;
    };

    const writeAll = (fd: number, content: Content): void => {
      const bytes = bytesOf(content);
      for (let done = 0; done < bytes.length; ) done += write(fd, bytes, done, bytes.length - done);
    };

    const sync = (fd: number): void => {
      const one = this.#opened(fd, 'fdatasync');
      begin('fdatasync', one.path);
      one.inode.synced = Buffer.from(one.inode.data.subarray(0, one.inode.size));
    };

    const truncate = (fd: number, size = 0): void => {
      const one = this.#opened(fd, 'ftruncate');
      begin('ftruncate', one.path);
      this.#resize(one.inode, size);
    };

    const readFile = (file: unknown, options?: string | { encoding?: string | null } | null): string | Buffer => {
      const name = typeof file === 'number' ? String(file) : full(file);
      const encoding = typeof options === 'string' ? options : options?.encoding;
      if (name.startsWith('/proc/')) {
        const text = user.proc(name);
        if (text === undefined) throw systemError('ENOENT', 'open', name);
        return encoding ? text : Buffer.from(text);
      }
      begin('open', name);
      const { entries, data, size } = this.#existing(name, 'open');
      if (entries !== undefined) throw systemError('EISDIR', 'read', name);
      return encoding ? data.toString('utf8', 0, size) : Buffer.from(data.subarray(0, size));
    };

    const writeFile = (
      file: unknown,
      content: Content,
      options?: { flag?: string; mode?: number } | string | null,
    ): void => {
      if (typeof file === 'number') {
        writeAll(file, content);
        return;
      }
      const given = typeof options === 'object' ? options : undefined;
      const fd = open(file, given?.flag ?? 'w', given?.mode);
      try {
        writeAll(fd, content);
      } finally {
        close(fd);
      }
    };

    const rename = (from: unknown, to: unknown): void => {
      const [source, target] = [full(from), full(to)];
      begin('rename', source);
      const here = this.#parent(source, 'rename');
      const there = this.#parent(target, 'rename');
      const inode = here.folder.get(here.name);
      if (inode === undefined) throw systemError('ENOENT', 'rename', source);
      if (there.folder.get(there.name) === inode) return;
      if (inode.entries === undefined) this.#remove(there.folder, there.name);
      there.folder.set(there.name, inode);
      here.folder.delete(here.name);
    };

    const link = (from: unknown, to: unknown): void => {
      const [source, target] = [full(from), full(to)];
      begin('link', target);
      const inode = this.#existing(source, 'link');
      const { folder, name } = this.#parent(target, 'link');
      if (folder.has(name)) throw systemError('EEXIST', 'link', target);
      inode.links += 1;
      folder.set(name, inode);
    };

    const unlink = (file: unknown): void => {
      const path = full(file);
      begin('unlink', path);
      const { folder, name } = this.#parent(path, 'unlink');
      if (!folder.has(name)) throw systemError('ENOENT', 'unlink', path);
      this.#remove(folder, name);
    };

    const rm = (file: unknown, options: { force?: boolean; recursive?: boolean } = {}): void => {
      const path = full(file);
      begin('rm', path);
      const inode = this.#find(path);
      if (inode === undefined) {
        if (options.force === true) return;
        throw systemError('ENOENT', 'rm', path);
      }
      const { folder, name } = this.#parent(path, 'rm');
      const empty = (one: Inode): void => {
        for (const [child, below] of [...(one.entries ?? [])]) {
          empty(below);
          if (one.entries !== undefined) this.#remove(one.entries, child);
        }
      };
      empty(inode);
      this.#remove(folder, name);
    };

    const mkdir = (file: unknown, options?: { recursive?: boolean } | number): string | undefined => {
      const path = full(file);
      begin('mkdir', path);
      const recursive = typeof options === 'object' && options.recursive === true;
      if (recursive) {
        let at = '';
        for (const part of path.split('/').filter(Boolean)) {
          at += `/${part}`;
          const { folder, name } = this.#parent(at, 'mkdir');
          if (!folder.has(name)) folder.set(name, this.#inode(true, user.date()));
        }
        return path;
      }
      const { folder, name } = this.#parent(path, 'mkdir');
      if (folder.has(name)) throw systemError('EEXIST', 'mkdir', path);
      folder.set(name, this.#inode(true, user.date()));
      return path;
    };

    const mkdtemp = (prefix: string): string => {
      const path = `${full(prefix)}${this.#numbers}`;
      mkdir(path);
      return path;
    };

    const readdir = (file: unknown, options?: { withFileTypes?: boolean; recursive?: boolean } | string) => {
      const path = full(file);
      begin('scandir', path);
      const given = typeof options === 'object' ? options : {};
      const { entries } = this.#existing(path, 'scandir');
      if (entries === undefined) throw systemError('ENOTDIR', 'scandir', path);
      const found: { parentPath: string; name: string; inode: Inode }[] = [];
      const visit = (folder: Map<string, Inode>, parentPath: string): void => {
        for (const [name, inode] of folder) {
          found.push({ parentPath, name, inode });
          if (given.recursive === true && inode.entries !== undefined) visit(inode.entries, `${parentPath}/${name}`);
        }
      };
      visit(entries, path);
      found.sort((one, other) => (one.name < other.name ? -1 : 1));
      if (given.withFileTypes !== true) {
        return found.map(({ parentPath, name }) =>
          parentPath === path ? name : `${parentPath}/${name}`.slice(path.length + 1),
        );
      }
      return found.map(({ parentPath, name, inode }) => ({ ...stats(inode), parentPath, name }));
    };

    const access = (file: unknown): void => {
      const path = full(file);
      begin('access', path);
      this.#existing(path, 'access');
    };

    const chmod = (file: unknown, mode: number): void => {
      const path = full(file);
      begin('chmod', path);
      const inode = this.#existing(path, 'chmod');
      inode.mode = (inode.mode & ~0o777) | mode;
    };

    const utimes = (file: unknown, _access: Date | number, modified: Date | number): void => {
      const path = full(file);
      begin('utimes', path);
      this.#existing(path, 'utimes').modified = typeof modified === 'number' ? modified * 1000 : modified.getTime();
    };

    const copyFile = (from: unknown, to: unknown, mode = 0): void => {
      const content = readFile(from);
      writeFile(to, content, { flag: (mode & constants.COPYFILE_EXCL) === 0 ? 'w' : 'wx' });
    };

    const fstat = (fd: number) => {
      if (fd <= 2) return { ...stats(this.#root), isDirectory: () => false, isCharacterDevice: () => true };
      const one = this.#opened(fd, 'fstat');
      begin('fstat', one.path);
      return stats(one.inode);
    };

    const exists = (file: unknown): boolean => {
      const path = full(file);
      user.before('access', path);
      return this.#find(path) !== undefined;
    };

    return {
      constants,
      existsSync: exists,
      statSync: stat,
      lstatSync: stat,
      fstatSync: fstat,
      readFileSync: readFile,
      writeFileSync: writeFile,
      appendFileSync: (file: unknown, content: Content) => writeFile(file, content, { flag: 'a' }),
      openSync: open,
      closeSync: close,
      readSync: read,
      writeSync: write,
      fdatasyncSync: sync,
      fsyncSync: sync,
      ftruncateSync: truncate,
      renameSync: rename,
      unlinkSync: unlink,
      rmSync: rm,
      mkdirSync: mkdir,
      mkdtempSync: mkdtemp,
      readdirSync: readdir,
      chmodSync: chmod,
      linkSync: link,
      readlinkSync: (file: string) => {
        const text = user.proc(file);
        if (text === undefined) throw systemError('EINVAL', 'readlink', file);
        return text;
      },
      utimesSync: utimes,
      accessSync: access,
      copyFileSync: copyFile,
    };
  }

  /** The two modules, for one process. */
  modulesFor(user: User): { readonly fs: object; readonly promises: object } {
    const fs = this.operationsFor(user);
    const later =
      <A extends readonly unknown[], T>(work: (...given: A) => T) =>
      (...given: A): Promise<T> =>
        user.later(() => work(...given));

    const handle = (fd: number) => ({
      fd,
      close: later(() => fs.closeSync(fd)),
      read: later((into: Uint8Array, offset?: number, length?: number, position?: number | null) => ({
        buffer: into,
        bytesRead: fs.readSync(fd, into, offset, length, position),
      })),
      stat: later(() => fs.fstatSync(fd)),
      truncate: later((size?: number) => fs.ftruncateSync(fd, size)),
      datasync: later(() => fs.fdatasyncSync(fd)),
      appendFile: later((content: Content) => fs.writeFileSync(fd, content)),
    });

    const createReadStream = (file: unknown, { end = Number.POSITIVE_INFINITY } = {}): Readable => {
      let fd: number | undefined;
      let left = end + 1;
      return new Readable({
        highWaterMark: 65_536,
        read(size) {
          user
            .later(() => {
              fd ??= fs.openSync(file, 'r');
              const buffer = Buffer.alloc(Math.min(size, left));
              const bytes = fs.readSync(fd, buffer);
              left -= bytes;
              return bytes === 0 ? null : buffer.subarray(0, bytes);
            })
            .then(
              (chunk) => this.push(chunk),
              (error: Error) => this.destroy(error),
            );
        },
        destroy(error, done) {
          if (fd !== undefined) fs.closeSync(fd);
          done(error);
        },
      });
    };

    const createWriteStream = (file: unknown, { flags = 'w', mode = 0o600 } = {}): Writable => {
      let fd: number | undefined;
      const act = (work: () => void, done: (error?: Error) => void): void =>
        void user.later(work).then(() => done(), done);
      return new Writable({
        construct: (done) => act(() => (fd = fs.openSync(file, flags, mode)), done),
        write: (chunk: Buffer, _encoding, done) => act(() => fs.writeFileSync(fd, chunk), done),
        final: (done) => act(() => fs.closeSync(fd ?? -1), done),
      });
    };

    const promises = {
      constants,
      open: async (...given: Parameters<typeof fs.openSync>) => handle(await user.later(() => fs.openSync(...given))),
      readFile: later(fs.readFileSync),
      writeFile: later(fs.writeFileSync),
      stat: later((file: unknown) => fs.statSync(file)),
      access: later(fs.accessSync),
      rename: later(fs.renameSync),
      truncate: later((file: unknown, size: number) => fs.ftruncateSync(fs.openSync(file, 'r+'), size)),
      rm: later(fs.rmSync),
      readdir: later(fs.readdirSync),
      mkdir: later(fs.mkdirSync),
      copyFile: later(fs.copyFileSync),
    };
    return { fs: { ...fs, createReadStream, createWriteStream, promises }, promises };
  }
}

const FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  'wx+': constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

function bytesOf(content: Content): Buffer {
  return typeof content === 'string'
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

const NUMBERS: Readonly<Record<string, number>> = {
  ENOENT: -2,
  EIO: -5,
  EBADF: -9,
  EEXIST: -17,
  ENOTDIR: -20,
  EISDIR: -21,
  EINVAL: -22,
  ENOSPC: -28,
};

export function systemError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: simulated, ${syscall} '${path}'`), {
    code,
    syscall,
    path,
    errno: NUMBERS[code],
  });
}
