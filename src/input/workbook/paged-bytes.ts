/**
 * Bytes that are appended first and then read at any place. Beyond a few megabytes they are in a temporary file, and only
 * the pages used last are in memory.
 */
import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile, temporaryFileProblem } from '../temporary-file.ts';

const PAGE_BYTES = 64 * 1024;

/** Of a UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

/** 2 MiB. */
const MAX_PAGES = 32;

export class PagedBytes {
  length = 0;
  /** By number, in the order in which they came into memory. */
  readonly #pages = new Map<number, Buffer>();
  #file: FileHandle | undefined;
  /** Pages in the file. */
  #stored = 0;
  #isClosed = false;

  /** As UTF-8. Short texts are written in place: millions of small buffers would be garbage. */
  appendText(text: string): void {
    const offset = this.length % PAGE_BYTES;
    if (offset + MAX_UTF8_BYTES * text.length >= PAGE_BYTES) this.append(Buffer.from(text));
    else this.length += this.#pageAt(this.length).write(text, offset);
  }

  append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.#pageAt(this.length), this.length % PAGE_BYTES, at);
      at += copied;
      this.length += copied;
    }
  }

  /** Opens the file if there are too many pages. Call it now and then while bytes are appended. */
  async flush(): Promise<void> {
    if (this.#pages.size > MAX_PAGES) this.#file ??= await openTemporaryFile();
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
    return this.#pages.get(number) ?? this.#addPage(number);
  }

  /** Adds a page after the last, or reads one from the file. The pages that came first make room for it. */
  #addPage(number: number): Buffer {
    if (this.#isClosed) throw new Error('the strings of the workbook are closed');
    const file = this.#file;
    for (const [first, page] of this.#pages) {
      if (file === undefined || this.#pages.size < MAX_PAGES) break;
      this.#pages.delete(first);
      if (first < this.#stored) continue;
      writePage(file, first, page);
      this.#stored = first + 1;
    }
    const page = Buffer.allocUnsafe(PAGE_BYTES);
    if (file !== undefined && number < this.#stored) readSync(file.fd, page, 0, PAGE_BYTES, number * PAGE_BYTES);
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
