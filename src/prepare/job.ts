/** The options of `prepare`: the inputs of a run, its limits, and where a resumed run continues. Types only. */
import type { Contract } from '../contract/index.ts';
import type { RecordFilter } from '../history/sent-records.ts';
import type { DetectedInput } from '../input/format.ts';
import type { OpenInput } from '../input/open-inputs.ts';
import type { CompiledMapping } from '../map/index.ts';
import type { RecordChunk } from '../model/fast-reader.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import type { Cursor } from '../model/position.ts';
import type { Variant } from '../model/record.ts';
import type { BrokenRow, Row } from '../model/row.ts';
import type { ReadRecord, RecordResult } from './record.ts';
import type { SealedBatch } from './recut.ts';

/**
 * Transforms consecutive rows of one input. A row is undefined if it is left out, and broken if its transform fails. Broken rows
 * stay as they are.
 */
export type TransformRows = (rows: readonly (Row | BrokenRow)[]) => Promise<readonly (Row | BrokenRow | undefined)[]>;

/** An input that is open, detected and mapped. */
export interface PreparableInput {
  readonly source: OpenInput;
  /** Bytes of its decoded text, in which positions count. Absent if unknown before its end. */
  readonly textSize?: number | undefined;
  readonly detected: DetectedInput;
  readonly mapping: CompiledMapping;
  readonly readRecord: ReadRecord;
  /** The function of `--transform`, applied before the mapping. */
  readonly transform?: TransformRows | undefined;
  /** The input was cut off: it is incomplete, and so may be its last row. */
  readonly torn?: true | undefined;
}

export interface PrepareJob {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly inputs: readonly PreparableInput[];
  readonly decode: DecodeOptions;
  /** Maximum records per batch. */
  readonly batchSize: number;
  /** Maximum bytes of a request body. */
  readonly maxBytes: number;
  /** Rows at the start of the run to skip. */
  readonly skip: number;
  /** Maximum rows to use after those. The rest is read and counted as skipped. */
  readonly limit: number;
  /** Where a resumed run continues. */
  readonly from?: ResumePoint | undefined;
  /** `reference` disables the fast path; the result is the same. Default: auto. */
  readonly engine?: 'auto' | 'reference' | undefined;
  /** Finds duplicates and records that earlier runs have sent. Absent without `--dedupe` and `--skip-delivered`. */
  readonly seen?: RecordFilter | undefined;
  /** False for a check: batches are counted and not built (prepare/sealer.ts). */
  readonly sent?: false | undefined;
  /** Receives every parsed row that is not skipped. */
  readonly observer?: Observer | undefined;
}

/** Receives rows in their order. */
export interface Observer {
  /** Rows of the fast path. `fields`: the mapped fields, in the order of their bits in the chunk. */
  readonly chunk: (fields: readonly string[], chunk: RecordChunk) => void;
  /** A row of the reference path. */
  row(observed: Observed): void;
}

export interface Observed {
  readonly input: PreparableInput;
  /** The row after the transform. */
  readonly row: Row;
  /** A record that is too large for a request is invalid here. */
  readonly result: RecordResult;
}

export interface ResumePoint {
  /** How far each started input is accounted for. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Inputs that are accounted for up to their end. */
  readonly ended: ReadonlySet<number>;
  /** Number of batches sealed so far. */
  readonly sealed: number;
  /** Sealed batches to rebuild, in the order of their rows. */
  readonly toRecut: readonly SealedBatch[];
}
