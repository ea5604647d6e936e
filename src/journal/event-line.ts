/**
 * A line of the journal: one event as JSON, which ends with a CRC-32 of everything before it. The checksum detects
 * lines that a crash has left incomplete and bits flipped by a disk: the outcome of a batch must not rest on such a line.
 */
import { crc32 } from 'node:zlib';

const TAIL = /,"crc":"([0-9a-f]{8})"\}$/;

/** The line of an event, or of any other object with at least one key. It ends with a line feed. */
export function encodeLine(object: object): string {
  const body = JSON.stringify(object).slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}\n`;
}

/**
 * The value of a line without its line feed; undefined if the checksum is missing or wrong. Its shape is for the caller to
 * validate: a file from another person can have any value with a correct checksum.
 */
export function decodeLine(line: string): unknown {
  const tail = TAIL.exec(line);
  if (tail === null || checksum(line.slice(0, tail.index)) !== tail[1]) return undefined;
  try {
    return JSON.parse(`${line.slice(0, tail.index)}}`);
  } catch {
    return undefined;
  }
}

/**
 * Whether a last line without a line feed was once whole: there is a byte after its checksum. An incomplete write leaves
 * nothing there, so the line feed was damaged later, and the program has acted on the line.
 */
export function hasDamagedLineFeed(rest: string): boolean {
  return /,"crc":"[0-9a-f]{8}"\}./su.test(rest);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
