/** `signals fields`: the fields of the API as a table or a template file. Reads no file. */
import { type Contract, contracts, recordTypes } from '../contract/index.ts';
import type { Suggest } from '../lib/shell.ts';
import type { ProblemError } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import { choice, unknownWord, usageError } from '../options/option-spec.ts';
import { fieldsText, template } from '../report/fields-text.ts';
import { defineCommand } from './command.ts';

export const command = defineCommand({
  options: {
    template: choice('format', ['csv', 'ndjson'], 'print a template file with one example record'),
    variant: choice('variant', ['a', 'b', 'both'], 'field-name set of a signal, for --template'),
  },
  more: [
    `Types: ${recordTypes.join(', ')}.`,
    '',
    'Examples:',
    '  signals fields',
    '  signals fields signals --template csv > signals.csv',
  ],
  async run({ streams, suggest }, args, options) {
    const { template: format, variant } = options;
    const wanted = wantedTypes(args);
    refuseVariant(wanted, variant);
    if (variant !== undefined && format === undefined) {
      throw usageError('--variant works only with --template; the table shows all variants.');
    }
    if (format !== undefined) {
      const [contract, ...others] = wanted;
      if (contract === undefined || others.length > 0) throw typeMissing(suggest, format);
      // A record has the names of one variant; `both` is for a service that accepts neither.
      const one = variant ?? (contract.variants.includes('b') ? 'b' : undefined);
      streams.out(template(contract, one, format));
      if (one !== variant) {
        const other = suggest('fields', contract.type, '--template', format, '--variant', 'a');
        streams.err(`This is the template of variant b. For variant a: ${other}\n`);
      }
    } else {
      streams.print(`${fieldsText(wanted, suggest, streams.style.out)}\n`);
    }
    return 0;
  },
});

/** All types if none is named. */
function wantedTypes([named]: readonly string[]): readonly Contract[] {
  if (named === undefined) return recordTypes.map((type) => contracts[type]);
  const type = recordTypes.find((each) => each === named);
  if (type !== undefined) return [contracts[type]];
  throw unknownWord(`Unknown record type "${named}": expected one of ${recordTypes.join(', ')}.`, named, recordTypes);
}

function refuseVariant([only, ...others]: readonly Contract[], variant: Variant | undefined): void {
  if (variant === undefined || only === undefined || others.length > 0) return;
  if (only.variants.length > 0) return;
  throw usageError(`--variant does not apply to ${only.type}: it has one set of field names.`);
}

function typeMissing(suggest: Suggest, format: string): ProblemError {
  const commands = recordTypes.map((type) => `\`${suggest('fields', type, '--template', format)}\``);
  return usageError(
    '--template needs a record type: a file contains records of one type.',
    `Run ${commands.join(' or ')}.`,
  );
}
