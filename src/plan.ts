/**
 * Everything that must be known before anything is sent: all inputs are opened, recognised and mapped here, and
 * every fault is told at once.
 */
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Contract } from './contract/index.ts';
import { type DecodeOptions, type Recognised, recognise } from './decode/index.ts';
import {
  chooseVariant,
  compileMapping,
  type FieldMapping,
  type Mapping,
  type MappingDocument,
  parseMapping,
  type Question,
  withOverrides,
} from './map/index.ts';
import { type Problem, ProblemError } from './model/problem.ts';
import type { RecordType, Variant } from './model/record.ts';
import type { PreparableInput, PrepareJob } from './prepare.ts';
import { type OpenInput, openInputs } from './source/index.ts';
import { refuseOpen, type Understood, understand, understoodSaid } from './understand.ts';
import { createValidator } from './validate/index.ts';

export interface PlanRequest {
  /** As typed; empty for stdin. */
  readonly files: readonly string[];
  readonly type?: RecordType;
  readonly variant: Variant | 'auto';
  readonly mapFile?: string;
  /** `FIELD=COLUMN`, in order. */
  readonly columns: readonly string[];
  /** `FIELD=VALUE`, in order. */
  readonly constants: readonly string[];
  /** What the user answered to questions of an earlier plan. */
  readonly answers?: Readonly<Record<string, FieldMapping>>;
  /** How the program was called, for commands to paste. */
  readonly invocation?: string;
  readonly decode: Omit<DecodeOptions, 'header'> & { readonly header?: boolean };
  readonly batchSize: number;
  readonly maxBytes: number;
  readonly skip: number;
  readonly limit: number;
}

export interface Plan {
  readonly job: PrepareJob;
  /** The effective mapping, to be used again. */
  readonly mapping: MappingDocument;
  /** Whether columns were chosen by the program and by nobody else. */
  readonly automatic: boolean;
  /** What discovery is not sure of. Empty where the inputs cannot be opened a second time. */
  readonly questions: readonly Question[];
  /** Of the first input. */
  readonly columns: readonly string[];
  /** What was recognised and chosen, in words: of all inputs, and of each. */
  readonly said: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly said: readonly string[] }[];
}

/**
 * Opens the inputs and plans the run. The caller closes the inputs.
 *
 * @throws ProblemError with every fault of every input
 */
export async function makePlan(request: PlanRequest, stdin: Readable): Promise<Plan> {
  const given = request.mapFile === undefined ? undefined : await readMapping(request.mapFile);
  const decode = decodeOptions(request, given);
  const sources = await openInputs(request.files, stdin);
  try {
    return await planFor(request, given, decode, sources);
  } catch (error) {
    for (const source of sources) await source.close();
    throw error;
  }
}

async function planFor(
  request: PlanRequest,
  given: MappingDocument | undefined,
  decode: DecodeOptions,
  sources: readonly OpenInput[],
): Promise<Plan> {
  const faults: Problem[] = [];
  const collect = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      faults.push(...error.problems);
      return undefined;
    }
  };

  const recognised = sources.flatMap(
    (source) => collect(() => ({ source, recognised: recognise(source, decode) })) ?? [],
  );
  const [first] = recognised;
  if (first === undefined || faults.length > 0) throw new ProblemError(faults);

  const base = given ?? { fields: {} };
  const answered = { ...base, fields: { ...base.fields, ...request.answers } };
  const overridden = withOverrides(answered, request.columns, request.constants);
  const { columns } = first.recognised;
  const automatic = given === undefined;
  const { contract, type, found, document } = await understand(first, decode, overridden, {
    automatic,
    ...(request.type === undefined ? {} : { type: request.type }),
  });
  const { variant, why, leftOut } = chooseVariant(
    document,
    contract,
    request.variant === 'auto' && given?.variant !== undefined ? undefined : request.variant,
  );
  const reopenable = recognised.every(({ source }) => source.size !== undefined);
  if (found !== undefined) refuseOpen(found, contract, variant, { request, columns, reopenable });

  const inputs = recognised.flatMap(
    (input) => collect(() => preparable(input, document, contract, variant)) ?? [],
  );
  if (faults.length > 0) throw new ProblemError(faults);

  const { batchSize, maxBytes, skip, limit } = request;
  return {
    job: { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit },
    mapping: { ...document, ...(variant === undefined ? {} : { variant }) },
    automatic: found !== undefined && found.byName.length + found.used.length > 0,
    questions: reopenable ? (found?.questions ?? []) : [],
    columns,
    said: [
      `Type: ${contract.type}, ${type.why}.`,
      ...(variant === undefined ? [] : [`Variant: ${variant}, ${why}.${leftOutSaid(leftOut)}`]),
      ...(found === undefined ? [] : understoodSaid(found)),
    ],
    inputs: inputs.map(({ source, recognised: { said } }) => ({ name: source.name, said })),
  };
}

/** What `signals map` shows: the automatic mapping of one input, before anybody was asked. */
export interface Proposed extends Required<Understood> {
  /** The input's. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly variant: Variant | undefined;
  /** What was recognised and chosen, in words. */
  readonly said: readonly string[];
}

/**
 * Opens the first input, understands it, and closes it.
 *
 * @throws ProblemError
 */
export async function proposeMapping(request: PlanRequest, stdin: Readable): Promise<Proposed> {
  const decode = decodeOptions(request, undefined);
  const sources = await openInputs(request.files, stdin);
  try {
    const [source] = sources;
    if (source === undefined) throw new TypeError('openInputs gave no input and no problem');
    const recognised = recognise(source, decode);
    const given = withOverrides({ fields: {} }, request.columns, request.constants);
    const understood = await understand({ source, recognised }, decode, given, {
      automatic: true,
      ...(request.type === undefined ? {} : { type: request.type }),
    });
    const { found, contract, type, document } = understood;
    if (found === undefined) throw new TypeError('an automatic mapping was not discovered');
    const asked = chooseVariant(document, contract, request.variant);
    return {
      ...understood,
      found,
      // Asked for, it is part of the mapping; else it is chosen anew once questions are answered.
      document: {
        ...document,
        ...(request.variant === 'auto' ? {} : { variant: request.variant }),
        ...inputAsked(request),
      },
      name: source.name,
      columns: recognised.columns,
      variant: asked.variant,
      said: [`${recognised.said.join(', ')}.`, `Type: ${contract.type}, ${type.why}.`],
    };
  } finally {
    for (const source of sources) await source.close();
  }
}

/** How the input is read, as far as somebody said it: the mapping must read it the same way again. */
function inputAsked({ decode }: PlanRequest): Pick<MappingDocument, 'input'> {
  const { format, delimiter, quote, header } = decode;
  const input = {
    ...(format === undefined ? {} : { format }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(quote === undefined ? {} : { quote }),
    ...(header === undefined ? {} : { header }),
  };
  return Object.keys(input).length === 0 ? {} : { input };
}

function preparable(
  input: { readonly source: OpenInput; readonly recognised: Recognised },
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): PreparableInput {
  const { source, recognised } = input;
  const mapping: Mapping = compileMapping(
    document,
    contract,
    variant,
    recognised.columns,
    recognised.format,
    source.name,
  );
  return { source, recognised, mapping, validate: createValidator(contract, variant, mapping.columnOf) };
}

async function readMapping(file: string): Promise<MappingDocument> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ProblemError({
      code: 'mapping.file',
      message: `The mapping ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Name a YAML or JSON file with -m.',
    });
  }
  return parseMapping(text, file);
}

/** Flags win over the mapping's `input:`. */
function decodeOptions({ decode }: PlanRequest, given: MappingDocument | undefined): DecodeOptions {
  const input = given?.input ?? {};
  const unsupported = [
    input.encoding !== undefined && !/^utf-?8$/i.test(input.encoding) ? `encoding: ${input.encoding}` : '',
    input.header_line !== undefined && input.header_line !== 1 ? `header_line: ${input.header_line}` : '',
  ].filter((name) => name !== '');
  if (unsupported.length > 0) {
    throw new ProblemError({
      code: 'mapping.input',
      message: `The mapping asks for ${unsupported.join(' and ')}, which this version cannot do: it reads UTF-8 with the header on the first line.`,
      hint: 'Save the file as CSV UTF-8, with the header first.',
    });
  }
  const format = decode.format ?? input.format;
  const delimiter = decode.delimiter ?? input.delimiter;
  const quote = decode.quote ?? input.quote;
  return {
    ...(format === undefined ? {} : { format }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(quote === undefined ? {} : { quote }),
    header: decode.header ?? input.header ?? true,
    maxRowBytes: decode.maxRowBytes,
    ragged: decode.ragged,
  };
}

function leftOutSaid(leftOut: readonly string[]): string {
  return leftOut.length === 0 ? '' : ` It has no name for ${leftOut.join(', ')}: left out.`;
}
