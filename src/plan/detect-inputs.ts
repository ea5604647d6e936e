/** Detects how each input is read: format, encoding, columns, and the columns that a transform makes of them. */
import { type DecodeOptions, type DetectedInput, detectInput, guessProblem } from '../input/decode.ts';
import type { OpenInput } from '../input/open-inputs.ts';
import { formatList, type MappingDocument, type RowForm } from '../map/index.ts';
import { formatTraits } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import type { ProblemCollector } from './problem-collector.ts';
import { type LoadedTransform, rowsTransform, type TransformRows, transformedColumns } from './transform-file.ts';

/** As given by options; everything else is detected. */
export type DecodeRequest = Omit<DecodeOptions, 'header'> & { readonly header?: boolean | undefined };

export interface DetectedSource {
  readonly source: OpenInput;
  readonly detected: DetectedInput;
  /** As the mapping sees them: after the transform. */
  readonly columns: readonly string[];
  readonly transform?: TransformRows | undefined;
}

/** How a mapping reads the rows. */
export function rowFormOf({ detected, transform }: Pick<DetectedSource, 'detected' | 'transform'>): RowForm {
  if (!formatTraits[detected.format].hasCells) return 'ndjson';
  return transform === undefined ? 'csv' : 'named cells';
}

/** Options take precedence over `input:` of the mapping. */
export function decodeOptions(
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
  };
}

/** The options about reading, for the mapping's `input:`, so that the mapping reads the input in the same way. */
export function inputOptions(decode: DecodeRequest): MappingDocument['input'] {
  const { format, encoding, delimiter, quote, header, headerLine, sheet } = decode;
  const input = { format, delimiter, quote, header, encoding, sheet, header_line: headerLine };
  return Object.values(input).some((value) => value !== undefined) ? input : undefined;
}

/**
 * @param mayGuess whether a guessed encoding is not a problem
 * @param collector gets the problems
 * @returns the sources without a problem
 */
export async function detectSources(
  sources: readonly OpenInput[],
  decode: DecodeOptions,
  transform: LoadedTransform | undefined,
  mayGuess: boolean,
  collector: ProblemCollector,
): Promise<readonly DetectedSource[]> {
  const readable = sources.flatMap(
    (source) =>
      collector.collect(() => {
        const detected = detectInput(source, decode);
        if (detected.guessed !== undefined && !mayGuess)
          throw new ProblemError(guessProblem(source.name, detected.guessed));
        return { source, detected };
      }) ?? [],
  );
  collector.collect(() => refuseMixedEncodings(readable));
  const result: DetectedSource[] = [];
  for (const input of readable) result.push(await withTransform(input, transform, decode));
  return result;
}

async function withTransform(
  { source, detected }: Pick<DetectedSource, 'source' | 'detected'>,
  transform: LoadedTransform | undefined,
  decode: DecodeOptions,
): Promise<DetectedSource> {
  if (transform === undefined) return { source, detected, columns: detected.columns };
  return {
    // A stop closes the inputs, and must not wait for the function.
    source: {
      ...source,
      close() {
        transform.worker.close();
        return source.close();
      },
    },
    detected,
    columns: await transformedColumns(transform, source, detected, decode),
    transform: rowsTransform(transform, detected.columns),
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
