/** Inputs whose columns show that they are read in the wrong way. Without a mapping file, which proves the columns. */
import { contracts, recordTypes } from '../contract/index.ts';
import { type DecodeOptions, detectInput } from '../input/decode.ts';
import { shellQuote } from '../lib/shell.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { DetectedSource } from './detect-inputs.ts';
import { ProblemCollector } from './problem-collector.ts';

/** @throws ProblemError `input.format`, `input.delimiter` */
export function refuseMisread(input: DetectedSource, options: DecodeOptions): void {
  refuseWrapper(input, options);
  refuseOneColumn(input, options);
}

/** @throws ProblemError `input.delimiter` if the given delimiter separates nothing, and the detected one does */
function refuseOneColumn({ source, detected }: DetectedSource, { delimiter, ...options }: DecodeOptions): void {
  if (detected.format !== 'csv' || delimiter === undefined || detected.columns.length > 1) return;
  const other = new ProblemCollector().collect(() => detectInput(source, options));
  if (other === undefined || other.columns.length < 2 || other.delimiter === undefined) return;
  const option = other.delimiter === '\t' ? 'tab' : shellQuote(other.delimiter, 'posix');
  throw new ProblemError({
    code: 'input.delimiter',
    message: `With the given delimiter, '${source.name}' has one column. With the detected one, it has ${other.columns.length}.`,
    where: source.name,
    hint: `Pass \`--delimiter ${option}\`.`,
  });
}

/**
 * JSON that is one object around an array of objects, as services answer: `{"data": [{…}, {…}], "total": 2}`. Read as NDJSON, the
 * object would be one row, or its lines would be invalid rows. An object that has a field of a record beside the array is a record.
 *
 * @throws ProblemError `input.format`, unless the user has named the format
 */
function refuseWrapper({ source, detected }: DetectedSource, { format }: DecodeOptions): void {
  if (detected.format !== 'ndjson' || format !== undefined || !source.headIsWhole) return;
  const found = wrappedArray(parsed(source.head.toString()));
  if (found === undefined) return;
  const { path, length } = found;
  const filter = shellQuote(
    path.map((key) => (/^[a-z_]\w*$/i.test(key) ? `.${key}` : `.[${JSON.stringify(key)}]`)).join(''),
    'posix',
  );
  const example =
    source.path === undefined
      ? `pipe it through \`jq ${filter}\``
      : `\`jq ${filter} ${shellQuote(source.path, 'posix')} > rows.json\``;
  throw new ProblemError({
    code: 'input.format',
    message: `'${source.name}' is one object, with ${plural(length, 'object')} in its array "${path.join('.')}"; expected the array alone, or one object per line.`,
    where: source.name,
    hint: `Extract the array, for example: ${example}. If the whole object is one record, pass \`--format ndjson\`.`,
  });
}

/** Undefined for several lines of NDJSON too. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function wrappedArray(value: unknown): { readonly path: readonly string[]; readonly length: number } | undefined {
  if (!isObject(value)) return undefined;
  const members = Object.entries(value);
  if (members.some(([key]) => recordTypes.some((type) => contracts[type].field(key) !== undefined))) return undefined;
  const arrays = members.flatMap(([key, member]) =>
    isObjects(member) ? [{ path: [key], length: member.length }] : [],
  );
  if (arrays.length === 1) return arrays[0];
  const [only, ...others] = members;
  if (only === undefined || others.length > 0) return undefined;
  const inner = wrappedArray(only[1]);
  return inner && { ...inner, path: [only[0], ...inner.path] };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
