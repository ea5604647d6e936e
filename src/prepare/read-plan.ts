/**
 * Describes dialect, mapping and contract of an input to the fast engine, with the functions of the reference path for the
 * fields that the engine cannot evaluate itself.
 */
import type { Field } from '../contract/index.ts';
import type { DetectedInput } from '../input/format.ts';
import { isRejectsFile } from '../lib/rejects-columns.ts';
import { Absent, TransformError } from '../map/column-values.ts';
import type { CellStep } from '../map/compile-mapping.ts';
import type { EvaluatedField, FieldPlan, ReadPlan } from '../model/fast-reader.ts';
import { formatTraits } from '../model/input-format.ts';
import { hasPlace, noteKey } from '../model/note.ts';
import { createFieldReader, type FieldReader } from '../record/index.ts';
import type { PreparableInput, PrepareJob } from './job.ts';

const NO_NOTES: readonly string[] = [];
const ABSENT: EvaluatedField = { value: undefined, mappingNotes: NO_NOTES, validationNotes: NO_NOTES };

/**
 * Undefined if only the reference path can read the input: it is not CSV with ordinary quotes or NDJSON, has other line ends
 * than line feeds, or is not mapped field by field. With an observer, fields that are not sent are validated too.
 */
export function createReadPlan(
  source: number,
  { detected, mapping: { cells }, transform }: Pick<PreparableInput, 'detected' | 'mapping' | 'transform'>,
  { contract, variant, decode, observer }: Pick<PrepareJob, 'contract' | 'variant' | 'decode' | 'observer'>,
  isPlaced: (note: string) => boolean,
): ReadPlan | undefined {
  if (transform !== undefined || cells === undefined || detected.lineEnd !== undefined) return undefined;
  const form = createForm(detected, cells.columns);
  if (form === undefined) return undefined;
  const validatesUnsent = observer !== undefined;
  const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
  return {
    source,
    form,
    maxRowBytes: decode.maxRowBytes,
    emptyWords: cells.empty,
    fields: cells.steps.map((step): FieldPlan => {
      const { names = [], required = false } = wire.get(step.field) ?? {};
      const field = contract.field(step.field);
      if (field === undefined) throw new TypeError(`${contract.type} has no field ${step.field}`);
      const evaluate = fieldEvaluator(step, createFieldReader(field), required, validatesUnsent);
      return {
        names,
        columns: [...new Set(step.columns)],
        shape: chooseShape(step, field.kind, form.kind, validatesUnsent),
        leftOutNotes: step.sent ? [] : [noteKey({ code: 'left_out', field: step.field })],
        evaluate(row) {
          const evaluated = evaluate(row);
          // Only the reference path knows the position of a row.
          return evaluated?.mappingNotes.some((note) => hasPlace(note) && !isPlaced(note)) ? undefined : evaluated;
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

/** Reads the field of a step. Undefined if the reference path must process the row, because the field is invalid. */
function fieldEvaluator(
  step: CellStep,
  reader: FieldReader,
  required: boolean,
  validatesUnsent: boolean,
): FieldPlan['evaluate'] {
  const isHidden = validatesUnsent && !step.sent;
  return (row) => {
    const made = step.make(row);
    if (made === undefined) return required ? undefined : ABSENT;
    const mappingNotes = made instanceof Absent ? made.notes : NO_NOTES;
    const given = isHidden ? step.make(row, true) : made;
    if (given instanceof TransformError) return undefined;
    if (given === undefined || given instanceof Absent) {
      return required ? undefined : { value: undefined, mappingNotes, validationNotes: NO_NOTES };
    }
    const value = reader.read(given);
    if (value === undefined) return undefined;
    // A value that is not sent has no notes about its form.
    return { value, mappingNotes, validationNotes: isHidden ? NO_NOTES : reader.notes(given, value) };
  };
}

/** The shape tells the engine which cells of a field it can evaluate itself. */
function chooseShape(
  { plain, sent }: CellStep,
  { name, numericCells }: Field['kind'],
  form: ReadPlan['form']['kind'],
  validatesUnsent: boolean,
): FieldPlan['shape'] {
  if (!plain) return 'other';
  // Of a field that is not sent, only the presence of a value matters.
  if (!sent && !validatesUnsent) return 'text';
  if (name === 'untyped') {
    // JSON distinguishes numbers from text.
    if (form === 'objects') return 'value';
    return numericCells === true ? 'untyped' : 'text';
  }
  return name === 'text' || name === 'number' || name === 'date-time' ? name : 'other';
}
