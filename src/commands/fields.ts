/** `signals fields`: what the interface takes, as a table, as a template and as JSON Schema. Reads no file. */
import { type Contract, contracts, recordTypes } from '../contract/index.ts';
import { nearest } from '../lib/nearest.ts';
import type { Suggest } from '../lib/shell.ts';
import { ProblemError } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import { fieldsData, fieldsText, jsonSchema, template, variantsOf } from '../report/fields-text.ts';
import type { Context, Options, Work } from './shared/command.ts';
import { createSuggest } from './shared/suggest.ts';

export const fields = {
  options: [
    {
      flags: '--template <format>',
      about: 'print a template file with one example record',
      choices: ['csv', 'ndjson'],
    },
    { flags: '--json-schema', about: 'print the JSON Schema of a record as sent' },
    {
      flags: '--variant <variant>',
      about: 'field-name set of a signal, for --template and --json-schema',
      choices: ['a', 'b', 'both'],
    },
    { flags: '--json', about: 'print the fields as one JSON object on stdout' },
  ],
  more: [
    `Types: ${recordTypes.join(', ')}.`,
    '',
    'Examples:',
    '  signals fields',
    '  signals fields signals --template csv > signals.csv',
    '  signals fields social --json-schema',
  ].join('\n'),
  run,
} satisfies Work;

async function run(context: Context, args: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const suggest = createSuggest(context, {});
  const wanted = wantedTypes(args);
  const { template: format, jsonSchema: schema } = options;
  const variant = wantedVariant(wanted, options);
  const forms = [format !== undefined, schema === true, options['json'] === true].filter(Boolean);
  if (forms.length > 1) {
    throw new ProblemError({
      code: 'usage',
      message: 'Pass only one of --template, --json-schema and --json.',
    });
  }
  if (variant !== undefined && format === undefined && schema !== true) {
    throw new ProblemError({
      code: 'usage',
      message: '--variant works only with --template or --json-schema; the table shows all variants.',
    });
  }
  if (format === 'csv' || format === 'ndjson') {
    const [contract, ...others] = wanted;
    if (contract === undefined || others.length > 0) throw new ProblemError(whichType(suggest, format));
    streams.out(template(contract, variant, format));
  } else if (schema === true) {
    streams.out(`${JSON.stringify(jsonSchema(wanted, variant), null, 2)}\n`);
  } else if (options['json'] === true) {
    streams.out(`${JSON.stringify(fieldsData(wanted))}\n`);
  } else {
    streams.out(`${fieldsText(wanted, suggest, streams.style.out)}\n`);
  }
  return 0;
}

/** All of them, where none is named. */
function wantedTypes([named]: readonly string[]): readonly Contract[] {
  if (named === undefined) return recordTypes.map((type) => contracts[type]);
  const type = recordTypes.find((each) => each === named);
  if (type !== undefined) return [contracts[type]];
  const near = nearest(named, recordTypes);
  throw new ProblemError({
    code: 'usage',
    message: `There is no record type "${named}": expected one of ${recordTypes.join(', ')}.`,
    ...(near === undefined ? {} : { hint: `Did you mean "${near}"?` }),
  });
}

function wantedVariant(wanted: readonly Contract[], options: Options): Variant | undefined {
  const variant = (['a', 'b', 'both'] as const).find((each) => each === options['variant']);
  const [only, ...others] = wanted;
  if (variant !== undefined && only !== undefined && others.length === 0 && variantsOf(only).length === 0) {
    throw new ProblemError({
      code: 'usage',
      message: `--variant does not apply to ${only.type}: it has one set of field names.`,
    });
  }
  return variant;
}

function whichType(suggest: Suggest, format: string): { code: string; message: string; hint: string } {
  return {
    code: 'usage',
    message: '--template needs a record type: a file contains records of one type.',
    hint: `Run ${recordTypes.map((type) => `\`${suggest('fields', type, '--template', format)}\``).join(' or ')}.`,
  };
}
