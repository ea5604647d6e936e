/**
 * The fast path (docs/fast-path.md): rows of CSV to records as JSON bytes, without a string, an array or an object
 * for a cell. It takes the rows that it certainly understands and leaves each other one, and each that is invalid, to
 * the reference path. What it gives is what that path would give, byte for byte; test/fast/ proves it.
 *
 * It knows the contract's kinds by the shapes of model/engine.ts alone; transforms and validation come as functions of
 * the reference path, which are called for a cell and not for a row.
 */
import { isUtf8 } from 'node:buffer';
import type { Engine, ReadingPlan, RecordSink, RowTaker, Taken } from '../model/engine.ts';
import type { Place } from '../model/row.ts';
import { type Block, blockOf } from './block.ts';
import { CRAMPED, createRecords } from './record.ts';
import { createScan, SHORT } from './scan.ts';

const LINE_FEED = 0x0a;
const CR = 0x0d;

export const createReader: Engine['createReader'] = <Held>(
  plan: ReadingPlan,
  sink: RecordSink<Held>,
  most: () => number,
): RowTaker => {
  const { source, maxRowBytes } = plan;
  const scan = createScan(plan.delimiter, plan.quoted, plan.width);
  const records = createRecords(plan, scan);

  let body = blockOf(Buffer.alloc(0));

  /** Writes the record of the row that was scanned. Its size; negative where the row is the reference path's. */
  function write(row: Block, rowBytes: number): number {
    const usual = records.room(rowBytes);
    for (let room = usual; ; room = 2 * room) {
      const bytes = sink.room(room);
      if (bytes !== body.bytes) body = blockOf(bytes);
      const at = sink.place();
      const size = records.write(row, body, at, at + room - usual);
      if (size !== CRAMPED) return size;
    }
  }

  return {
    take(bytes: Buffer, at: number, place: Place): Taken {
      const mostRows = most();
      /** From an index of the bytes to an offset of the input. */
      const shift = place.byte - at;
      const clean = isUtf8(bytes.subarray(at, bytes.lastIndexOf(LINE_FEED) + 1));
      const block = blockOf(bytes);
      const held = sink.hold(bytes, shift);
      let rows = 0;
      let { line } = place;
      let from = at;
      let short = false;
      while (rows < mostRows) {
        const behind = blank(bytes, from);
        if (behind !== from) {
          from = behind;
          line += 1;
          continue;
        }
        const end = scan.scan(block, from);
        if (end < 0) {
          short = end === SHORT;
          break;
        }
        if (end - 1 - from > maxRowBytes) break;
        if (!clean && !isUtf8(bytes.subarray(from, end))) break;
        const size = write(block, end - from);
        if (size < 0 || size > sink.most) break;
        rows += 1;
        const nextLine = line + scan.inner + 1;
        const { notes } = records;
        sink.put(size, source, place.rows + rows, line, nextLine, shift + from, shift + end, notes, held);
        line = nextLine;
        from = end;
      }
      return { rows: place.rows + rows, line, byte: shift + from, short };
    },
  };
};

/** The index behind a line that has nothing but its line end; the same index where there is something. */
function blank(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === LINE_FEED) return at + 1;
  return byte === CR && bytes[at + 1] === LINE_FEED ? at + 2 : at;
}
