/**
 * A line of the journal: one event as JSON, ended by a CRC-32 of everything before it. A line that was torn by a
 * crash, or in which a bit was flipped by a disk, is recognised and never believed: what a batch became must not
 * be claimed on such evidence.
 */
import { crc32 } from 'node:zlib';
import type { RunEvent } from '../model/event.ts';

const TAIL = /,"crc":"([0-9a-f]{8})"\}$/;

/** The line of an event, its line feed included. */
export function encodeLine(event: RunEvent): string {
  return sealLine(event);
}

/** The line of any object with at least one key, ended in the same way. */
export function sealLine(object: object): string {
  const body = JSON.stringify(object).slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}\n`;
}

/**
 * The event of a line, without its line feed; undefined where the line is not whole. Only lines that this program
 * wrote carry a right checksum, so their shape needs no second check.
 */
export function decodeLine(line: string): RunEvent | undefined {
  return openLine(line) as RunEvent | undefined;
}

/** What {@link sealLine} made a line of; undefined where it is not whole. */
export function openLine(line: string): unknown {
  const tail = TAIL.exec(line);
  if (tail === null || checksum(line.slice(0, tail.index)) !== tail[1]) return undefined;
  return JSON.parse(`${line.slice(0, tail.index)}}`);
}

/**
 * Whether a last line without a line feed was whole once: a byte stands behind its checksum. A write that was torn
 * leaves nothing there, so that something has changed the line feed, and the line was acted upon.
 */
export function lostItsEnd(rest: string): boolean {
  return /,"crc":"[0-9a-f]{8}"\}./su.test(rest);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
