/** Mapping (cli.md, "Mapping"): the document, how it comes about without one, and rows to candidates by it. Pure. */
export { type Automatic, automaticMapping, unusedColumns } from './automatic.ts';
export { compileMapping, type Mapping } from './compile.ts';
export { parseMapping, renderMapping } from './document.ts';
export { withOverrides } from './overrides.ts';
export { recogniseType } from './recognise.ts';
export {
  columnsOfObjects,
  isThenable,
  type RowFunction,
  rowTransform,
  type Transformed,
} from './row-function.ts';
export type { FieldMapping, MappingDocument } from './types.ts';
export { chooseVariant } from './variant.ts';
