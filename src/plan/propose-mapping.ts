/** The automatic mapping of one input, for `signals map`. */
import type { Readable } from 'node:stream';
import type { EncodingGuess } from '../decode/index.ts';
import { chooseVariant, type MappingDocument, withOmissions, withOverrides } from '../map/index.ts';
import type { Variant } from '../model/record.ts';
import { openInputs } from '../source/index.ts';
import { type DetectedMapping, detectMapping } from './detect-mapping.ts';
import { groupByHeader } from './header-groups.ts';
import { type DecodeRequest, decodeOptions, detectSources } from './input-formats.ts';
import type { PlanRequest } from './plan-types.ts';
import { loadTransform } from './transform-file.ts';

export interface ProposedMapping extends DetectedMapping {
  readonly discovered: NonNullable<DetectedMapping['discovered']>;
  /** The input's. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly variant: Variant | undefined;
  /** An encoding that is neither declared nor proven. */
  readonly guessed?: EncodingGuess | undefined;
  /** Sentences about what was detected and chosen. */
  readonly description: readonly string[];
}

/**
 * Opens the first input, detects its mapping, and closes it.
 *
 * @throws ProblemError
 */
export async function proposeMapping(request: PlanRequest, stdin: Readable): Promise<ProposedMapping> {
  const decode = decodeOptions(request.decode);
  const transform =
    request.transformFile === undefined
      ? undefined
      : await loadTransform(request.transformFile, request.onTransformOutput);
  const sources = await openInputs(request.files, stdin, { sheet: decode.sheet });
  try {
    const [first] = await detectSources(sources.slice(0, 1), decode, transform, true);
    const [group] = groupByHeader([first]);
    if (group === undefined) throw new TypeError('an input has no header group');
    const given = withOverrides({ fields: {} }, request.columns, request.constants, request.empty);
    const mapping = await detectMapping(group, { decode, given, type: request.type, automatic: true, request });
    const { discovered, contract, type } = mapping;
    const document = withOmissions(mapping.document, contract, request.omitInvalid);
    if (discovered === undefined) throw new TypeError('an automatic mapping was not discovered');
    const { guessed, description } = first.detected;
    return {
      ...mapping,
      discovered,
      // A requested variant is part of the mapping. Otherwise it is chosen again after the questions.
      document: {
        ...document,
        variant: request.variant === 'auto' ? document.variant : request.variant,
        input: inputOptions(request.decode),
      },
      name: first.source.name,
      columns: first.columns,
      variant: chooseVariant(document, contract, request.variant).variant,
      guessed,
      description: [`${description.join(', ')}.`, `Type: ${contract.type}, ${type.why}.`],
    };
  } finally {
    transform?.worker.close();
    for (const source of sources) await source.close();
  }
}

/** The options about reading, for the mapping's `input:`, so that the mapping reads the input in the same way. */
function inputOptions(decode: DecodeRequest): MappingDocument['input'] {
  const { format, encoding, delimiter, quote, header, headerLine, sheet } = decode;
  const input = { format, delimiter, quote, header, encoding, sheet, header_line: headerLine };
  return Object.values(input).some((value) => value !== undefined) ? input : undefined;
}
