/** The strings that cells refer to by number. A large workbook has more of them than fit into memory. */
import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile, temporaryFileProblem } from './byte-reader.ts';
import { limitNewSpace } from './runtime.ts';
import { readXml, unescapeText, XmlError } from './xml.ts';

/** Longest string, in characters. Excel allows 32,767. */
const MAX_TEXT = 2 ** 20;

/** A page ends with the string that makes it larger. An empty string counts too. */
const PAGE_CHARACTERS = 8 * 1024;

/** Pages in memory. */
const MAX_LOADED = 256;

const MAX_FILE_BYTES = 2 ** 32;

/** Consecutive strings. */
interface Page {
  /** The number of its first string. */
  readonly first: number;
  /** Absent while they are only in the file. */
  strings: string[] | undefined;
  /** The place in the file. */
  start: number;
  bytes: number;
}

/** Strings that are added first, and then read in any order. Most are in a temporary file if there are many. */
export class SharedStrings {
  readonly #pages: Page[] = [];
  /** The pages in memory, in the order in which they came there. */
  readonly #loaded = new Set<Page>();
  #count = 0;
  /** Characters of the last page. */
  #characters = PAGE_CHARACTERS;
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #isClosed = false;

  add(text: string): void {
    if (this.#characters >= PAGE_CHARACTERS) {
      const page = { first: this.#count, strings: [], start: 0, bytes: 0 };
      this.#pages.push(page);
      this.#loaded.add(page);
      this.#characters = 0;
    }
    this.#pages.at(-1)?.strings?.push(text);
    this.#characters += text.length + 1;
    this.#count += 1;
  }

  /** Limits the memory. Call it now and then while strings are added. */
  async flush(): Promise<void> {
    if (this.#loaded.size <= MAX_LOADED) return;
    this.#file ??= await openTemporaryFile();
    for (const page of this.#loaded) if (page !== this.#pages.at(-1)) this.#write(this.#file, page);
  }

  #write(file: FileHandle, page: Page): void {
    const bytes = Buffer.from(JSON.stringify(page.strings));
    page.start = this.#fileBytes;
    page.bytes = bytes.length;
    this.#fileBytes += bytes.length;
    if (this.#fileBytes > MAX_FILE_BYTES) throw new XmlError('it has more than 4 GiB of shared strings');
    try {
      if (writeSync(file.fd, bytes, 0, bytes.length, page.start) < bytes.length) throw new Error('the disk is full');
    } catch (error) {
      throw temporaryFileProblem(error);
    }
    page.strings = undefined;
    this.#loaded.delete(page);
  }

  /** Undefined if there is no such string. */
  get(index: number): string | undefined {
    if (this.#isClosed) throw new Error('the strings of the workbook are closed');
    if (!(index >= 0 && index < this.#count) || !Number.isInteger(index)) return undefined;
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pages[middle]?.first ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const page = this.#pages[low];
    return page && (page.strings ?? this.#load(page))[index - page.first];
  }

  /** The page that came into memory first makes room, unless it is not in the file. */
  #load(page: Page): readonly string[] {
    if (this.#file === undefined) throw new Error('the strings of the workbook have no file');
    const bytes = Buffer.allocUnsafe(page.bytes);
    readSync(this.#file.fd, bytes, 0, page.bytes, page.start);
    const strings: string[] = JSON.parse(bytes.toString());
    for (const first of this.#loaded) {
      if (this.#loaded.size < MAX_LOADED) break;
      this.#loaded.delete(first);
      if (first.bytes > 0) first.strings = undefined;
    }
    page.strings = strings;
    this.#loaded.add(page);
    return strings;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#file?.close();
    this.#file = undefined;
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
