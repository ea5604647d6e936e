/** Reads XML parts of a workbook with sax, chunk by chunk. Names come without their namespace prefix. */
import sax from 'sax';
import { messageOf } from '../lib/text.ts';

/** The values of an element's attributes, by name as written. */
export type Attributes = Readonly<Record<string, unknown>>;

/** Receives what a part consists of, in order. A text may come in several pieces. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** XML that is not well-formed, or not what a workbook has. The message is a clause. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/** Workbooks have about ten levels. sax keeps every open element in memory. */
const MAX_DEPTH = 100;

/** Without positions sax is faster; the row that was reached says more. Only the five entities of XML are known. */
const OPTIONS = { position: false, strictEntities: true };

/**
 * Gives a part to a handler, and yields after each chunk, so that the caller can pass on what it has.
 *
 * @throws XmlError and what the handler and `bytes` throw
 */
export async function* readXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = createParser(handler);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
    parser.write(decode(decoder, chunk));
    yield;
  }
  parser.write(decode(decoder, undefined));
  parser.close();
}

export async function readWholeXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _chunk of readXml(bytes, handler));
}

function createParser(handler: XmlHandler): sax.SAXParser {
  const parser = sax.parser(true, OPTIONS);
  let depth = 0;
  parser.onerror = (error) => {
    // The first line of the message; the others are positions, which are not counted.
    const [reason = ''] = messageOf(error).toLowerCase().split('\n');
    throw new XmlError(`its XML is invalid (${reason.replace(/\.$/, '')})`);
  };
  // Entities of a document type could multiply without bound; sax would not expand them, so values would be wrong.
  parser.ondoctype = () => {
    throw new XmlError('it declares a document type, which workbooks do not have');
  };
  parser.onopentag = ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new XmlError(`its elements are nested deeper than ${MAX_DEPTH} levels`);
    handler.open(localName(name), attributes);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    handler.close?.(localName(name));
  };
  const { text } = handler;
  if (text !== undefined) {
    parser.ontext = (piece) => text.call(handler, piece);
    parser.oncdata = (piece) => text.call(handler, piece);
  }
  return parser;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

export function attribute(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' ? value : undefined;
}

/** XML is UTF-8, or UTF-16 with a byte order mark (XML 1.0, 4.3.3). */
function encodingOf(first: Buffer): string {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  return first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function decode(decoder: InstanceType<typeof TextDecoder> | undefined, chunk: Buffer | undefined): string {
  try {
    return (chunk === undefined ? decoder?.decode() : decoder?.decode(chunk, { stream: true })) ?? '';
  } catch {
    throw new XmlError('it has bytes that are not text in its encoding');
  }
}

/**
 * Line ends are line feeds (XML 1.0, 2.11). Resolves the escapes of characters that XML cannot hold: `_x000D_` is a carriage
 * return.
 */
export function unescapeText(given: string): string {
  const text = given.includes('\r') ? given.replace(/\r\n?/g, '\n') : given;
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-fA-F]{4})_/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
