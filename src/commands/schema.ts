/** `signals schema NAME`: the JSON Schema of what is sent, and of what the program writes for other programs. */
import { contracts, recordTypes } from '../contract/index.ts';
import { publishedSchema, schemaNames } from '../model/published-schemas.ts';
import { unknownWord } from '../options/option-spec.ts';
import { defineCommand } from './command.ts';

const names = [...recordTypes, ...schemaNames];

export const command = defineCommand({
  options: {},
  async run({ streams }, [name]) {
    if (name === undefined) {
      streams.out(`${names.join('\n')}\n`);
      return 0;
    }
    const type = recordTypes.find((each) => each === name);
    const schema = type === undefined ? publishedSchema(name) : contracts[type].jsonSchema();
    if (schema === undefined) {
      throw unknownWord(`There is no schema "${name}": expected one of ${names.join(', ')}.`, name, names);
    }
    streams.out(`${JSON.stringify(schema, null, 2)}\n`);
    return 0;
  },
  more: [
    `Names: ${recordTypes.join(', ')} (a record as it is sent), summary (summary.json and --json),`,
    'check (check --json), error (--json without a summary), journal (a line of journal.ndjson), results (a line of',
    'results.csv), log (a line of --log-format json). Without a name, lists the names.',
    '',
    'Examples:',
    '  signals schema summary > summary.schema.json',
  ],
});
