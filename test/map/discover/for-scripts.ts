/** What scripts/train-discovery.mjs and scripts/evaluate-discovery.mjs need of discovery and of its tables. */
export { contracts } from '../../../src/contract/index.ts';
export { columnFacts, columnsIn } from '../../../src/map/discover/column.ts';
export { featuresOf, fileFeatures, SPACE } from '../../../src/map/discover/features.ts';
export {
  CLASSES,
  decodeLinear,
  FIELDS,
  likelihoods,
  readablePairs,
  scoredTable,
  scoreTable,
  standardised,
  TABLE_TYPES,
  typeFacts,
  useWeights,
  weights,
} from '../../../src/map/discover/scorer.ts';
export { headerTables, heldOutTables, judge, judgeType, trainedFrom, typedTables, typeOfFields } from './headers.ts';
