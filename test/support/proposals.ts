/** Proposals of CSV rows, without files. */
import { contracts } from '../../src/contract/index.ts';
import { chooseVariant, discoverMapping, type MappingDocument } from '../../src/map/index.ts';
import type { RecordType } from '../../src/model/record.ts';
import type { MappingProposal } from '../../src/questions/mapping-proposal.ts';

export function proposalOf(
  type: RecordType,
  [columns = [], ...contents]: readonly (readonly string[])[],
  given: MappingDocument = { fields: {} },
  name = 'in.csv',
): MappingProposal {
  const contract = contracts[type];
  const sampled = contents.map((content) => ({ content }));
  const sample = { name, columns, rows: contents, contents, sampled, rowForm: 'csv', isWhole: true } as const;
  const discovered = discoverMapping(sample, contract, given);
  const variant = chooseVariant(discovered.document, contract, 'auto');
  return {
    name,
    form: [],
    inputs: 1,
    contract,
    discovered,
    variant,
    sample,
    given,
    guessed: [],
    requestedVariant: 'auto',
    type: { kind: 'type', type, why: 'as requested' },
    document: { ...discovered.document, variant: variant.variant },
  };
}
