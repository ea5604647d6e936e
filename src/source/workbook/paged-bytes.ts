/**
 * Bytes that are written once, from the first to the last, and then read at any place. Beyond a few megabytes they are in a
 * temporary file, and the pages read last are in memory.
 */
import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile, temporaryFileProblem } from '../temporary-file.ts';

const PAGE_BYTES = 64 * 1024;

/** Of a UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

/** Pages in memory while there is no file: 2 MiB. */
const MAX_PAGES = 32;

/** Pages in memory once there is one. Most bytes are read in order. */
const MAX_LOADED_PAGES = 16;

export class PagedBytes {
  length = 0;
  /** By number; those of a file in the order in which they were read. */
  readonly #pages = new Map<number, Buffer>();
  /** The page that is written. */
  #page = Buffer.allocUnsafe(PAGE_BYTES);
  #file: FileHandle | undefined;
  #isClosed = false;

  /** As UTF-8. Short texts are written in place: millions of small buffers would be garbage. */
  appendText(text: string): void {
    const offset = this.length % PAGE_BYTES;
    if (offset + MAX_UTF8_BYTES * text.length < PAGE_BYTES) this.length += this.#page.write(text, offset);
    else this.append(Buffer.from(text));
  }

  append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const offset = this.length % PAGE_BYTES;
      const copied = bytes.copy(this.#page, offset, at);
      at += copied;
      this.length += copied;
      if (offset + copied === PAGE_BYTES) this.#endPage();
    }
  }

  #endPage(): void {
    const number = Math.ceil(this.length / PAGE_BYTES) - 1;
    if (this.#file === undefined) {
      this.#pages.set(number, this.#page);
      this.#page = Buffer.allocUnsafe(PAGE_BYTES);
    } else writePage(this.#file, number, this.#page);
  }

  /** Moves the pages to a file if there are too many. Call it now and then while bytes are appended. */
  async flush(): Promise<void> {
    if (this.#file !== undefined || this.#pages.size < MAX_PAGES) return;
    const file = await openTemporaryFile();
    this.#file = file;
    for (const [number, page] of this.#pages) writePage(file, number, page);
    this.#pages.clear();
  }

  /** Call it after the last byte, and before the first is read. */
  end(): void {
    if (this.length % PAGE_BYTES > 0) this.#endPage();
  }

  /** The bytes from `start` to `end`, which must exist. Valid until the next call. */
  read(start: number, end: number): Buffer {
    const offset = start % PAGE_BYTES;
    const size = end - start;
    if (offset + size <= PAGE_BYTES) return this.#pageAt(start).subarray(offset, offset + size);
    const bytes = Buffer.allocUnsafe(size);
    for (let at = start; at < end; ) {
      const from = at % PAGE_BYTES;
      at += this.#pageAt(at).copy(bytes, at - start, from, Math.min(PAGE_BYTES, from + end - at));
    }
    return bytes;
  }

  #pageAt(position: number): Buffer {
    const number = Math.floor(position / PAGE_BYTES);
    return this.#pages.get(number) ?? this.#load(number);
  }

  /** Reads a page in place of the one that was read first. */
  #load(number: number): Buffer {
    if (this.#file === undefined || this.#isClosed) throw new Error('the strings of the workbook are closed');
    const [oldest] = this.#pages.size < MAX_LOADED_PAGES ? [] : this.#pages;
    if (oldest !== undefined) this.#pages.delete(oldest[0]);
    const page = oldest?.[1] ?? Buffer.allocUnsafe(PAGE_BYTES);
    readSync(this.#file.fd, page, 0, PAGE_BYTES, number * PAGE_BYTES);
    this.#pages.set(number, page);
    return page;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file?.close();
  }
}

function writePage(file: FileHandle, number: number, page: Buffer): void {
  try {
    const written = writeSync(file.fd, page, 0, PAGE_BYTES, number * PAGE_BYTES);
    if (written < PAGE_BYTES) throw new Error('the disk is full');
  } catch (error) {
    throw temporaryFileProblem(error);
  }
}
