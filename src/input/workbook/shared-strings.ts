/** The strings that cells refer to by number. A large workbook has more of them than fit into memory. */
import { limitNewSpace } from '../limit-memory.ts';
import { unescapeText } from './cell-text.ts';
import { PagedBytes } from './paged-bytes.ts';
import { readXml, XmlError } from './xml.ts';

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
