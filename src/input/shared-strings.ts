/** The strings that cells refer to by number. A large workbook has more of them than fit into memory. */
import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile, temporaryFileProblem } from './byte-reader.ts';
import { limitNewSpace } from './runtime.ts';
import { readXml, unescapeText, XmlError } from './xml.ts';

/** Positions are unsigned 32-bit integers. */
const MAX_BYTES = 2 ** 32 - 1;
const POSITION_BYTES = 4;

/** Longest string, in characters. Excel allows 32,767. */
const MAX_TEXT = 2 ** 20;

export class SharedStrings {
  readonly #text = new PagedBytes();
  /** Where each string ends. */
  readonly #ends = new PagedBytes();
  readonly #end = Buffer.alloc(POSITION_BYTES);

  add(text: string): void {
    this.#text.appendText(text);
    if (this.#text.length > MAX_BYTES) throw new XmlError('it has more than 4 GiB of shared strings');
    this.#end.writeUInt32LE(this.#text.length);
    this.#ends.append(this.#end);
  }

  /** Limits the memory. Call it now and then while strings are added. */
  async flush(): Promise<void> {
    await this.#text.flush();
    await this.#ends.flush();
  }

  /** Undefined if there is no such string. */
  get(index: number): string | undefined {
    const at = index * POSITION_BYTES;
    if (!(index >= 0 && at < this.#ends.length) || !Number.isInteger(index)) return undefined;
    const start = index === 0 ? 0 : this.#endAt(at - POSITION_BYTES);
    return this.#text.read(start, this.#endAt(at)).toString();
  }

  #endAt(position: number): number {
    return this.#ends.read(position, position + POSITION_BYTES).readUInt32LE();
  }

  async close(): Promise<void> {
    await this.#text.close();
    await this.#ends.close();
  }
}

/** @throws XmlError and what `bytes` throws; the strings are then closed */
export async function readSharedStrings(bytes: AsyncIterable<Buffer>): Promise<SharedStrings> {
  limitNewSpace();
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

const PAGE_BYTES = 64 * 1024;

/** Of a UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

/** 2 MiB. */
const MAX_PAGES = 32;

/**
 * Bytes that are appended first and then read at any place. Beyond a few megabytes they are in a temporary file, and only
 * the pages used last are in memory.
 */
class PagedBytes {
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
