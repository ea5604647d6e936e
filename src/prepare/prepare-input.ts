/**
 * Prepares the rows of one input. Rows that were accounted for before a resume only serve to rebuild sealed batches. Every
 * other row is skipped, invalid, a duplicate, or a record of the open batch.
 */
import type { Contract } from '../contract/define-contract.ts';
import { isBroken } from '../input/decode.ts';
import type { DetectedInput, RowBlock, TransformRows } from '../input/decode-types.ts';
import type { OpenInput } from '../input/open-inputs.ts';
import { Absent } from '../map/column-values.ts';
import type { CellStep, CompiledMapping } from '../map/compile-mapping.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import {
  type EvaluatedField,
  type FastEngine,
  type FastReader,
  type FieldPlan,
  positionInChunk,
  type ReadPlan,
  type RecordSink,
} from '../model/fast-reader.ts';
import { formatTraits } from '../model/input-format.ts';
import type { Prepared, PreparedSkipped } from '../model/prepared.ts';
import { hasPlace, noteKey } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import { isRejectsFile } from '../model/rejects-file.ts';
import type { BrokenRow, Content, Cursor, Position, ReadPosition, Row } from '../model/row.ts';
import type { BatchRebuilder, SealedBatch } from './batch-rebuilder.ts';
import type { FindDuplicate } from './duplicates.ts';
import { createFieldReader, type FieldReader, type ReadRecord, type RecordResult } from './record.ts';
import { type BatchLimits, type Sealer, sizeIssue } from './sealer.ts';

export interface PrepareDeps {
  readonly job: PrepareJob;
  readonly limits: BatchLimits;
  readonly sealer: Sealer;
  readonly rebuilder: BatchRebuilder;
  readonly window: RowWindow;
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
    const plan = engine && createReadPlan(source, input, job.decode.maxRowBytes, (note) => sealer.isPlaced(note));
    this.fastReader =
      plan &&
      engine.createFastReader(plan, this.#recordSink(), () =>
        this.#cursor.rows < this.#accounted ? 0 : window.remaining,
      );
  }

  #recordSink(): RecordSink {
    const { job, sealer } = this.#deps;
    return {
      maxRecordBytes: sealer.maxRecordBytes,
      // Records that are compared with earlier ones come one at a time.
      recordsLeft: () => (job.findDuplicate === undefined ? sealer.recordsLeft() : 1),
      bytesLeft: () => sealer.bytesLeft(),
      put: (chunk) => {
        if (job.findDuplicate !== undefined && this.#dropIfDuplicate(chunk.json, positionInChunk(chunk, 0))) return;
        const batch = sealer.put(chunk);
        if (batch !== undefined) this.#out.push(batch);
      },
    };
  }

  get cursor(): ReadPosition {
    return this.#cursor;
  }

  /** Prepares the rows of a block. The result includes the rows that the fast reader has read since the last block. */
  async push({ rows, fastRows, cursor }: RowBlock): Promise<readonly Prepared[]> {
    const given = this.#input.transform === undefined ? rows : await this.#input.transform(rows);
    this.#deps.window.add(fastRows);
    for (const [index, row] of rows.entries()) {
      if (row.position.row <= this.#accounted) this.#rebuild(row, given[index]);
      else this.#prepare(row, given[index]);
    }
    this.#cursor = cursor;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** Adds a row to the sealed batch that is rebuilt. A row that was invalid then is invalid again, and in no batch. */
  #rebuild(row: Row | BrokenRow, given: Row | BrokenRow | undefined): void {
    const { rebuilder } = this.#deps;
    const result = given && this.#read(given);
    if (result !== undefined && 'json' in result) rebuilder.add(row.position, result.json, contentOf(row));
    const rebuilt = rebuilder.end(row.position);
    if (rebuilt !== undefined) this.#out.push(rebuilt);
  }

  #prepare(row: Row | BrokenRow, given: Row | BrokenRow | undefined): void {
    const { sealer, window } = this.#deps;
    const { position } = row;
    const skippedBy = window.next();
    if (skippedBy !== undefined || given === undefined) {
      sealer.drop(position, 'skipped');
      addSkipped(this.#out, position, skippedBy ?? 'transform');
      return;
    }
    const result = this.#read(given);
    if ('issues' in result) {
      sealer.drop(position, 'invalid');
      this.#out.push({ kind: 'invalid', position, issues: result.issues, content: contentOf(row) });
      return;
    }
    if (this.#dropIfDuplicate(result.json, position)) return;
    const batch = sealer.add(position, result.json, result.notes, contentOf(row));
    if (batch !== undefined) this.#out.push(batch);
  }

  /** The record of a row in the reference path: mapping, validation, size limit. */
  #read(row: Row | BrokenRow): RecordResult {
    if (isBroken(row)) return { issues: [row.issue] };
    const result = this.#input.readRecord(this.#input.mapping.apply(row));
    const tooLarge = 'json' in result ? sizeIssue(result.json, this.#deps.limits) : undefined;
    return tooLarge === undefined ? result : { issues: [tooLarge] };
  }

  #dropIfDuplicate(json: string | Uint8Array, position: Position): boolean {
    const { job, sealer } = this.#deps;
    const of = job.findDuplicate?.(json, position);
    if (of === undefined) return false;
    sealer.drop(position, 'duplicate');
    this.#out.push({ kind: 'duplicate', position, of });
    return true;
  }
}

function contentOf(row: Row | BrokenRow): Content | string {
  return isBroken(row) ? row.raw : (row.text ?? row.content);
}

/** Adds a skipped row to the prepared items. Consecutive rows become one item. @param by the earlier run that sent it */
export function addSkipped(
  out: Prepared[],
  { source, row, line }: Pick<Position, 'source' | 'row' | 'line'>,
  why: PreparedSkipped['why'],
  by?: string,
): void {
  const last = out.at(-1);
  const isNext = last?.kind === 'skipped' && last.source === source && last.lastRow + 1 === row;
  if (isNext && last.why === why && last.by === by) out[out.length - 1] = { ...last, lastRow: row, lastLine: line };
  else out.push({ kind: 'skipped', source, firstRow: row, lastRow: row, firstLine: line, lastLine: line, why, by });
}

/** `--skip` and `--limit`: counts the rows of a run across its inputs and selects those that are used. */
export class RowWindow {
  readonly #skip: number;
  readonly #end: number;
  #rows = 0;

  constructor({ skip, limit }: { readonly skip: number; readonly limit: number }) {
    this.#skip = skip;
    this.#end = skip + limit;
  }

  /** Counts one row. Returns undefined if it is in the window, otherwise the option that excludes it. */
  next(): 'skip' | 'limit' | undefined {
    this.#rows += 1;
    if (this.#rows <= this.#skip) return 'skip';
    return this.#rows > this.#end ? 'limit' : undefined;
  }

  /** Counts rows that were used, in this run or before a resume. */
  add(rows: number): void {
    this.#rows += rows;
  }

  get remaining(): number {
    return this.#rows < this.#skip ? 0 : Math.max(0, this.#end - this.#rows);
  }
}

const NO_NOTES: readonly string[] = [];
const ABSENT: EvaluatedField = { value: undefined, notes: NO_NOTES };

/** Undefined if only the reference path can read the input: it is not CSV with ordinary quotes or NDJSON, or is transformed. */
function createReadPlan(
  source: number,
  { detected, mapping: { cells }, transform }: Pick<PreparableInput, 'detected' | 'mapping' | 'transform'>,
  maxRowBytes: number,
  isPlaced: (note: string) => boolean,
): ReadPlan | undefined {
  if (transform !== undefined) return undefined;
  const form = createForm(detected, cells.columns);
  if (form === undefined) return undefined;
  return {
    source,
    form,
    maxRowBytes,
    emptyWords: cells.empty,
    fields: cells.steps.map((step): FieldPlan => {
      const { field, names } = step;
      const evaluate = fieldEvaluator(step, createFieldReader(field));
      return {
        names,
        columns: [...new Set(step.columns.map((column) => cells.columns.indexOf(column)))],
        shape: chooseShape(step, form.kind),
        leftOutNotes: names.length > 0 ? [] : [noteKey({ code: 'left_out', field: field.name })],
        evaluate(row) {
          const evaluated = evaluate(row);
          // Only the reference path knows the position of a row.
          return evaluated?.notes.some((note) => hasPlace(note) && !isPlaced(note)) ? undefined : evaluated;
        },
      };
    }),
  };
}

/** The engine does not support CSV with one column, nor the cells without a value in a rejects file. */
function createForm(
  { format, delimiter = ',', quote = '' }: DetectedInput,
  columns: readonly string[],
): ReadPlan['form'] | undefined {
  const { isFast, hasCells } = formatTraits[format];
  if (!isFast) return undefined;
  if (!hasCells) return { kind: 'objects', paths: columns };
  if (columns.length < 2 || !['', '"'].includes(quote) || isRejectsFile(columns)) return undefined;
  return { kind: 'cells', delimiter: delimiter.charCodeAt(0), quoted: quote !== '', width: columns.length };
}

/** Reads the field of a step. Undefined if the reference path must process the row. */
function fieldEvaluator(step: CellStep, reader: FieldReader): FieldPlan['evaluate'] {
  return (row) => {
    const given = step.make(row);
    if (given === undefined) return step.required ? undefined : ABSENT;
    // Never of a required field.
    if (given instanceof Absent) return { value: undefined, notes: given.notes };
    // An issue, or a constant in place of an empty cell, is no value.
    const value = reader.read(given);
    return value === undefined ? undefined : { value, notes: reader.notes(given, value) };
  };
}

/** The shape tells the engine which cells of a field it can evaluate itself. */
function chooseShape({ plain, names, field: { kind } }: CellStep, form: ReadPlan['form']['kind']): FieldPlan['shape'] {
  if (!plain) return 'other';
  // Of a field that is not sent, only the presence of a value matters.
  if (names.length === 0) return 'text';
  const { name, numericCells } = kind;
  if (name === 'untyped') {
    if (form === 'objects') return 'value';
    return numericCells === true ? 'untyped' : 'text';
  }
  return name === 'text' || name === 'number' || name === 'date-time' ? name : 'other';
}

export interface PreparableInput {
  readonly source: OpenInput;
  /** Bytes of its decoded text, in which positions count. Absent if unknown before its end. */
  readonly textSize?: number | undefined;
  readonly detected: DetectedInput;
  readonly mapping: CompiledMapping;
  readonly readRecord: ReadRecord;
  readonly transform?: TransformRows | undefined;
  /** The input was cut off: it is incomplete, and so may be its last row. */
  readonly incomplete?: true | undefined;
}

export interface PrepareJob {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly inputs: readonly PreparableInput[];
  readonly decode: DecodeOptions;
  readonly batchSize: number;
  readonly maxBytes: number;
  /** Rows at the start of the run to skip. */
  readonly skip: number;
  /** Maximum rows to use after those. The rest is read and counted as skipped. */
  readonly limit: number;
  readonly from?: ResumePoint | undefined;
  /** `reference` disables the fast path; the result is the same. Default: auto. */
  readonly engine?: 'auto' | 'reference' | undefined;
  readonly findDuplicate?: FindDuplicate | undefined;
}

export interface ResumePoint {
  /** How far each started input is accounted for. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Inputs that are accounted for up to their end. */
  readonly ended: ReadonlySet<number>;
  readonly sealed: number;
  readonly toRebuild: readonly SealedBatch[];
}
