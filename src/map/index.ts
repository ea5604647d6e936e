/** Mapping (cli.md, "Mapping"): the document, how it comes about without one, and rows to candidates by it. Pure. */

export { chooseVariant } from './choose-variant.ts';
export { formatList as listed } from './column-match.ts';
export { isCells } from './column-values.ts';
export { mapByName as automaticMapping, unusedColumns } from './columns-by-name.ts';
export { compileMapping, type Mapping } from './compile-mapping.ts';
export { detectType as recogniseType } from './detect-type.ts';
export { type Discovered, discoverMapping } from './discover/automatic-mapping.ts';
export type { Proposal, Question, Sample } from './discover/proposal.ts';
export { sampleCells } from './discover/sample.ts';
export { discoverType } from './discover/type-by-fields.ts';
export type { FieldMapping, MappingDocument } from './document-types.ts';
export { withOverrides } from './field-overrides.ts';
export { type MappingComments, renderField, renderMapping } from './render-document.ts';
export {
  columnsOfObjects,
  isThenable,
  type RowFunction,
  rowTransform,
  type Transformed,
} from './row-transform.ts';
