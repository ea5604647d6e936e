/** The repair of rejected rows that a test writes down. */
import { contracts } from '../../src/contract/index.ts';
import type { Repair } from '../../src/fix/propose-fix.ts';
import { beginRepair } from '../../src/fix/propose-fix.ts';
import type { FieldMapping } from '../../src/map/index.ts';
import { rowOf } from './rows.ts';

/** Rows of one CSV input, of which the first four columns are mapped; `fields` adds mappings or replaces them. */
export function repairOf(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  fields: Readonly<Record<string, FieldMapping>>,
): Repair {
  return beginRepair({
    contract: contracts.signals,
    variant: 'b',
    maxBytes: 1_000_000,
    document: {
      type: 'signals',
      fields: {
        company_name: { column: 'Company' },
        company_domain: { column: 'Site' },
        signal_title: { column: 'Title' },
        signal_source: { column: 'Kind' },
        ...fields,
      },
    },
    inputs: [{ columns, rowForm: 'csv', name: 'in.csv' }],
    rows: rows.map((cells, index) => ({ source: 0, line: index + 2, row: rowOf(cells) })),
    broken: 0,
    encoding: undefined,
    isCut: false,
  });
}
