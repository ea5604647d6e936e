/**
 * Changes texts: bytes, words of a format, and parts of two texts. Damages workbooks and archives: bytes of the file, members, and
 * XML whose checksum is then right again.
 */
import { inflateRawSync } from 'node:zlib';
import { between } from '../chaos/random.ts';
import { type ZipPart, zipOf } from '../support/zip.ts';

export type Random = () => number;

export function pick<T>(random: Random, values: readonly T[]): T {
  if (values.length === 0) throw new RangeError('nothing to pick from');
  return values[between(random, 0, values.length - 1)] as T;
}

const LONGEST = 1000;

/** A text with at most three changes, or made of words. @param words of its format */
export function mutate(random: Random, texts: readonly Buffer[], words: readonly Buffer[]): Buffer {
  let bytes = pick(random, texts);
  if (words.length > 0 && random() < 0.1) {
    bytes = Buffer.concat(Array.from({ length: between(random, 1, 40) }, () => pick(random, words)));
  }
  for (let times = between(random, 0, 3); times > 0; times -= 1) {
    const kind = random();
    const isWord = kind < 0.45 && words.length > 0;
    if (kind > 0.7) bytes = damageBytes(random, bytes);
    else {
      const tokens = random() < 0.5 ? [...bytes.toString('latin1').matchAll(/[\w.]+/g)] : [];
      const token = tokens.length === 0 ? undefined : pick(random, tokens);
      const at = token?.index ?? between(random, 0, bytes.length);
      const to = at + (token?.[0].length ?? 0);
      const other = pick(random, isWord ? words : texts);
      const from = isWord ? 0 : between(random, 0, other.length);
      bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(from), bytes.subarray(to)]);
    }
  }
  return bytes.subarray(0, LONGEST);
}

/** The members of an archive without a comment. PKWARE APPNOTE.TXT, 4.3.12 and 4.3.16. None if it is damaged. */
function partsOf(file: Buffer): readonly ZipPart[] {
  const parts: ZipPart[] = [];
  try {
    for (let at = file.readUInt32LE(file.length - 6); file.readUInt32LE(at) === 0x02014b50; ) {
      const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((field) => file.readUInt16LE(at + field));
      const local = file.readUInt32LE(at + 42);
      const data = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
      const packed = file.subarray(data, data + file.readUInt32LE(at + 20));
      const bytes = file.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
      parts.push({ path: file.toString('utf8', at + 46, at + 46 + name), bytes });
      at += 46 + name + extra + comment;
    }
  } catch {
    return [];
  }
  return parts;
}

/** One damaged workbook or archive. */
export function damage(random: Random, files: readonly Buffer[]): Buffer {
  const kind = random();
  const file = pick(random, files);
  const parts = partsOf(file);
  if (kind < 0.3 || parts.length === 0) return damageBytes(random, file);
  const index = between(random, 0, parts.length - 1);
  const part = parts[index];
  if (part === undefined) throw new RangeError('the workbook has no parts');
  const others = parts.filter((_, at) => at !== index);
  if (kind < 0.35) return zipOf(others);
  if (kind < 0.4) return zipOf([...parts, { ...part, path: pick(random, ['../up', '/root', 'a\\b', '', part.path]) }]);
  if (kind < 0.45) return zipOf([...others, { ...part, ...pick(random, WRONG_HEADERS) }]);
  if (kind < 0.5) return zipOf([...others, { ...part, bytes: damageBytes(random, Buffer.from(part.bytes)) }]);
  let text = part.bytes.toString();
  for (let times = between(random, 1, 4); times > 0; times -= 1) text = damageXml(random, text);
  return zipOf([...others, { ...part, bytes: text }]);
}

const WRONG_HEADERS: readonly Partial<ZipPart>[] = [
  { crc: 1 },
  { size: 0 },
  { size: 2 ** 32 - 1 },
  { flags: 1 },
  { method: 9 },
  { method: 0, size: 7 },
];

function damageBytes(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = between(random, 0, Math.max(0, copy.length - 1));
  const to = Math.min(copy.length, at + between(random, 1, 64));
  switch (between(random, 0, 4)) {
    case 0:
      for (let times = between(random, 1, 8); times > 0 && copy.length > 0; times -= 1) {
        copy[between(random, 0, copy.length - 1)] = between(random, 0, 255);
      }
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(to)]);
    case 3:
      return Buffer.concat([copy.subarray(0, to), copy.subarray(at)]);
    default:
      return copy.fill(pick(random, [0, 0xff, 0x3c]), at, to);
  }
}

const VALUES = [
  ...' 0 -1 1 1.5 99999999999 1048577 1e400 NaN __proto__ XFE1 A1048577 AAAAAAAA1'.split(' '),
  ...'n s str inlineStr b e d rId1 ../../x.xml /xl/workbook.xml [h]:mm yyyy %'.split(' '),
];

const INSERTIONS = [
  ...['<', '>', '&', '&amp;', '&x;', '&#0;', '&#x110000;', ']]>', '<![CDATA[', '<!--', '<?xml?>', '\u0000', '\ufffe'],
  '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
  '<row>'.repeat(150),
  '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
  '<c t="s"><v>0</v></c>'.repeat(2000),
  `<c t="inlineStr"><is><t>${'x'.repeat(40_000)}</t></is></c>`,
  '<si><t>more</t></si>'.repeat(500),
  '<xf numFmtId="14"/>'.repeat(500),
];

function damageXml(random: Random, text: string): string {
  const values = [...text.matchAll(/"([^"<>]*)"|>([^<>]+)</g)];
  const tags = [...text.matchAll(/<[^<>]*>/g)];
  const value = values.length === 0 ? undefined : pick(random, values);
  const tag = tags.length === 0 ? undefined : pick(random, tags);
  if (value === undefined || tag === undefined) return text + pick(random, INSERTIONS);
  const tagEnd = tag.index + tag[0].length;
  switch (between(random, 0, 5)) {
    case 0:
    case 1:
      return `${text.slice(0, value.index + 1)}${pick(random, VALUES)}${text.slice(value.index + value[0].length - 1)}`;
    case 2:
      return text.slice(0, tag.index) + text.slice(tagEnd);
    case 3:
      return text.slice(0, tagEnd) + tag[0].repeat(between(random, 1, 3)) + text.slice(tagEnd);
    case 4:
      return text.slice(0, tag.index) + pick(random, tags)[0] + text.slice(tagEnd);
    default:
      return text.slice(0, tagEnd) + pick(random, INSERTIONS) + text.slice(tagEnd);
  }
}
