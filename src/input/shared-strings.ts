/** The strings that cells refer to by number. */
import { grown, type Memory } from '../lib/buffers.ts';
import { readWholeXml, unescapeText, XmlError } from './xml.ts';

const MAX_TEXT = 2 ** 20;

const MAX_BYTES = 2 ** 30;
const MAX_STRINGS = 2 ** 25;

/**
 * Strings that are added first, and then read in any order. They are in one buffer: a large workbook has more of them than fit
 * into V8's heap.
 */
export class SharedStrings {
  #bytes: Memory = Buffer.alloc(0);
  #used = 0;
  readonly #ends: number[] = [];

  add(text: string): void {
    const end = this.#used + Buffer.byteLength(text);
    if (end > MAX_BYTES || this.#ends.length === MAX_STRINGS) throw new XmlError('it has too many shared strings');
    this.#bytes = grown(this.#bytes, this.#used, end);
    this.#bytes.write(text, this.#used);
    this.#used = end;
    this.#ends.push(end);
  }

  get(index: number): string | undefined {
    const end = this.#ends[index];
    return end === undefined ? undefined : unescapeText(this.#bytes.toString('utf8', this.#ends[index - 1] ?? 0, end));
  }
}

export async function readSharedStrings(bytes: AsyncIterable<Buffer>): Promise<SharedStrings> {
  const strings = new SharedStrings();
  const collector = new TextCollector();
  await readWholeXml(bytes, {
    open: (name) => collector.open(name),
    text: (text) => collector.text(text),
    close(name) {
      collector.close(name);
      if (name === 'si') strings.add(collector.take());
    },
  });
  return strings;
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

  /** The text since the last call, with its escapes. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#isInText = false;
    this.#isInPhonetic = false;
    return text;
  }
}
