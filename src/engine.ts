/**
 * How an input is read by an engine beside the reference path: hands it what it must know of dialect, mapping and
 * contract, with the reference path's own functions for all that it does not know itself.
 */
import type { HeldRows, Sealer } from './batch/seal.ts';
import type { Contract } from './contract/index.ts';
import { type DecodeOptions, type Recognised, readRow } from './decode/index.ts';
import type { CellStep, Mapping } from './map/compile.ts';
import type { Engine, FieldPlan, ReadingPlan, RecordRun, RowTaker } from './model/engine.ts';
import type { PreparedBatch } from './model/prepared.ts';
import type { Variant } from './model/record.ts';
import type { Position } from './model/row.ts';
import { createFieldJudges } from './validate/index.ts';

export interface ReadingDoors {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly decode: DecodeOptions;
  readonly sealer: Sealer;
  /** Told of every batch that a row completes. */
  readonly onBatch: (batch: PreparedBatch) => void;
  /** Passes over a record that was seen before, and says whether it did. Absent where nobody cares. */
  readonly passSeen?: ((json: Uint8Array, position: Position) => boolean) | undefined;
  /** How many rows may be taken now. */
  readonly most: () => number;
}

/** As much of an input as decides how it is read. */
export interface Readable {
  readonly recognised: Recognised;
  readonly mapping: Mapping;
  /** The user's own function of rows: an engine that knows cells has no rows for it. */
  readonly transform?: unknown;
}

/** Undefined where nothing of the input is for such an engine. */
export function takerOf(
  engine: Engine,
  source: number,
  input: Readable,
  { contract, variant, decode, sealer, onBatch, passSeen, most }: ReadingDoors,
): RowTaker | undefined {
  const plan = planOf(source, input, contract, variant, decode);
  if (plan === undefined) return undefined;
  return engine.createReader<HeldRows>(
    plan,
    {
      most: sealer.most,
      // One by one, where each is looked at before it is taken.
      records: passSeen === undefined ? sealer.records : () => 1,
      bytes: sealer.bytes,
      put(run) {
        if (passSeen?.(run.json, positionOf(run)) === true) return;
        const batch = sealer.put(run);
        if (batch !== undefined) onBatch(batch);
      },
      hold: (bytes, offset) => ({
        content: (start, end) =>
          readRow(bytes.subarray(start - offset, end - offset), input.recognised, decode),
      }),
    },
    most,
  );
}

/** Where the first row of a run stands. */
function positionOf({ source, firstRow, rows, offset, line }: RecordRun<unknown>): Position {
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
  { recognised, mapping, transform }: Readable,
  contract: Contract,
  variant: Variant | undefined,
  { maxRowBytes }: DecodeOptions,
): ReadingPlan | undefined {
  const { cells } = mapping;
  if (transform !== undefined || cells === undefined || recognised.lineEnd !== undefined) return undefined;
  const form = formOf(recognised, cells.columns);
  if (form === undefined) return undefined;
  const judges = createFieldJudges(contract, variant);
  const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
  return {
    source,
    form,
    maxRowBytes,
    empty: cells.empty,
    fields: cells.steps.map((step): FieldPlan => {
      const { names = [], required = false } = wire.get(step.field) ?? {};
      return {
        names,
        columns: [...new Set(step.columns)],
        shape: shapeOf(step, contract, form.kind),
        leftOut: step.sent ? [] : [`left_out:${step.field}`],
        evaluate: (row) => {
          const { candidate, issues, notes } = step.apply(row);
          if (issues.length > 0) return undefined;
          const given = candidate[step.field];
          if (given === undefined)
            return required ? undefined : { json: undefined, mapped: notes, judged: [] };
          const field = judges.get(step.field)?.(given);
          if (field === undefined) return undefined;
          return { json: JSON.stringify(field.value), mapped: notes, judged: field.notes };
        },
      };
    }),
  };
}

/** CSV of one column is not for an engine: each of its lines that is not blank is a row. */
function formOf(
  { format, delimiter = ',', quote = '' }: Recognised,
  columns: readonly string[],
): ReadingPlan['form'] | undefined {
  if (format === 'ndjson') return { kind: 'objects', paths: columns };
  if (format !== 'csv' || columns.length < 2 || !['', '"'].includes(quote)) return undefined;
  return {
    kind: 'cells',
    delimiter: delimiter.charCodeAt(0),
    quoted: quote !== '',
    width: columns.length,
  };
}

/** What the engine may know of a field without asking: the kinds whose schema takes such cells as they are. */
function shapeOf(
  { field, plain, sent }: CellStep,
  contract: Contract,
  form: ReadingPlan['form']['kind'],
): FieldPlan['shape'] {
  if (!plain) return 'other';
  // Whether there is a value is all that is told of a field that is not sent.
  if (!sent) return 'text';
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
