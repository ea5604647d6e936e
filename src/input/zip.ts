/** Zip archives, workbooks too. Needs a file and not a pipe. Memory is bounded: a member is unpacked as it is read. */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';

export interface ZipMember {
  /** Relative, with slashes; never with `..`. */
  readonly path: string;
  /** Whether it is a symbolic link, whose content is the path of its target. */
  readonly isLink: boolean;
}

export interface ZipArchive {
  /** In the order of the archive's directory. Folders are left out. */
  readonly members: readonly ZipMember[];
  /** Rejects with a ProblemError `input.failed` if they are damaged, `input.protected` if they are encrypted. */
  read(member: ZipMember): AsyncGenerator<Buffer>;
}

const LINK = 0o12;

const MAX_MEMBERS = 10_000;

/** Real data that is this large never unpacks to this many times its size. */
const BOMB_BYTES = 2 ** 30;
const BOMB_RATIO = 250;

/**
 * @param file must stay open while members are read; the caller closes it
 * @throws ProblemError `input.failed` if the archive is damaged, `input.container` if it is not safe to unpack
 */
export async function openZip(name: string, file: FileHandle): Promise<ZipArchive> {
  const { size } = await file.stat();
  try {
    const archive = await yauzl.fromFdPromise(file.fd, { autoClose: false });
    if (archive.entryCount > MAX_MEMBERS) {
      throw unsafe(name, `it has ${archive.entryCount} files, and at most ${MAX_MEMBERS} are read`);
    }
    const entries = new Map<ZipMember, yauzl.Entry>();
    let unpacked = 0;
    for await (const entry of archive.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const isLink = ((entry.externalFileAttributes >>> 16) % 2 ** 16) >>> 12 === LINK;
      entries.set({ path: entry.fileName, isLink }, entry);
      unpacked += entry.uncompressedSize;
    }
    if (unpacked > BOMB_BYTES && unpacked > BOMB_RATIO * size) {
      throw unsafe(name, `its ${size} bytes would unpack to ${unpacked}`);
    }
    return {
      members: [...entries.keys()],
      read(member) {
        const entry = entries.get(member);
        if (entry === undefined) throw new TypeError(`${name} has no member ${member.path}`);
        return readMember(name, archive, entry);
      },
    };
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw damagedArchive(name, messageOf(error));
  }
}

async function* readMember(name: string, archive: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  const place = `${name}:${entry.fileName}`;
  if (entry.isEncrypted()) {
    throw new ProblemError({
      code: 'input.protected',
      message: `'${place}' is protected by a password.`,
      where: place,
      hint: 'Unpack the archive with its password, and upload the files in it.',
    });
  }
  try {
    let checksum = 0;
    const stream = await archive.openReadStreamPromise(entry);
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('an archive member must give bytes');
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new Error('the checksum is wrong');
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw damagedArchive(place, messageOf(error));
  }
}

/** @param reason a clause, or a message of yauzl or zlib */
export function damagedArchive(name: string, reason: string): ProblemError {
  const isCut = reason.startsWith('End of central directory');
  return new ProblemError({
    code: 'input.failed',
    message: `'${name}' cannot be read: ${isCut ? 'its end is missing' : reason.replace(/\.$/, '')}.`,
    where: name,
    hint: 'If it is truncated or damaged, copy, download or export it again. Or unpack it with another program, and upload the files in it.',
  });
}

function unsafe(name: string, reason: string): ProblemError {
  return new ProblemError({
    code: 'input.container',
    message: `'${name}' is not safe to unpack: ${reason}.`,
    where: name,
    hint: 'If you trust it, unpack it with another program, and upload the files in it.',
  });
}
