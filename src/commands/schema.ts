/** `signals schema NAME`: the JSON Schema of what the program writes for other programs. */
import { publishedSchema, schemaNames } from '../model/published-schemas.ts';
import { unknownWord } from '../options/option-spec.ts';
import { defineCommand } from './command.ts';

export const command = defineCommand({
  options: {},
  async run({ streams }, [name]) {
    if (name === undefined) {
      streams.out(`${schemaNames.join('\n')}\n`);
      return 0;
    }
    const schema = publishedSchema(name);
    if (schema === undefined) {
      const message = `There is no schema "${name}": expected one of ${schemaNames.join(', ')}.`;
      throw unknownWord(message, name, schemaNames);
    }
    streams.out(`${JSON.stringify(schema, null, 2)}\n`);
    return 0;
  },
  more: [
    'Names: summary (summary.json and --json), check (check --json), error (--json without a summary), journal (a line of',
    'journal.ndjson), results (a line of results.csv), log (a line of --log-format json). Without a name, lists the names.',
    '',
    'Example:',
    '  signals schema summary > summary.schema.json',
  ],
});
