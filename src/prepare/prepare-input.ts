/**
 * Prepares the rows of one input. Rows that were accounted for before a resume only serve to rebuild sealed batches. Every
 * other row is skipped, invalid, a duplicate, or a record of the open batch.
 */
import type { Recutter } from '../batch/recut.ts';
import type { Sealer } from '../batch/sealer.ts';
import { isBroken } from '../input/decode.ts';
import type { RowBlock } from '../input/format.ts';
import type { Transformed } from '../map/index.ts';
import { type FastEngine, type FastReader, positionInChunk, type RecordSink } from '../model/fast-reader.ts';
import type { Position, ReadPosition } from '../model/position.ts';
import type { Prepared, PreparedSkipped } from '../model/prepared.ts';
import type { BrokenRow, Content, Row } from '../model/row.ts';
import { type ConvertOptions, convertRow } from './convert-row.ts';
import type { PreparableInput, PrepareJob } from './job.ts';
import { createReadPlan } from './read-plan.ts';
import type { RowWindow } from './row-window.ts';
import { addSkipped } from './skipped-rows.ts';

/** What the inputs of a run share. */
export interface PrepareDeps {
  readonly job: PrepareJob;
  readonly sealer: Sealer;
  readonly recutter: Recutter;
  readonly window: RowWindow;
  readonly convert: ConvertOptions;
  /** Absent if the reference path reads every row. */
  readonly engine: FastEngine | undefined;
}

export class InputPreparer {
  readonly fastReader: FastReader | undefined;
  readonly #deps: PrepareDeps;
  readonly #input: PreparableInput;
  /** Number of rows that were accounted for before a resume. */
  readonly #accounted: number;
  #cursor: ReadPosition;
  #out: Prepared[] = [];

  /** @param start where reading begins: at `accounted`, or earlier if sealed batches are rebuilt */
  constructor(deps: PrepareDeps, source: number, start: ReadPosition, accounted: ReadPosition) {
    const { job, sealer, window, engine } = deps;
    const input = job.inputs[source];
    if (input === undefined) throw new RangeError(`there is no input ${source}`);
    this.#deps = deps;
    this.#input = input;
    this.#accounted = accounted.rows;
    this.#cursor = start;
    const plan = engine && createReadPlan(source, input, job, (note) => sealer.isPlaced(note));
    this.fastReader =
      plan &&
      engine.createFastReader(plan, this.#recordSink(), () =>
        this.#cursor.rows < this.#accounted ? 0 : window.remaining,
      );
  }

  /** Receives the records of the fast reader. */
  #recordSink(): RecordSink {
    const { job, sealer } = this.#deps;
    return {
      maxRecordBytes: sealer.maxRecordBytes,
      // Records that are compared with earlier ones come one at a time.
      recordsLeft: () => (job.seen === undefined ? sealer.recordsLeft() : 1),
      bytesLeft: () => sealer.bytesLeft(),
      put: (chunk) => {
        job.observer?.chunk(this.#input.mapping.fields, chunk);
        if (job.seen !== undefined && this.#dropIfSeen(chunk.json, positionInChunk(chunk, 0))) return;
        const batch = sealer.put(chunk);
        if (batch !== undefined) this.#out.push(batch);
      },
    };
  }

  /** The end of the last block. */
  get cursor(): ReadPosition {
    return this.#cursor;
  }

  /** Prepares the rows of a block. The result includes the rows that the fast reader has read since the last block. */
  async push({ rows, fastRows, cursor }: RowBlock): Promise<readonly Prepared[]> {
    const transformed = this.#input.transform && (await this.#input.transform(rows));
    this.#deps.window.add(fastRows);
    for (const [index, row] of rows.entries()) {
      if (row.position.row <= this.#accounted) this.#recut(row, transformed?.[index]);
      else this.#prepare(row, transformed?.[index]);
    }
    this.#cursor = cursor;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** Adds a row to the sealed batch that is rebuilt. A row that was invalid then is invalid again, and in no batch. */
  #recut(row: Row | BrokenRow, transformed: Transformed | undefined): void {
    const { recutter, convert } = this.#deps;
    const converted = convertRow(this.#input, row, transformed, { ...convert, observer: undefined });
    if (converted.kind === 'record') recutter.add(row.position, converted.json, contentOf(row));
    const recut = recutter.end(row.position);
    if (recut !== undefined) this.#out.push(recut);
  }

  #prepare(row: Row | BrokenRow, transformed: Transformed | undefined): void {
    const { sealer, window, convert } = this.#deps;
    const { position } = row;
    const outside = window.next();
    if (outside !== undefined) {
      this.#skip(position, outside);
      return;
    }
    const converted = convertRow(this.#input, row, transformed, convert);
    switch (converted.kind) {
      case 'omitted':
        this.#skip(position, 'transform');
        return;
      case 'invalid':
        sealer.drop(position, 'invalid');
        this.#out.push({ kind: 'invalid', position, issues: converted.issues, content: contentOf(row) });
        return;
      case 'record': {
        if (this.#dropIfSeen(converted.json, position)) return;
        const batch = sealer.add(position, converted.json, converted.notes, contentOf(row));
        if (batch !== undefined) this.#out.push(batch);
      }
    }
  }

  /** Drops a record that this run or an earlier one has had before. Returns whether it did. */
  #dropIfSeen(json: string | Uint8Array, position: Position): boolean {
    const { job, sealer } = this.#deps;
    const seen = job.seen?.(json, position);
    if (seen === undefined) return false;
    if (seen.kind === 'duplicate') {
      sealer.drop(position, 'duplicate');
      this.#out.push({ kind: 'duplicate', position, of: seen.of });
    } else {
      sealer.drop(position, 'skipped', seen.by);
      addSkipped(this.#out, position, seen.by.state, seen.by.run);
    }
    return true;
  }

  #skip(position: Position, why: PreparedSkipped['why']): void {
    this.#deps.sealer.drop(position, 'skipped');
    addSkipped(this.#out, position, why);
  }
}

/** The row for the rejects file. */
function contentOf(row: Row | BrokenRow): Content | string {
  return isBroken(row) ? row.raw : (row.text ?? row.content);
}
