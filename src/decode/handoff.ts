/**
 * Two readers of one input: a fast one takes the rows that it certainly understands, and for the others the reference
 * path scans from the beginning of the row that the fast one stopped at. What comes out is what the reference path
 * alone would give, because each hands over between two rows, where a scan knows nothing of what was before.
 *
 * The reference path is slow to start, so it takes more rows at a time the sooner it is needed again: of a file that
 * the fast reader understands nothing of, it soon reads all.
 *
 * Limits: what is held of a row that the fast reader has not seen the end of is at most {@link CARRY_BYTES} and one
 * chunk; a longer row is the reference path's.
 */
import type { FastReader } from '../model/fast-reader.ts';
import type { ReadPosition } from '../model/row.ts';
import type { RowBlock } from './format.ts';
import type { RowScanner, RowSlice } from './row-bounds.ts';

const CARRY_BYTES = 64 * 1024;
/** Bytes that the fast reader is given at a time: behind each such slice whoever asks for blocks may look at something else. */
const SLICE_BYTES = 128 * 1024;
/** Bytes that the reference path is given at a time. */
const PIECE_BYTES = 64 * 1024;
const MOST_LINES = 4096;
const LINE_FEED = 0x0a;

export interface HandoffDeps {
  readonly fastReader: FastReader;
  /** A scan of the reference path from a place on. */
  startScan(place: ReadPosition): RowScanner;
  /** The rows of a slice that begins at a place. */
  readBlock(slice: RowSlice, before: ReadPosition): RowBlock;
}

/**
 * @param chunks all bytes of the text, from offset 0
 * @param from where the first row begins
 * @param whole whether the end of the chunks is the input's own
 */
export async function* decodeWithFastReader(
  chunks: AsyncIterable<Uint8Array>,
  from: ReadPosition,
  whole: boolean,
  { fastReader, startScan, readBlock }: HandoffDeps,
): AsyncGenerator<RowBlock> {
  let place = from;
  let ahead = from.byte;
  let carry: Buffer | undefined;
  /** The reference path's scan, where it is its turn, and the line ends that it still takes. */
  let scan: RowScanner | undefined;
  let left = 0;
  let share = 1;
  /** Offset behind the last byte that the scan was given. */
  let given = 0;

  /** The reference path's share grows while it is needed, and shrinks behind each row that it is not. */
  const handOver = (taken: number): void => {
    share = Math.min(Math.max(1, share * 2 - taken), MOST_LINES);
    left = share;
    given = place.byte;
    scan = startScan(place);
  };

  for await (const chunk of chunks) {
    const skip = Math.min(ahead, chunk.length);
    ahead -= skip;
    if (skip === chunk.length) continue;
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset + skip, chunk.length - skip);
    for (const part of carry === undefined ? [fresh] : firstLineApart(fresh)) {
      const bytes: Buffer = carry === undefined ? part : Buffer.concat([carry, part]);
      carry = undefined;
      for (let at = 0, size = SLICE_BYTES; at < bytes.length; ) {
        if (scan === undefined) {
          const end = Math.min(at + size, bytes.length);
          const taken = fastReader.read(bytes.subarray(0, end), at, place);
          const passedRows = taken.rows - place.rows;
          // A row that is longer than a slice needs a longer one.
          size = taken.needsMoreBytes && passedRows === 0 ? 2 * size : SLICE_BYTES;
          at += taken.byte - place.byte;
          if (taken.byte > place.byte) {
            place = { rows: taken.rows, line: taken.line, byte: taken.byte };
            yield { rows: [], cursor: place };
          }
          if (at === bytes.length) break;
          if (taken.needsMoreBytes && end < bytes.length) continue;
          if (taken.needsMoreBytes && bytes.length - at <= CARRY_BYTES) {
            // A copy: the chunk's memory may be used again.
            carry = Buffer.from(bytes.subarray(at));
            break;
          }
          handOver(passedRows);
        }
        if (scan === undefined) continue;
        const piece = bytes.subarray(at, at + PIECE_BYTES);
        const { end, count } = lineEnds(piece, Math.max(1, left));
        left -= count;
        at += end;
        given += end;
        const slice = scan.push(piece.subarray(0, end));
        // A scan that holds nothing back knows nothing that a new one would not.
        if (left <= 0 && slice.end === given) scan = undefined;
        if (slice.end > place.byte) {
          const block = readBlock(slice, place);
          place = block.cursor;
          yield block;
        }
      }
    }
  }
  // What the fast reader saw no end of may hold rows all the same: behind a quote that is never closed, for one.
  if (carry !== undefined) {
    scan = startScan(place);
    const slice = scan.push(carry);
    if (slice.end > place.byte) {
      const block = readBlock(slice, place);
      place = block.cursor;
      yield block;
    }
  }
  if (!whole) return;
  const slice = scan?.end();
  if (slice !== undefined && slice.end > place.byte) yield readBlock(slice, place);
}

/** The bytes up to the first line end, and the others: so that only a row that goes over two chunks is copied. */
function firstLineApart(bytes: Buffer): readonly Buffer[] {
  const end = bytes.indexOf(LINE_FEED) + 1;
  return end === 0 || end === bytes.length ? [bytes] : [bytes.subarray(0, end), bytes.subarray(end)];
}

/** The index behind the `most`th line feed, or the bytes' end; and how many there are up to it. */
function lineEnds(bytes: Buffer, most: number): { readonly end: number; readonly count: number } {
  let end = 0;
  for (let count = 0; count < most; count += 1) {
    const feed = bytes.indexOf(LINE_FEED, end);
    if (feed < 0) return { end: bytes.length, count };
    end = feed + 1;
  }
  return { end, count: most };
}
