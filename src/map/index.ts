/**
 * Mapping (docs/mapping.md): turns rows into candidates according to a mapping document, which is given or
 * discovered from an input's columns. Pure. May import contract, model and lib.
 */
export { type ChosenVariant, chooseVariant, sentIfMapped } from './choose-variant.ts';
export { columnReader, type RowForm } from './column-values.ts';
export { type CompiledMapping, compileMapping } from './compile-mapping.ts';
export { type DetectedType, detectType, typeOfMapping, type UndecidedType } from './detect-type.ts';
export { LIKELY, type Proposal, type Question } from './discover/assign.ts';
export type { Sample } from './discover/column.ts';
export { OTHER, similarValue, usualValues } from './discover/enum-values.ts';
export {
  type ColumnChoice,
  columnsForField,
  type Discovered,
  discoverMapping,
  isByName,
  sampleCells,
} from './discover/index.ts';
export { isOftenMistaken, judgeTable } from './discover/scorer.ts';
export type { FieldMapping, MappingDocument } from './document-schema.ts';
export { mapByName, type Overrides, withOverrides } from './field-overrides.ts';
export { columnsOf, type FieldTrial, type SampledRows, tryField } from './field-transforms.ts';
export { notMapped } from './match-names.ts';
export { parseMapping } from './parse-document.ts';
export { briefSource, describeField, describeReading, renderField, renderMapping } from './render-mapping.ts';
export { templateProblem } from './template.ts';
