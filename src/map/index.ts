/** Mapping (cli.md, "Mapping"): the document, how it comes about without one, and rows to candidates by it. Pure. */

export { type ChosenVariant, chooseVariant } from './choose-variant.ts';
export { formatList } from './column-match.ts';
export { isCells } from './column-values.ts';
export { mapByName, unusedColumns } from './columns-by-name.ts';
export { compileMapping, type Mapping } from './compile-mapping.ts';
export { type DetectedType, detectType } from './detect-type.ts';
export { type Discovered, discoverMapping } from './discover/automatic-mapping.ts';
export type { Proposal, Question, Sample } from './discover/proposal.ts';
export { sampleCells } from './discover/sample.ts';
export { discoverType } from './discover/type-by-fields.ts';
export type { FieldMapping, MappingDocument } from './document-schema.ts';
export { withOverrides } from './field-overrides.ts';
export { type MappingComments, renderField, renderMapping } from './render-document.ts';
export {
  columnsOfObjects,
  isThenable,
  type RowFunction,
  rowTransform,
  type Transformed,
} from './row-transform.ts';
