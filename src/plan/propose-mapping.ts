/** The automatic mapping of one input, for `signals map`. */
import type { Readable } from 'node:stream';
import type { DetectedInput } from '../decode/index.ts';
import { chooseVariant, withOmissions } from '../map/index.ts';
import { openInputs } from '../source/index.ts';
import { detectMapping } from './detect-mapping.ts';
import { overrideFields } from './field-options.ts';
import { groupByHeader } from './header-groups.ts';
import { decodeOptions, detectSources, inputOptions } from './input-formats.ts';
import type { MappingProposal } from './mapping-proposal.ts';
import type { PlanRequest } from './plan-types.ts';
import { loadTransform } from './transform-file.ts';

export interface ProposedMapping extends MappingProposal {
  readonly description: readonly string[];
  readonly detected: DetectedInput;
  /** Of a workbook. */
  readonly sheet?: string | undefined;
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
    const given = await overrideFields({ fields: {} }, request);
    const mapping = await detectMapping(group, { decode, given, type: request.type, automatic: true, request });
    const { found, contract, type } = mapping;
    if (found === undefined) throw new TypeError('an automatic mapping was not discovered');
    const { detected, source } = first;
    const { guessed, description } = detected;
    const { table } = source;
    const { variant: requestedVariant, omitInvalid } = request;
    const document = withOmissions(mapping.document, contract, omitInvalid);
    const variant = chooseVariant(document, contract, requestedVariant);
    return {
      ...{
        contract,
        type,
        ...found,
        given,
        requestedVariant,
        omitInvalid,
        variant,
        detected,
        name: source.name,
        inputs: 1,
        sheet: table !== undefined && 'sheet' in table ? table.sheet : undefined,
      },
      document: { ...document, variant: variant.variant, input: inputOptions(request.decode) },
      guessed: guessed === undefined ? [] : [{ name: source.name, guess: guessed }],
      description: [`${description.join(', ')}.`, `Type: ${contract.type}, ${type.why}.`],
    };
  } finally {
    transform?.worker.close();
    for (const source of sources) await source.close();
  }
}
