/** The JSON Schema of a mapping document, for editors: made from the shapes that read it (document-schema.ts). */
import { z } from 'zod';
import { contracts, recordTypes } from '../contract/index.ts';
import { contractsFor, fieldNames } from './column-match.ts';
import { documentShape, fieldShapes } from './document-schema.ts';

/** Draft 2020-12. What it cannot say (a field twice by two of its names, a date format) is told by `check`. */
export function mappingJsonSchema(): object {
  const field = z.union([fieldShapes.columnName, ...Object.values(fieldShapes.keyed)]);
  const names = fieldNames(contractsFor(undefined));
  const abouts = new Map(
    recordTypes.flatMap((type) =>
      contracts[type].fields.flatMap(({ name, aliases = [], about }) =>
        [name, ...aliases].map((each) => [each, about] as const),
      ),
    ),
  );
  const fields = z.strictObject(
    Object.fromEntries(names.map((name) => [name, field.optional().describe(abouts.get(name) ?? name)])),
  );
  return z.toJSONSchema(documentShape.extend({ fields }), { unrepresentable: 'any', io: 'output' });
}
