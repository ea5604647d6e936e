/** `signals fields`: the fields of the API as a table or a template file. Reads no file. */
import { type Contract, contracts, type Field, recordTypes } from '../contract/index.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Variant } from '../model/record.ts';
import { choice, unknownWord, usageError } from '../options/option-spec.ts';
import { csvLine } from '../report/results-and-rejects.ts';
import { bullets, plain, type Style, section, table } from '../report/text-layout.ts';
import { defineCommand } from './command.ts';

export const command = defineCommand({
  options: {
    template: choice('format', ['csv', 'ndjson'], 'print a template file with one example record'),
  },
  more: [
    `Types: ${recordTypes.join(', ')}.`,
    '',
    'Examples:',
    '  signals fields',
    '  signals fields signals --template csv > signals.csv',
  ],
  async run({ streams, suggest }, args, options) {
    const { template: format } = options;
    const wanted = wantedTypes(args);
    if (format !== undefined) {
      const [contract, ...others] = wanted;
      if (contract === undefined || others.length > 0) {
        const commands = recordTypes.map((type) => `\`${suggest('fields', type, '--template', format)}\``);
        const message = '--template needs a record type: a file contains records of one type.';
        throw usageError(message, `Run ${commands.join(' or ')}.`);
      }
      streams.out(template(contract, format));
    } else {
      streams.print(`${fieldsText(wanted, suggest, streams.style.out)}\n`);
    }
    return 0;
  },
});

function wantedTypes([named]: readonly string[]): readonly Contract[] {
  if (named === undefined) return recordTypes.map((type) => contracts[type]);
  const type = recordTypes.find((each) => each === named);
  if (type !== undefined) return [contracts[type]];
  throw unknownWord(`Unknown record type "${named}": expected one of ${recordTypes.join(', ')}.`, named, recordTypes);
}

export function fieldsText(contracts: readonly Contract[], suggest: Suggest, style: Style = plain): string {
  return contracts.map((contract) => contractText(contract, suggest, style)).join('\n\n\n');
}

function contractText(contract: Contract, suggest: Suggest, style: Style): string {
  const { type, path, envelope, limit, fields } = contract;
  const kinds = fields.flatMap(({ name, kind }) =>
    kind.name === 'text' ? [] : [`${name}: ${kind.expected}${REMARKS[kind.name] ?? '.'}`],
  );
  const recommended = fields.flatMap((field) =>
    field.recommended === undefined ? [] : [`${field.name}: ${field.recommended}.`],
  );
  return [
    `${style.bold(type)}: POST ${path}, up to ${limit} records per request in "${envelope}"`,
    fieldTable(contract).join('\n'),
    ...section('Field formats (all others are text)', bullets(kinds), style),
    ...section('Recommended', bullets(recommended), style),
    ...section('Variants', bullets(contract.variants.length === 0 ? [] : VARIANTS), style),
    [
      style.bold('A template file, and the JSON Schema of a record'),
      `  ${suggest('fields', type, '--template', 'csv')}`,
      `  ${suggest('schema', type)}`,
    ].join('\n'),
  ].join('\n\n');
}

function fieldTable(contract: Contract): readonly string[] {
  // "both" has no field that is not in a or b.
  const sets = contract.variants.filter((variant) => variant !== 'both');
  const columns = sets.length === 0 ? [undefined] : sets;
  const head = ['field', ...columns.map((set) => (set === undefined ? '' : `variant ${set}`)), ''];
  return table([
    head,
    ...contract.fields.map((field) => [
      field.name,
      ...columns.map((variant) => useOf(contract, field, variant)),
      field.about,
    ]),
  ]);
}

/** How a variant uses a field: `required`, `optional`, `required, as source`, or a dash. */
function useOf(contract: Contract, field: Field, variant: Variant | undefined): string {
  const use = contract.fieldsOf(variant).find((each) => each.field.name === field.name);
  if (use === undefined) return '—';
  const as = use.names.filter((name) => name !== field.name);
  return `${use.required ? 'required' : 'optional'}${as.length === 0 ? '' : `, as ${as.join(' and ')}`}`;
}

const REMARKS: Readonly<Partial<Record<Field['kind']['name'], string>>> = {
  enum: '. Case, spaces and hyphens are ignored.',
  open: '; the API does not list every value, so others are sent unchanged.',
  untyped: '; the API documents no type.',
};

const VARIANTS = [
  'The API documents two field-name sets, a and b, and does not say which one the service accepts.',
  'With `--variant both`, a record has the fields of both, each under all its names.',
];

/** A file with one plausible record, which can be uploaded. The names of variant b are columns of the others too. */
export function template(contract: Contract, format: 'csv' | 'ndjson'): string {
  const fields = contract.fieldsOf(contract.variants.includes('b') ? 'b' : undefined);
  const columns = fields.map(({ field, names: [name = field.name] }) => [name, field.example] as const);
  if (format === 'ndjson') return `${JSON.stringify(Object.fromEntries(columns))}\n`;
  const lines = [columns.map(([name]) => name), columns.map(([, example]) => String(example))];
  return lines.map((cells) => csvLine(cells, ',')).join('');
}
