/**
 * A line of the journal: one event as JSON, ended by a CRC-32 of everything before it. A line that was torn by a
 * crash, or in which a bit was flipped by a disk, is recognised and never believed: what a batch became must not
 * be claimed on such evidence.
 */
import { crc32 } from 'node:zlib';
import type { Cursor, RowRange } from '../model/batch.ts';
import type { BatchSealed, BatchSettled, RunEvent } from '../model/event.ts';

const TAIL = /,"crc":"([0-9a-f]{8})"\}$/;

/** The line of an event, its line feed included. */
export function encodeLine(event: RunEvent): string {
  switch (event.event) {
    // The three that every batch has are put together key by key: JSON.stringify took as long as their file's write.
    case 'batch.sealed':
      return endLine(sealedBody(event));
    case 'attempt.started':
      return endLine(
        `{"event":"attempt.started","time":"${event.time}","batch":"${event.batch}","attempt":${event.attempt},"bytes":${event.bytes}`,
      );
    case 'batch.settled':
      return endLine(settledBody(event));
    default:
      return encodeObjectLine(event);
  }
}

/** The line of any object with at least one key, ended in the same way. */
export function encodeObjectLine(object: object): string {
  return endLine(JSON.stringify(object).slice(0, -1));
}

/** @param body JSON of an object without its last brace */
function endLine(body: string): string {
  return `${body},"crc":"${checksum(body)}"}\n`;
}

/** Times, ids, digests and keys are made by this program, of characters that JSON takes as they are. */
function sealedBody(event: BatchSealed): string {
  const { batch, digest, records, bytes, maybeProcessed, keys, dropped, sentBefore } = event;
  const ranges = listed(event.ranges, rangeJson);
  const cursors = listed(event.cursors, cursorJson);
  const rejects = countsJson(event.rejects);
  const notes = countsJson(event.notes);
  return (
    `{"event":"batch.sealed","batch":"${batch}","digest":"${digest}","records":${records},"bytes":${bytes}` +
    `,"ranges":[${ranges}],"rejects":${rejects}${maybeProcessed === undefined ? '' : ',"maybeProcessed":true'}` +
    `${keys === undefined ? '' : `,"keys":"${keys}"`},"cursors":[${cursors}],"dropped":{"invalid":${dropped.invalid}` +
    `,"skipped":${dropped.skipped},"duplicate":${dropped.duplicate}},"notes":${notes}${sentBefore === undefined ? '' : `,"sentBefore":${JSON.stringify(sentBefore)}`}`
  );
}

/** Most batches have one range and one cursor. */
function listed<T>(items: readonly T[], jsonOf: (item: T) => string): string {
  let list = '';
  for (const item of items) list += list === '' ? jsonOf(item) : `,${jsonOf(item)}`;
  return list;
}

/** Most batches have none. */
function countsJson(counts: Readonly<Record<string, number>>): string {
  for (const _ in counts) return JSON.stringify(counts);
  return '{}';
}

function rangeJson(range: RowRange): string {
  if (range.spans !== undefined) return JSON.stringify(range);
  const { source, firstRow, lastRow, firstLine, lastLine, start, end } = range;
  return `{"source":${source},"firstRow":${firstRow},"lastRow":${lastRow},"firstLine":${firstLine},"lastLine":${lastLine},"start":${start},"end":${end}}`;
}

function cursorJson({ source, rows, line, byte }: Cursor): string {
  return `{"source":${source},"rows":${rows},"line":${line},"byte":${byte}}`;
}

function settledBody(event: BatchSettled): string {
  const { time, batch, outcome, attempts, ms, status, receipt, unaccounted, error } = event;
  return (
    `{"event":"batch.settled","time":"${time}","batch":"${batch}","outcome":"${outcome}","attempts":${attempts}` +
    `,"ms":${ms}${status === undefined ? '' : `,"status":${status}`}` +
    `${receipt === undefined ? '' : `,"receipt":${JSON.stringify(receipt)}`},"unaccounted":${unaccounted}` +
    `${error === undefined ? '' : `,"error":${JSON.stringify(error)}`}`
  );
}

/**
 * The event of a line, without its line feed; undefined where the line is not whole. Only lines that this program
 * wrote carry a right checksum, so their shape needs no second check.
 */
export function decodeLine(line: string): RunEvent | undefined {
  return decodeObjectLine(line) as RunEvent | undefined;
}

/** What {@link encodeObjectLine} made a line of; undefined where it is not whole. */
export function decodeObjectLine(line: string): unknown {
  const tail = TAIL.exec(line);
  if (tail === null || checksum(line.slice(0, tail.index)) !== tail[1]) return undefined;
  return JSON.parse(`${line.slice(0, tail.index)}}`);
}

/**
 * Whether a last line without a line feed was whole once: a byte stands behind its checksum. A write that was torn
 * leaves nothing there, so that something has changed the line feed, and the line was acted upon.
 */
export function lacksLineFeedOnly(rest: string): boolean {
  return /,"crc":"[0-9a-f]{8}"\}./su.test(rest);
}

function checksum(body: string): string {
  const sum = crc32(body);
  return `${hexOf(sum >>> 24)}${hexOf(sum >>> 16)}${hexOf(sum >>> 8)}${hexOf(sum)}`;
}

/** Each byte in hexadecimal: a number of 32 bits as text of that base takes V8 five times as long as four of these. */
const HEX = Array.from({ length: 0x100 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The lowest byte of a number. */
function hexOf(number: number): string {
  return HEX[number & 0xff] ?? '';
}
