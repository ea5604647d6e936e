/**
 * Creates the fast reader of an input. Describes dialect, mapping and contract to the engine as a plan, with the functions of
 * the reference path for the fields that the engine cannot evaluate itself.
 */
import type { Sealer } from '../batch/sealer.ts';
import type { Contract } from '../contract/index.ts';
import type { DecodeOptions, DetectedInput } from '../decode/index.ts';
import { type CellStep, INVALID, type Mapping } from '../map/compile-mapping.ts';
import { Absent } from '../map/transform-error.ts';
import type { EvaluatedField, FastEngine, FastReader, FieldPlan, ReadPlan, RecordChunk } from '../model/fast-reader.ts';
import { noteKey } from '../model/note.ts';
import type { PreparedBatch } from '../model/prepared.ts';
import type { Variant } from '../model/record.ts';
import type { Content, Position } from '../model/row.ts';
import { createFieldValidators, type FieldValidator } from '../validate/index.ts';

export interface FastReaderDeps {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly decode: DecodeOptions;
  readonly sealer: Sealer;
  /** Receives completed batches. */
  readonly onBatch: (batch: PreparedBatch) => void;
  /** Drops a record that was seen before and returns whether it did. Absent if records are not compared. */
  readonly dropIfSeen?: ((json: Uint8Array, position: Position) => boolean) | undefined;
  /** Receives all rows of the fast path. If present, the fields that are not sent are validated too. */
  readonly onChunk?: ChunkListener | undefined;
  /** How many rows may be read now. */
  readonly rowsLeft: () => number;
}

/** `fields`: the names of the fields of the plan. */
export type ChunkListener = (fields: readonly string[], chunk: RecordChunk) => void;

/** The properties of an input that the plan depends on. */
export interface ReadableInput {
  readonly detected: DetectedInput;
  readonly mapping: Mapping;
  /** The function of `--transform`, which needs parsed rows and so excludes the fast path. */
  readonly transform?: unknown;
}

/** Returns undefined if the engine cannot read the input. */
export function createFastReader(
  engine: FastEngine,
  source: number,
  input: ReadableInput,
  { contract, variant, decode, sealer, onBatch, dropIfSeen, onChunk, rowsLeft }: FastReaderDeps,
): FastReader | undefined {
  const plan = createPlan(source, input, contract, variant, decode, onChunk !== undefined);
  if (plan === undefined) return undefined;
  return engine.createFastReader(
    plan,
    {
      maxRecordBytes: sealer.maxRecordBytes,
      // Records that are compared with earlier ones come one at a time.
      recordsLeft: () => (dropIfSeen === undefined ? sealer.recordsLeft() : 1),
      bytesLeft: () => sealer.bytesLeft(),
      put(chunk) {
        onChunk?.(input.mapping.fields, chunk);
        if (dropIfSeen?.(chunk.json, firstPosition(chunk)) === true) return;
        const batch = sealer.put(chunk);
        if (batch !== undefined) onBatch(batch);
      },
    },
    rowsLeft,
  );
}

const NO_NOTES: readonly string[] = [];
const ABSENT: EvaluatedField = { value: undefined, mappingNotes: NO_NOTES, validationNotes: NO_NOTES };

/** The position of the first row of a chunk. */
function firstPosition({ source, firstRow, rows, offset, line }: RecordChunk): Position {
  const [begin = 0, end = 0, firstLine = 0, nextLine = 0] = rows;
  return {
    source,
    line: line + firstLine,
    nextLine: line + nextLine,
    row: firstRow,
    start: offset + begin,
    end: offset + end,
  };
}

/** Supports CSV with ordinary quotes, and NDJSON; with line feeds, mapped field by field, without `--transform`. */
function createPlan(
  source: number,
  { detected, mapping, transform }: ReadableInput,
  contract: Contract,
  variant: Variant | undefined,
  { maxRowBytes }: DecodeOptions,
  validatesUnsent: boolean,
): ReadPlan | undefined {
  const { cells } = mapping;
  if (transform !== undefined || cells === undefined || detected.lineEnd !== undefined) return undefined;
  const form = createForm(detected, cells.columns);
  if (form === undefined) return undefined;
  // A field is validated the same way under every variant; `both` has all fields.
  const validators = createFieldValidators(contract, variant === undefined ? undefined : 'both');
  const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
  return {
    source,
    form,
    maxRowBytes,
    emptyWords: cells.empty,
    fields: cells.steps.map((step): FieldPlan => {
      const { names = [], required = false } = wire.get(step.field) ?? {};
      const validate = validators.get(step.field);
      return {
        names,
        columns: [...new Set(step.columns)],
        shape: chooseShape(step, contract, form.kind, validatesUnsent),
        leftOutNotes: step.sent ? [] : [noteKey({ code: 'left_out', field: step.field })],
        evaluate: (row) => evaluateStep(step, row, validate, required, validatesUnsent),
      };
    }),
  };
}

/** The engine does not support CSV with one column. */
function createForm(
  { format, delimiter = ',', quote = '' }: DetectedInput,
  columns: readonly string[],
): ReadPlan['form'] | undefined {
  if (format === 'ndjson') return { kind: 'objects', paths: columns };
  if (format !== 'csv' || columns.length < 2 || !['', '"'].includes(quote)) return undefined;
  return {
    kind: 'cells',
    delimiter: delimiter.charCodeAt(0),
    quoted: quote !== '',
    width: columns.length,
  };
}

/** The field of a step. Undefined if the reference path must process the row, because the field is invalid. */
function evaluateStep(
  step: CellStep,
  row: Content,
  validate: FieldValidator | undefined,
  required: boolean,
  validatesUnsent: boolean,
): EvaluatedField | undefined {
  const made = step.make(row);
  if (made === undefined) return required ? undefined : ABSENT;
  const mapped = made instanceof Absent ? made.notes : NO_NOTES;
  const isHidden = validatesUnsent && !step.sent;
  const value = isHidden ? step.makeAll(row) : made;
  if (value === INVALID) return undefined;
  if (value === undefined || value instanceof Absent) {
    return required ? undefined : { value: undefined, mappingNotes: mapped, validationNotes: NO_NOTES };
  }
  const validated = validate?.(value);
  if (validated === undefined) return undefined;
  // A value that is not sent has no notes about its form.
  return {
    value: validated.value,
    mappingNotes: mapped,
    validationNotes: isHidden ? NO_NOTES : validated.notes,
  };
}

/** The shape tells the engine which cells of a field it can evaluate itself. */
function chooseShape(
  { field, plain, sent }: CellStep,
  contract: Contract,
  form: ReadPlan['form']['kind'],
  validatesUnsent: boolean,
): FieldPlan['shape'] {
  if (!plain) return 'other';
  // Of a field that is not sent, only the presence of a value matters.
  if (!sent && !validatesUnsent) return 'text';
  const kind = contract.field(field)?.kind;
  switch (kind?.name) {
    case 'text':
      return 'text';
    case 'untyped':
      // JSON distinguishes numbers from text.
      if (form === 'objects') return 'value';
      return kind.numericCells === true ? 'untyped' : 'text';
    case 'number':
      return 'number';
    case 'date-time':
      return 'date-time';
    default:
      return 'other';
  }
}
