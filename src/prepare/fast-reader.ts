/**
 * How an input is read by an engine beside the reference path: hands it what it must know of dialect, mapping and
 * contract, with the reference path's own functions for all that it does not know itself.
 */
import type { Sealer } from '../batch/seal.ts';
import type { Contract } from '../contract/index.ts';
import type { DecodeOptions, DetectedInput } from '../decode/index.ts';
import { type CellStep, INVALID, type Mapping } from '../map/compile-mapping.ts';
import { Absent } from '../map/transform-error.ts';
import type {
  EvaluatedField,
  FastEngine,
  FastReader,
  FieldPlan,
  ReadPlan,
  RecordChunk,
} from '../model/fast-reader.ts';
import type { PreparedBatch } from '../model/prepared.ts';
import type { Variant } from '../model/record.ts';
import type { Content, Position } from '../model/row.ts';
import { createFieldJudges, type FieldJudge } from '../validate/index.ts';

export interface ReadingDoors {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly decode: DecodeOptions;
  readonly sealer: Sealer;
  /** Told of every batch that a row completes. */
  readonly onBatch: (batch: PreparedBatch) => void;
  /** Passes over a record that was seen before, and says whether it did. Absent where nobody cares. */
  readonly passSeen?: ((json: Uint8Array, position: Position) => boolean) | undefined;
  /** Receives all rows of the fast path, and makes it validate the fields that are not sent too. */
  readonly onChunk?: ChunkListener | undefined;
  /** How many rows may be taken now. */
  readonly most: () => number;
}

/** `fields`: the names of the fields of the plan. */
export type ChunkListener = (fields: readonly string[], chunk: RecordChunk) => void;

/** As much of an input as decides how it is read. */
export interface ReadableInput {
  readonly detected: DetectedInput;
  readonly mapping: Mapping;
  /** The user's own function of rows: an engine that knows cells has no rows for it. */
  readonly transform?: unknown;
}

/** Undefined where nothing of the input is for such an engine. */
export function createFastReader(
  engine: FastEngine,
  source: number,
  input: ReadableInput,
  { contract, variant, decode, sealer, onBatch, passSeen, onChunk, most }: ReadingDoors,
): FastReader | undefined {
  const plan = planOf(source, input, contract, variant, decode, onChunk !== undefined);
  if (plan === undefined) return undefined;
  return engine.createFastReader(
    plan,
    {
      maxRecordBytes: sealer.most,
      // One by one, where each is looked at before it is taken.
      recordsLeft: passSeen === undefined ? sealer.records : () => 1,
      bytesLeft: sealer.bytes,
      put(run) {
        onChunk?.(input.mapping.fields, run);
        if (passSeen?.(run.json, positionOf(run)) === true) return;
        const batch = sealer.put(run);
        if (batch !== undefined) onBatch(batch);
      },
    },
    most,
  );
}

const NO_NOTES: readonly string[] = [];
const NOTHING: EvaluatedField = { value: undefined, mappingNotes: NO_NOTES, validationNotes: NO_NOTES };

/** Where the first row of a run stands. */
function positionOf({ source, firstRow, rows, offset, line }: RecordChunk): Position {
  const [begin = 0, behind = 0, before = 0, through = 0] = rows;
  return {
    source,
    line: line + before,
    nextLine: line + through,
    row: firstRow,
    start: offset + begin,
    end: offset + behind,
  };
}

/** CSV with ordinary quotes, or NDJSON; with line feeds, and mapped field by field. */
function planOf(
  source: number,
  { detected, mapping, transform }: ReadableInput,
  contract: Contract,
  variant: Variant | undefined,
  { maxRowBytes }: DecodeOptions,
  validatesUnsent: boolean,
): ReadPlan | undefined {
  const { cells } = mapping;
  if (transform !== undefined || cells === undefined || detected.lineEnd !== undefined) return undefined;
  const form = formOf(detected, cells.columns);
  if (form === undefined) return undefined;
  // A field's judge is the same under every variant; this one has all fields.
  const judges = createFieldJudges(contract, variant === undefined ? undefined : 'both');
  const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
  return {
    source,
    form,
    maxRowBytes,
    emptyWords: cells.empty,
    fields: cells.steps.map((step): FieldPlan => {
      const { names = [], required = false } = wire.get(step.field) ?? {};
      const judge = judges.get(step.field);
      return {
        names,
        columns: [...new Set(step.columns)],
        shape: shapeOf(step, contract, form.kind, validatesUnsent),
        leftOutNotes: step.sent ? [] : [`left_out:${step.field}`],
        evaluate: (row) => evaluated(step, row, judge, required, validatesUnsent),
      };
    }),
  };
}

/** CSV of one column is not for an engine: each of its lines that is not blank is a row. */
function formOf(
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

/** What a step comes to. Undefined where the reference path is to say what becomes of the row, and what is told of it. */
function evaluated(
  step: CellStep,
  row: Content,
  judge: FieldJudge | undefined,
  required: boolean,
  validatesUnsent: boolean,
): EvaluatedField | undefined {
  const made = step.make(row);
  if (made === undefined) return required ? undefined : NOTHING;
  const mapped = made instanceof Absent ? made.notes : NO_NOTES;
  const isHidden = validatesUnsent && !step.sent;
  const value = isHidden ? step.makeAll(row) : made;
  if (value === INVALID) return undefined;
  if (value === undefined || value instanceof Absent) {
    return required ? undefined : { value: undefined, mappingNotes: mapped, validationNotes: NO_NOTES };
  }
  const judged = judge?.(value);
  if (judged === undefined) return undefined;
  // Nothing is told of how a value is read that is not sent.
  return { value: judged.value, mappingNotes: mapped, validationNotes: isHidden ? NO_NOTES : judged.notes };
}

/** What the engine may know of a field without asking: the kinds whose schema takes such cells as they are. */
function shapeOf(
  { field, plain, sent }: CellStep,
  contract: Contract,
  form: ReadPlan['form']['kind'],
  validatesUnsent: boolean,
): FieldPlan['shape'] {
  if (!plain) return 'other';
  // Whether there is a value is all that is told of a field that is not sent.
  if (!sent && !validatesUnsent) return 'text';
  const kind = contract.field(field)?.kind;
  switch (kind?.name) {
    case 'text':
      return 'text';
    case 'untyped':
      // JSON says what is a number.
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
