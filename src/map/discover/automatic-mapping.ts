/** The whole automatic mapping: columns by their names (columns-by-name.ts), then what discovery adds. */
import type { Contract } from '../../contract/index.ts';
import { mapByName } from '../columns-by-name.ts';
import type { MappingDocument } from '../document-schema.ts';
import { discover } from './index.ts';
import type { Discovery, Sample } from './proposal.ts';

export interface Discovered extends Discovery {
  /** Fields whose column bears their name, and is used as it is. */
  readonly byName: readonly { readonly field: string; readonly column: string }[];
}

/**
 * @param given what options say; it stays as it is
 * @throws ProblemError `mapping.collision`, as {@link mapByName} does
 */
export function discoverMapping(
  sample: Sample,
  contract: Contract,
  given: MappingDocument = { fields: {} },
): Discovered {
  const { document, matched } = mapByName(sample.columns, contract, given);
  const discovery = discover(sample, contract, document, new Set(matched.map(({ field }) => field)));
  const byName = matched.filter(({ field, column }) => {
    const mapping = discovery.document.fields[field];
    return (
      mapping !== undefined && Object.keys(mapping).length === 1 && 'column' in mapping && mapping.column === column
    );
  });
  return { ...discovery, byName };
}
