/** The mapping of a run or of one input: given by a file, or detected and then a proposal that a user can change. */
import type { Readable } from 'node:stream';
import { openInputs } from '../input/open-inputs.ts';
import type { DetectedInput } from '../input/row-format.ts';
import {
  type ChosenVariant,
  chooseVariant,
  loadScorer,
  type MappingDocument,
  withOmissions,
  withOverrides,
} from '../map/index.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import { ProblemCollector } from '../model/problem.ts';
import type { MappingProposal } from '../questions/mapping-proposal.ts';
import {
  type DetectedSource,
  detectSources,
  effectiveDecodeOptions,
  inputOptions,
  nameSheets,
} from './detect-inputs.ts';
import { type CommonMapping, detectCommonMapping } from './detect-mapping.ts';
import { loadRowFunction } from './load-row-function.ts';
import type { PlanRequest } from './plan-types.ts';

export interface FoundMapping {
  readonly mapping: CommonMapping;
  readonly document: MappingDocument;
  readonly variant: ChosenVariant;
  readonly guessed: MappingProposal['guessed'];
  /** Absent with a mapping file. */
  readonly proposal: MappingProposal | undefined;
}

/**
 * @param file the mapping file
 * @throws ProblemError
 */
export async function findMapping(
  request: PlanRequest,
  sources: readonly [DetectedSource, ...DetectedSource[]],
  decode: DecodeOptions,
  file: MappingDocument | undefined,
): Promise<FoundMapping> {
  const { variant: requestedVariant, omitInvalid } = request;
  const given = request.mapping ?? (await withOverrides(file ?? { fields: {} }, request));
  const mapping = await detectCommonMapping(sources, { decode, given, automatic: file === undefined, request });
  const { contract, type, found } = mapping;
  const document = withOmissions(mapping.document, contract, omitInvalid);
  const isOfFile = requestedVariant === 'auto' && file?.variant !== undefined;
  const byFields = chooseVariant(document, contract, isOfFile ? undefined : requestedVariant);
  const variant = { ...byFields, why: request.why?.variant ?? byFields.why };
  const guessed = sources.flatMap(({ source: { name }, detected }) =>
    detected.guessed === undefined ? [] : [{ name, guess: detected.guessed }],
  );
  const whole = { ...document, variant: variant.variant ?? document.variant };
  const proposal = found && {
    name: sources[0].source.name,
    form: sources[0].detected.description,
    inputs: sources.length,
    contract,
    type,
    variant,
    ...found,
    given,
    requestedVariant,
    omitInvalid,
    guessed,
    document: { ...whole, input: inputOptions(request.decode) },
  };
  return { mapping, document: whole, variant, guessed, proposal };
}

export interface ProposedMapping extends MappingProposal {
  /** How the input is read, in one line. */
  readonly description: string;
  readonly detected: DetectedInput;
  /** Of a workbook. */
  readonly sheet?: string | undefined;
}

/**
 * For `signals map`: opens the first input, detects its mapping, and closes it.
 *
 * @throws ProblemError
 */
export async function proposeMapping(request: PlanRequest, stdin: Readable): Promise<ProposedMapping> {
  const decode = effectiveDecodeOptions(request.decode);
  await loadScorer();
  const transform = await loadRowFunction(request);
  const sources = await openInputs(request.files, stdin, { sheet: decode.sheet });
  try {
    const collector = new ProblemCollector();
    const [first] = await detectSources(sources.slice(0, 1), { decode, transform, mayGuess: true }, collector);
    collector.throwIfAny();
    if (first === undefined) throw new TypeError('openInputs returned no input');
    const { proposal } = await findMapping(request, [first], decode, undefined);
    if (proposal === undefined) throw new TypeError('an automatic mapping was not discovered');
    const { detected, source } = first;
    return {
      ...proposal,
      detected,
      sheet: source.table !== undefined && 'sheet' in source.table ? source.table.sheet : undefined,
      description: `${source.name}: ${detected.description.join(', ')}.`,
    };
  } catch (error) {
    nameSheets(error, sources);
    throw error;
  } finally {
    transform?.worker.close();
    for (const source of sources) await source.close();
  }
}
