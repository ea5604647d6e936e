/**
 * The strings that cells refer to by number. A large workbook has more of them than fit into memory: then they are in a
 * temporary file, and the pages used last are in memory.
 */
import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile, temporaryFileProblem } from '../temporary-file.ts';
import { unescapeText } from './cell-text.ts';
import { readXml, XmlError } from './xml.ts';

const PAGE_BYTES = 64 * 1024;

/** Pages in memory while there is no file: 8 MiB. */
const MAX_PAGES = 128;

/** Pages in memory once there is one. Cells refer to most strings in order. */
const MAX_LOADED_PAGES = 64;

/** Positions are unsigned 32-bit integers. */
const MAX_BYTES = 2 ** 32 - 1;

/** Positions are in arrays of this length, so that none is copied to a larger one. */
const SEGMENT = 2 ** 16;

/** Longest string, in characters. Excel allows 32,767. */
const MAX_TEXT = 2 ** 20;

export class SharedStrings {
  /** By number; those in the file in the order in which they were read. */
  readonly #pages = new Map<number, Buffer>();
  readonly #starts: Uint32Array[] = [];
  #page = Buffer.allocUnsafe(PAGE_BYTES);
  #bytes = 0;
  #count = 0;
  /** Has all pages that are not in memory. */
  #file: FileHandle | undefined;
  #isClosed = false;

  add(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#bytes + bytes.length > MAX_BYTES) throw new XmlError('it has more than 4 GiB of shared strings');
    this.#addStart();
    for (let at = 0; at < bytes.length; ) {
      const offset = this.#bytes % PAGE_BYTES;
      const copied = bytes.copy(this.#page, offset, at);
      at += copied;
      this.#bytes += copied;
      if (offset + copied === PAGE_BYTES) this.#endPage();
    }
  }

  #addStart(): void {
    const at = this.#count % SEGMENT;
    if (at === 0) this.#starts.push(new Uint32Array(SEGMENT));
    const segment = this.#starts.at(-1);
    if (segment !== undefined) segment[at] = this.#bytes;
    this.#count += 1;
  }

  #endPage(): void {
    const number = Math.ceil(this.#bytes / PAGE_BYTES) - 1;
    if (this.#file === undefined) {
      this.#pages.set(number, this.#page);
      this.#page = Buffer.allocUnsafe(PAGE_BYTES);
    } else writePage(this.#file, number, this.#page);
  }

  /** Moves the pages to a file if there are too many. Call it now and then while strings are added. */
  async flush(): Promise<void> {
    if (this.#file !== undefined || this.#pages.size < MAX_PAGES) return;
    const file = await openTemporaryFile();
    this.#file = file;
    for (const [number, page] of this.#pages) writePage(file, number, page);
    this.#pages.clear();
  }

  /** Call it after the last string, and before the first is read. */
  end(): void {
    if (this.#bytes % PAGE_BYTES > 0) this.#endPage();
  }

  /** Undefined if there is no such string. */
  get(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count) || !Number.isInteger(index)) return undefined;
    const start = this.#startOf(index);
    const end = index + 1 === this.#count ? this.#bytes : this.#startOf(index + 1);
    const offset = start % PAGE_BYTES;
    if (offset + end - start <= PAGE_BYTES) return this.#pageAt(start).toString('utf8', offset, offset + end - start);
    const parts: Buffer[] = [];
    for (let at = start; at < end; ) {
      const from = at % PAGE_BYTES;
      const part = this.#pageAt(at).subarray(from, Math.min(PAGE_BYTES, from + end - at));
      parts.push(part);
      at += part.length;
    }
    return Buffer.concat(parts).toString();
  }

  #startOf(index: number): number {
    return this.#starts[Math.floor(index / SEGMENT)]?.[index % SEGMENT] ?? 0;
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

/** @throws XmlError and what `bytes` throws; the strings are then closed */
export async function readSharedStrings(bytes: AsyncIterable<Buffer>): Promise<SharedStrings> {
  const strings = new SharedStrings();
  const collector = new TextCollector();
  try {
    const handler = {
      open: (name: string) => collector.open(name),
      text: (text: string) => collector.text(text),
      close(name: string) {
        collector.close(name);
        if (name === 'si') strings.add(collector.take());
      },
    };
    for await (const _chunk of readXml(bytes, handler)) await strings.flush();
    strings.end();
    return strings;
  } catch (error) {
    await strings.close();
    throw error;
  }
}

/** Joins the text of a string: its `t` elements, also of its runs of rich text, without phonetic guides. */
export class TextCollector {
  #text = '';
  #isInText = false;
  #isInPhonetic = false;

  open(name: string): void {
    if (name === 't') this.#isInText = !this.#isInPhonetic;
    else if (name === 'rPh') this.#isInPhonetic = true;
  }

  text(text: string): void {
    if (!this.#isInText) return;
    this.#text += text;
    if (this.#text.length > MAX_TEXT) throw new XmlError(`a cell has more than ${MAX_TEXT} characters`);
  }

  close(name: string): void {
    if (name === 't') this.#isInText = false;
    else if (name === 'rPh') this.#isInPhonetic = false;
  }

  /** The text since the last call. */
  take(): string {
    const text = unescapeText(this.#text);
    this.#text = '';
    this.#isInText = false;
    this.#isInPhonetic = false;
    return text;
  }
}
