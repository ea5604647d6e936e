/**
 * Everything that must be known before anything is sent: all inputs are opened, detected and mapped here, and
 * every fault is told at once.
 */

import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Contract } from '../contract/index.ts';
import { type DecodeOptions, detectInput, type EncodingGuess, guessProblem } from '../decode/index.ts';
import type { Suggest } from '../lib/shell.ts';
import { messageOf } from '../lib/text.ts';
import {
  chooseVariant,
  compileMapping,
  type FieldMapping,
  listed,
  type Mapping,
  type MappingDocument,
  type Question,
  rowTransform,
  withOverrides,
} from '../map/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { PreparableInput, PrepareJob } from '../prepare/index.ts';
import { leftUnread, type OpenInput, openInputs } from '../source/index.ts';
import { createValidator } from '../validate/index.ts';
import {
  type DetectedMapping,
  describeMapping,
  detectMapping,
  refuseIncomplete,
  repeatedOptions,
} from './detect-mapping.ts';
import { detectCommonMapping, groupByHeader } from './header-groups.ts';
import { type LoadedTransform, loadTransform, transformedColumns } from './transform-file.ts';

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
  /** A module whose default export is a function from row to row. */
  readonly transformFile?: string;
  /** What the user answered to questions of an earlier plan. */
  readonly answers?: Readonly<Record<string, FieldMapping>>;
  readonly suggest: Suggest;
  readonly decode: Omit<DecodeOptions, 'header'> & { readonly header?: boolean };
  readonly batchSize: number;
  readonly maxBytes: number;
  readonly skip: number;
  readonly limit: number;
  readonly engine?: PrepareJob['engine'];
  /**
   * Whether somebody will be asked about a guessed encoding (`inputs[].guessed` of the plan) before anything is
   * sent. Where nobody is, a guess is a fault.
   */
  readonly mayAsk?: boolean;
  /** Told of a pipe from which nothing has come for a while. */
  readonly onWait?: (name: string) => void;
}

export interface Plan {
  readonly job: PrepareJob;
  /** The effective mapping, to be used again. */
  readonly mapping: MappingDocument;
  /** Whether columns were chosen by the program and by nobody else. */
  readonly automatic: boolean;
  readonly transform?: LoadedTransform;
  /** What discovery is not sure of. Empty where the inputs cannot be opened a second time. */
  readonly questions: readonly Question[];
  /** Of the first input. */
  readonly columns: readonly string[];
  /** What was detected and chosen, in words: of all inputs, and of each. */
  readonly description: readonly string[];
  readonly inputs: readonly PlannedInputSummary[];
}

/** Names of files that a folder holds beside its inputs, in one sentence. */
const UNREAD_SHOWN = 12;

interface PlannedInputSummary {
  readonly name: string;
  readonly description: readonly string[];
  /** An encoding that must be agreed to. */
  readonly guessed?: EncodingGuess;
}

/**
 * Opens the inputs and plans the run. The caller closes the inputs.
 *
 * @throws ProblemError with every fault of every input
 */
export async function planRun(request: PlanRequest, stdin: Readable): Promise<Plan> {
  const given = request.mapFile === undefined ? undefined : await readMapping(request.mapFile);
  const decode = decodeOptions(request, given);
  const transform =
    request.transformFile === undefined ? undefined : await loadTransform(request.transformFile);
  const sources = await openInputs(request.files, stdin, request.onWait);
  try {
    const plan = await planInputs(request, given, decode, sources, transform);
    const unread = await leftUnread(request.files);
    if (unread.length === 0) return plan;
    return { ...plan, description: [`Not read: ${listed(unread, "'", UNREAD_SHOWN)}.`, ...plan.description] };
  } catch (error) {
    for (const source of sources) await source.close();
    throw error;
  }
}

async function planInputs(
  request: PlanRequest,
  given: MappingDocument | undefined,
  decode: DecodeOptions,
  sources: readonly OpenInput[],
  transform: LoadedTransform | undefined,
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

  const readable = sources.flatMap(
    (source) =>
      collect(() => {
        const detected = detectInput(source, decode);
        if (detected.guessed !== undefined && request.mayAsk !== true) {
          throw guessProblem(source.name, detected.guessed);
        }
        return { source, detected };
      }) ?? [],
  );
  collect(() => refuseMixedEncodings(readable));
  const detected: PlannedInput[] = [];
  for (const input of readable)
    detected.push({ ...input, ...(await applyTransform(transform, input, decode)) });
  const [first] = detected;
  if (first === undefined || faults.length > 0) throw new ProblemError(faults);

  const base = given ?? { fields: {} };
  const answered = { ...base, fields: { ...base.fields, ...request.answers } };
  const overridden = withOverrides(answered, request.columns, request.constants);
  const { columns } = first;
  const automatic = given === undefined;
  const { contract, type, found, document, alsoUnused } = await detectCommonMapping(
    groupByHeader(detected),
    decode,
    overridden,
    {
      automatic,
      upload: (files) => request.suggest('upload', ...files, ...repeatedOptions(request)),
      ...(request.type === undefined ? {} : { type: request.type }),
    },
  );
  const { variant, why, leftOut } = chooseVariant(
    document,
    contract,
    request.variant === 'auto' && given?.variant !== undefined ? undefined : request.variant,
  );
  const reopenable = detected.every(({ source }) => source.size !== undefined);
  if (found !== undefined) refuseIncomplete(found, contract, variant, { request, columns, reopenable });

  const inputs = detected.flatMap(
    (input) => collect(() => preparable(input, document, contract, variant)) ?? [],
  );
  if (faults.length > 0) throw new ProblemError(faults);

  const { batchSize, maxBytes, skip, limit, engine = 'auto' } = request;
  return {
    job: { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit, engine },
    mapping: { ...document, ...(variant === undefined ? {} : { variant }) },
    automatic: found !== undefined && found.byName.length + found.used.length > 0,
    questions: reopenable ? (found?.questions ?? []) : [],
    columns,
    ...(transform === undefined ? {} : { transform }),
    description: [
      ...(transform === undefined ? [] : [`Transform: ${transform.file}, SHA-256 ${transform.digest}.`]),
      `Type: ${contract.type}, ${type.why}.`,
      ...(variant === undefined ? [] : [`Variant: ${variant}, ${why}.${leftOutSaid(leftOut)}`]),
      ...(found === undefined ? [] : describeMapping(found)),
      ...alsoUnused.map(({ input, columns: unused }) => `Also unused, in ${input}: ${listed(unused)}.`),
    ],
    inputs: inputs.map(({ source, detected: { description, guessed } }) => ({
      name: source.name,
      description:
        source.compression === undefined
          ? description
          : [...description, `unpacked from ${source.compression}`],
      ...(guessed === undefined ? {} : { guessed }),
    })),
  };
}

/**
 * An encoding that is declared is that of every input. Where it is not that of some, for they read as UTF-8, nobody
 * can say for which of them it was meant: each would be damaged in silence.
 */
function refuseMixedEncodings(inputs: readonly Pick<PlannedInput, 'source' | 'detected'>[]): void {
  const utf8 = inputs.filter(({ detected }) => detected.alsoUtf8 === true);
  const [one] = utf8;
  if (one === undefined || utf8.length === inputs.length) return;
  const names = utf8.map(({ source }) => source.name);
  throw new ProblemError({
    code: 'input.encoding',
    message: `The encoding ${one.detected.encoding} applies to all inputs, but ${listed(names, "'", 5)} ${names.length === 1 ? 'is' : 'are'} valid UTF-8.`,
    where: one.source.name,
    hint: 'Upload the inputs of each encoding separately; UTF-8 needs no --encoding.',
  });
}

interface PlannedInput extends Pick<PreparableInput, 'source' | 'detected' | 'transform'> {
  /** As the mapping sees them: behind the transform. */
  readonly columns: readonly string[];
}

async function applyTransform(
  transform: LoadedTransform | undefined,
  { source, detected }: Pick<PlannedInput, 'source' | 'detected'>,
  decode: DecodeOptions,
): Promise<Pick<PlannedInput, 'columns' | 'transform'>> {
  if (transform === undefined) return { columns: detected.columns };
  return {
    columns: await transformedColumns(transform, source, detected, decode),
    transform: rowTransform(transform.fn, detected.columns),
  };
}

/** What `signals map` shows: the automatic mapping of one input, before anybody was asked. */
export interface ProposedMapping extends Required<DetectedMapping> {
  /** The input's. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly variant: Variant | undefined;
  /** An encoding that nobody has declared and nothing proves. */
  readonly guessed?: EncodingGuess;
  /** What was detected and chosen, in words. */
  readonly description: readonly string[];
}

/**
 * Opens the first input, understands it, and closes it.
 *
 * @throws ProblemError
 */
export async function proposeMapping(request: PlanRequest, stdin: Readable): Promise<ProposedMapping> {
  const decode = decodeOptions(request, undefined);
  const transform =
    request.transformFile === undefined ? undefined : await loadTransform(request.transformFile);
  const sources = await openInputs(request.files, stdin);
  try {
    const [source] = sources;
    if (source === undefined) throw new TypeError('openInputs gave no input and no problem');
    const detected = detectInput(source, decode);
    const behindIt = await applyTransform(transform, { source, detected: detected }, decode);
    const given = withOverrides({ fields: {} }, request.columns, request.constants);
    const { columns } = behindIt;
    const layout = { inputs: [{ source, detected, ...behindIt }], columns, name: source.name };
    const understood = await detectMapping(layout, decode, given, {
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
      columns,
      variant: asked.variant,
      ...(detected.guessed === undefined ? {} : { guessed: detected.guessed }),
      description: [`${detected.description.join(', ')}.`, `Type: ${contract.type}, ${type.why}.`],
    };
  } finally {
    for (const source of sources) await source.close();
  }
}

/** How the input is read, as far as somebody said it: the mapping must read it the same way again. */
function inputAsked({ decode }: PlanRequest): Pick<MappingDocument, 'input'> {
  const { format, encoding, delimiter, quote, header, headerLine } = decode;
  const input = {
    ...(format === undefined ? {} : { format }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(quote === undefined ? {} : { quote }),
    ...(header === undefined ? {} : { header }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(headerLine === undefined ? {} : { header_line: headerLine }),
  };
  return Object.keys(input).length === 0 ? {} : { input };
}

function preparable(
  input: PlannedInput,
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): PreparableInput {
  const { source, detected, columns, transform } = input;
  const named = transform !== undefined && detected.format === 'csv';
  const mapping: Mapping = compileMapping(
    document,
    contract,
    variant,
    columns,
    named ? 'named cells' : detected.format === 'csv' ? 'csv' : 'ndjson',
    source.name,
  );
  // What is unpacked or decoded on the way has another size than its file.
  const asItIs = source.compression === undefined && detected.encoding === 'utf-8';
  const textSize = asItIs ? source.size : undefined;
  return {
    source,
    ...(textSize === undefined ? {} : { textSize }),
    detected: detected,
    mapping,
    validate: createValidator(contract, variant, mapping.columnOf),
    ...(transform === undefined ? {} : { transform }),
  };
}

async function readMapping(file: string): Promise<MappingDocument> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ProblemError({
      code: 'mapping.file',
      message: `Cannot read the mapping ${file}: ${messageOf(error)}.`,
      hint: 'Pass a YAML or JSON file with -m.',
    });
  }
  const { parseMapping } = await import('../map/parse-document.ts');
  return parseMapping(text, file);
}

/** Flags win over the mapping's `input:`. */
function decodeOptions({ decode }: PlanRequest, given: MappingDocument | undefined): DecodeOptions {
  const input = given?.input ?? {};
  const format = decode.format ?? input.format;
  const delimiter = decode.delimiter ?? input.delimiter;
  const quote = decode.quote ?? input.quote;
  const encoding = decode.encoding ?? input.encoding;
  const headerLine = decode.headerLine ?? input.header_line;
  return {
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(quote === undefined ? {} : { quote }),
    header: decode.header ?? input.header ?? true,
    ...(headerLine === undefined ? {} : { headerLine }),
    maxRowBytes: decode.maxRowBytes,
    ragged: decode.ragged,
  };
}

function leftOutSaid(leftOut: readonly string[]): string {
  return leftOut.length === 0 ? '' : ` Not in this variant, so not sent: ${leftOut.join(', ')}.`;
}
