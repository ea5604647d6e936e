/** Writes zip archives for tests: small, and as wrong as a test wants them. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly path: string;
  readonly bytes: Buffer | string;
  /** What the directory says instead of the truth. */
  readonly crc?: number;
  readonly size?: number;
  /** Bit 0: encrypted. */
  readonly flags?: number;
  /** 0: stored, 8: deflated. */
  readonly method?: number;
}

/** PKWARE APPNOTE.TXT, 4.3. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const bytes = Buffer.from(part.bytes);
    const { method = 8, flags = 0, size = bytes.length, crc = crc32(bytes) } = part;
    const data = method === 8 ? deflateRawSync(bytes) : bytes;
    const name = Buffer.from(part.path);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags | 0x800, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const at = Buffer.alloc(14);
    at.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, at, name);
    files.push(Buffer.from('PK\x03\x04', 'latin1'), fields, name, data);
    offset += 30 + name.length + data.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, listing, end]);
}
