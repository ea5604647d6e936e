/** Mapping (cli.md, "Mapping"): the document, how it comes about without one, and rows to candidates by it. Pure. */
export { automaticMapping, unusedColumns } from './automatic.ts';
export { isCells } from './cells.ts';
export { compileMapping, type Mapping } from './compile.ts';
export { type Discovered, discoverMapping } from './discover/automatic.ts';
export { discoverType } from './discover/kind.ts';
export type { Proposal, Question, Sample } from './discover/proposal.ts';
export { sampleCells } from './discover/sample.ts';
export { listed } from './names.ts';
export { withOverrides } from './overrides.ts';
export { recogniseType } from './recognise.ts';
export { type MappingComments, renderField, renderMapping } from './render.ts';
export {
  columnsOfObjects,
  isThenable,
  type RowFunction,
  rowTransform,
  type Transformed,
} from './row-function.ts';
export type { FieldMapping, MappingDocument } from './types.ts';
export { chooseVariant } from './variant.ts';
