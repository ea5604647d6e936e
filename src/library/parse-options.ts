/**
 * Checks options by the declarations of the command line, so that a value is valid here if it is valid there. Their types
 * are in options.ts, except of those that a mapping says.
 */

import { nearest } from '../lib/nearest.ts';
import {
  type OptionTable,
  type OptionValues,
  parseOptions,
  type RawValue,
  type TypedOptions,
  typedOptions,
  usageError,
} from '../options/option-spec.ts';
import {
  deliveryOptions,
  outputOptions,
  planOptions,
  serviceOptions,
  uploadOnlyOptions,
} from '../options/option-table.ts';

const { sandbox: _sandbox, dryRun: _dryRun, ...uploadOnly } = uploadOnlyOptions;
const { failOn, yes } = outputOptions;
// A program reads its key and changes its rows itself, and has no profiles.
const { apiKeyFile: _file, ...delivery } = deliveryOptions;
const { profile: _profile, ...service } = serviceOptions;
const { transform: _transform, ...plan } = planOptions;
const table = { ...plan, ...service, ...delivery, ...uploadOnly, failOn, yes };

export type GivenOptions = OptionValues<typeof table>;

/**
 * @returns also the options as a command line has them
 * @throws ProblemError `usage`, `settings.value`
 */
export function parseGiven(given: object): { readonly given: GivenOptions; readonly typed: TypedOptions } {
  const raw = Object.entries(given).map(([name, value]) => [name, rawValue(table, name, value)] as const);
  const options = Object.fromEntries(raw);
  return { given: parseOptions(table, options), typed: typedOptions(table, options) };
}

function rawValue(options: OptionTable, name: string, value: unknown): RawValue {
  const option = options[name];
  if (option === undefined) {
    const similar = nearest(name, Object.keys(options));
    throw usageError(`There is no option "${name}".${similar === undefined ? '' : ` Did you mean ${similar}?`}`);
  }
  const { choices } = option;
  if (value === undefined || typeof value === 'boolean') return value;
  if (option.repeat && Array.isArray(value)) return value.map(String);
  const text = String(value);
  if (choices !== undefined && !choices.includes(text)) {
    throw usageError(`${name} is "${text}": expected ${choices.join(', ')}.`);
  }
  return text;
}
