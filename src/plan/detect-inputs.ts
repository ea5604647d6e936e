/**
 * Detects how each input is read: format, encoding, columns, and the columns that a transform makes of them. Refuses an
 * object around a list of records, and two encodings in one input.
 */
import { contracts, recordTypes } from '../contract/index.ts';
import { describeSheet, detectInput } from '../input/decode.ts';
import type { DetectedInput, TransformRows } from '../input/decode-types.ts';
import { guessProblem } from '../input/encoding.ts';
import type { OpenInput } from '../input/open-inputs.ts';
import { shellQuote } from '../lib/shell.ts';
import { attempt, excerpt, formatList, isObject, parseJson } from '../lib/text.ts';
import type { MappingDocument, RowForm } from '../map/index.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { formatTraits } from '../model/input-format.ts';
import { type ProblemCollector, ProblemError } from '../model/problem.ts';
import type { DecodeRequest } from '../questions/continue-commands.ts';
import { applyRowFunction, type LoadedRowFunction, transformedColumns } from './row-function-worker.ts';
import { OpenPointError } from './undecided-input.ts';

export interface DetectedSource {
  readonly source: OpenInput;
  readonly detected: DetectedInput;
  /** As the mapping sees them: after the transform. */
  readonly columns: readonly string[];
  readonly transform?: TransformRows | undefined;
}

export function rowFormOf({ detected, transform }: Pick<DetectedSource, 'detected' | 'transform'>): RowForm {
  if (!formatTraits[detected.format].hasCells) return 'ndjson';
  return transform === undefined ? 'csv' : 'named cells';
}

/** Options take precedence over `input:` of the mapping. */
export function effectiveDecodeOptions(
  { maxRowBytes, ragged, ...request }: DecodeRequest,
  input: MappingDocument['input'] = {},
): DecodeOptions {
  return {
    format: request.format ?? input.format,
    encoding: request.encoding ?? input.encoding,
    delimiter: request.delimiter ?? input.delimiter,
    quote: request.quote ?? input.quote,
    header: request.header ?? input.header ?? true,
    headerLine: request.headerLine ?? input.header_line,
    sheet: request.sheet ?? input.sheet,
    maxRowBytes,
    ragged,
  } satisfies Record<keyof DecodeOptions, unknown>;
}

/** The options about reading, for the mapping's `input:`, so that the mapping reads the input in the same way. */
export function inputOptions(decode: DecodeRequest): MappingDocument['input'] {
  const { format, encoding, delimiter, quote, header, headerLine, sheet } = decode;
  const input = { format, delimiter, quote, header, encoding, sheet, header_line: headerLine } satisfies Record<
    keyof NonNullable<MappingDocument['input']>,
    unknown
  >;
  return Object.values(input).some((value) => value !== undefined) ? input : undefined;
}

export const UNUSED_SHEET = 'option.sheet_unused';

/** @throws ProblemError if a sheet was asked for, and no input is a workbook. That of a mapping may be for other files */
export function refuseUnusedSheet({ sheet }: DecodeRequest, sources: readonly OpenInput[]): void {
  if (sheet === undefined || sources.some(({ table }) => table?.format === 'xlsx')) return;
  const [{ name: where } = { name: '' }, ...others] = sources;
  const what = others.length === 0 ? `'${where}' is not a workbook` : 'no input is a workbook';
  const message = `--sheet does not apply: ${what}.`;
  throw new ProblemError({ code: UNUSED_SHEET, message, where, hint: 'Remove `--sheet`.' });
}

const COLUMNS_SHOWN = 4;

/** A failure may come from how an input is read: from the sheet, the delimiter, or the line of the header. */
export function nameReading(
  error: unknown,
  sources: readonly OpenInput[],
  request: DecodeRequest,
  input: MappingDocument['input'],
): void {
  if (!(error instanceof ProblemError)) return;
  const sheets = sources.flatMap(({ table }) =>
    table?.format === 'xlsx' && table.otherSheets.length > 0 ? [`Read: ${describeSheet(table)}.`] : [],
  );
  const reading = sources[0] && otherReading(sources[0], request, input);
  error.addHint([...new Set(sheets), ...(reading === undefined ? [] : [reading])]);
  if (error instanceof OpenPointError) error.reading = reading;
}

/** What the columns are with and without the options about reading; undefined if that is the same. */
function otherReading(
  source: OpenInput,
  { delimiter, headerLine, header, ...others }: DecodeRequest,
  input: MappingDocument['input'],
): string | undefined {
  const given = { '--delimiter': delimiter, '--header-line': headerLine, '--no-header': header };
  const options = Object.entries(given).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  if (options.length === 0) return undefined;
  const columnsWith = (decode: DecodeRequest): string => {
    const columns = attempt(() => detectInput(source, effectiveDecodeOptions(decode, input)).columns) ?? [];
    return formatList(columns.map(excerpt), '"', COLUMNS_SHOWN);
  };
  const [found, usual] = [columnsWith({ delimiter, headerLine, header, ...others }), columnsWith(others)];
  if (found === usual) return undefined;
  const [without, read] = [formatList(options, '`'), options.length === 1 ? 'it' : 'them'];
  return `Without ${without}, the columns of '${source.name}' are ${usual}. With ${read}: ${found}.`;
}

export interface DetectingSources {
  readonly decode: DecodeOptions;
  readonly transform: LoadedRowFunction | undefined;
  /** Whether a guessed encoding is not a problem. */
  readonly mayGuess: boolean;
}

export async function detectSources(
  sources: readonly OpenInput[],
  { decode, transform, mayGuess }: DetectingSources,
  collector: ProblemCollector,
): Promise<readonly DetectedSource[]> {
  const readable: Pick<DetectedSource, 'source' | 'detected'>[] = [];
  for (const source of sources) {
    await collector.collect(() => {
      const detected = detectInput(source, decode);
      const { guessed } = detected;
      if (guessed !== undefined && !mayGuess) throw new ProblemError(guessProblem(source.name, guessed));
      readable.push({ source, detected });
    });
  }
  await collector.collect(() => refuseMixedEncodings(readable));
  const result: DetectedSource[] = [];
  for (const input of readable) result.push(await withTransform(input, transform, decode));
  return result;
}

async function withTransform(
  { source, detected }: Pick<DetectedSource, 'source' | 'detected'>,
  transform: LoadedRowFunction | undefined,
  decode: DecodeOptions,
): Promise<DetectedSource> {
  if (transform === undefined) return { source, detected, columns: detected.columns };
  const transformed = { source, detected, transform: applyRowFunction(transform, detected.columns) };
  return {
    ...transformed,
    // A stop closes the inputs, and must not wait for the function.
    source: {
      ...source,
      close() {
        transform.worker.close();
        return source.close();
      },
    },
    columns: await transformedColumns(transform, transformed, decode),
  };
}

/** A declared encoding applies to every input, and would silently damage the text of those that are valid UTF-8. */
function refuseMixedEncodings(inputs: readonly Pick<DetectedSource, 'source' | 'detected'>[]): void {
  const utf8 = inputs.filter(({ detected }) => detected.alsoUtf8 === true);
  const [one] = utf8;
  if (one === undefined || utf8.length === inputs.length) return;
  const names = utf8.map(({ source }) => source.name);
  throw new ProblemError({
    code: 'input.encoding',
    message: `The encoding ${one.detected.encoding} applies to all inputs, but ${formatList(names, "'", 5)} ${names.length === 1 ? 'is' : 'are'} valid UTF-8.`,
    where: one.source.name,
    hint: 'Upload the inputs of each encoding separately; UTF-8 needs no --encoding.',
  });
}

/**
 * JSON that is one object around an array of objects, as services answer: `{"data": [{…}, {…}], "total": 2}`. Read as NDJSON, it would
 * be one row, or its lines would be invalid rows. A mapping file proves the columns, and a field of a record beside the array shows a record.
 *
 * @throws ProblemError `input.format`, unless the user has named the format
 */
export function refuseWrapper({ source, detected }: DetectedSource, { format }: DecodeOptions): void {
  if (detected.format !== 'ndjson' || format !== undefined || !source.headIsWhole) return;
  const value = parseJson(source.head.toString());
  const members = isObject(value) ? Object.entries(value) : [];
  if (members.some(([key]) => recordTypes.some((type) => contracts[type].field(key) !== undefined))) return;
  const [array, ...others] = members.filter(
    ([, list]) => Array.isArray(list) && list.length > 0 && list.every(isObject),
  );
  if (array === undefined || others.length > 0) return;
  const [key] = array;
  const filter = shellQuote(`.[${JSON.stringify(key)}]`, 'posix');
  throw new ProblemError({
    code: 'input.format',
    message: `'${source.name}' is one object, with the rows in its array "${key}"; expected the array alone, or one object per line.`,
    where: source.name,
    hint: `Extract the array: \`jq ${filter} ${shellQuote(source.path ?? 'FILE', 'posix')} > rows.json\`. If the whole object is one record, pass \`--format ndjson\`.`,
  });
}
