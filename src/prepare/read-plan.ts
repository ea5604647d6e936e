/**
 * Describes dialect, mapping and contract of an input to the fast engine, with the functions of the reference path for the
 * fields that the engine cannot evaluate itself.
 */
import type { Contract } from '../contract/index.ts';
import type { DetectedInput } from '../input/format.ts';
import { isRejectsFile } from '../lib/rejects-columns.ts';
import type { CellStep } from '../map/compile-mapping.ts';
import { Absent, TransformError } from '../map/transform-error.ts';
import type { EvaluatedField, FieldPlan, ReadPlan } from '../model/fast-reader.ts';
import { formatTraits } from '../model/input-format.ts';
import { hasPlace, noteKey } from '../model/note.ts';
import type { Content } from '../model/row.ts';
import { createFieldValidators, type FieldValidator } from '../validate/index.ts';
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
  // A field is validated the same way under every variant; `both` has all fields.
  const validators = createFieldValidators(contract, variant === undefined ? undefined : 'both');
  const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
  return {
    source,
    form,
    maxRowBytes: decode.maxRowBytes,
    emptyWords: cells.empty,
    fields: cells.steps.map((step): FieldPlan => {
      const { names = [], required = false } = wire.get(step.field) ?? {};
      const validate = validators.get(step.field);
      return {
        names,
        columns: [...new Set(step.columns)],
        shape: chooseShape(step, contract, form.kind, validatesUnsent),
        leftOutNotes: step.sent ? [] : [noteKey({ code: 'left_out', field: step.field })],
        evaluate(row) {
          const evaluated = evaluateStep(step, row, validate, required, validatesUnsent);
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
  if (value instanceof TransformError) return undefined;
  if (value === undefined || value instanceof Absent) {
    return required ? undefined : { value: undefined, mappingNotes: mapped, validationNotes: NO_NOTES };
  }
  const validated = validate?.(value);
  if (validated === undefined) return undefined;
  // A value that is not sent has no notes about its form.
  return { value: validated.value, mappingNotes: mapped, validationNotes: isHidden ? NO_NOTES : validated.notes };
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
  const { name, numericCells } = contract.field(field)?.kind ?? {};
  if (name === 'untyped') {
    // JSON distinguishes numbers from text.
    if (form === 'objects') return 'value';
    return numericCells === true ? 'untyped' : 'text';
  }
  return name === 'text' || name === 'number' || name === 'date-time' ? name : 'other';
}
