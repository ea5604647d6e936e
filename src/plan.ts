/**
 * Everything that must be known before anything is sent: all inputs are opened, recognised and mapped here, and
 * every fault is told at once.
 */
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Contract, contracts } from './contract/index.ts';
import { type DecodeOptions, type Guess, guessProblem, recognise } from './decode/index.ts';
import {
  type Automatic,
  automaticMapping,
  chooseVariant,
  compileMapping,
  type Mapping,
  type MappingDocument,
  parseMapping,
  recogniseType,
  rowTransform,
  withOverrides,
} from './map/index.ts';
import { type Problem, ProblemError } from './model/problem.ts';
import type { RecordType, Variant } from './model/record.ts';
import type { PreparableInput, PrepareJob } from './prepare.ts';
import { columnsBehind, type LoadedFunction, loadRowFunction } from './row-function.ts';
import { type OpenInput, openInputs } from './source/index.ts';
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
  /** A module whose default export is a function from row to row. */
  readonly transformFile?: string;
  readonly decode: Omit<DecodeOptions, 'header'> & { readonly header?: boolean };
  readonly batchSize: number;
  readonly maxBytes: number;
  readonly skip: number;
  readonly limit: number;
  /**
   * Whether somebody will be asked about a guessed encoding (`inputs[].guessed` of the plan) before anything is
   * sent. Where nobody is, a guess is a fault.
   */
  readonly mayAsk?: boolean;
}

export interface Plan {
  readonly job: PrepareJob;
  /** The effective mapping, to be used again. */
  readonly mapping: MappingDocument;
  /** Whether columns were chosen by the program and by nobody else. */
  readonly automatic: boolean;
  readonly transform?: LoadedFunction;
  /** What was recognised and chosen, in words: of all inputs, and of each. */
  readonly said: readonly string[];
  readonly inputs: readonly SaidInput[];
}

interface SaidInput {
  readonly name: string;
  readonly said: readonly string[];
  /** An encoding that must be agreed to. */
  readonly guessed?: Guess;
}

/**
 * Opens the inputs and plans the run. The caller closes the inputs.
 *
 * @throws ProblemError with every fault of every input
 */
export async function makePlan(request: PlanRequest, stdin: Readable): Promise<Plan> {
  const given = request.mapFile === undefined ? undefined : await readMapping(request.mapFile);
  const decode = decodeOptions(request, given);
  const transform =
    request.transformFile === undefined ? undefined : await loadRowFunction(request.transformFile);
  const sources = await openInputs(request.files, stdin);
  try {
    return await planFor(request, given, decode, sources, transform);
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
  transform: LoadedFunction | undefined,
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
        const recognised = recognise(source, decode);
        if (recognised.guessed !== undefined && request.mayAsk !== true) {
          throw guessProblem(source.name, recognised.guessed);
        }
        return { source, recognised };
      }) ?? [],
  );
  const recognised: PlannedInput[] = [];
  for (const input of readable) recognised.push({ ...input, ...(await behind(transform, input, decode)) });
  const [first] = recognised;
  if (first === undefined || faults.length > 0) throw new ProblemError(faults);

  const base = given ?? { fields: {} };
  const overridden = withOverrides(base, request.columns, request.constants);
  const { columns } = first;
  const automatic = given === undefined;
  const type =
    request.type === undefined
      ? recogniseType(columns, overridden, contracts, { automatic, inputName: first.source.name })
      : { type: request.type, why: 'because you said so' };
  const contract = contracts[type.type];
  const found = automatic ? automaticMapping(columns, contract, overridden) : undefined;
  const document: MappingDocument = { ...(found?.document ?? overridden), type: contract.type };
  const { variant, why, leftOut } = chooseVariant(
    document,
    contract,
    request.variant === 'auto' && given?.variant !== undefined ? undefined : request.variant,
  );

  const inputs = recognised.flatMap(
    (input) => collect(() => preparable(input, document, contract, variant)) ?? [],
  );
  if (faults.length > 0) throw new ProblemError(faults);

  const { batchSize, maxBytes, skip, limit } = request;
  return {
    job: { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit },
    mapping: { ...document, ...(variant === undefined ? {} : { variant }) },
    automatic: found !== undefined && found.matched.length > 0,
    ...(transform === undefined ? {} : { transform }),
    said: [
      ...(transform === undefined ? [] : [`Transform: ${transform.file}, SHA-256 ${transform.digest}.`]),
      `Type: ${contract.type}, ${type.why}.`,
      ...(variant === undefined ? [] : [`Variant: ${variant}, ${why}.${leftOutSaid(leftOut)}`]),
      ...(found === undefined ? [] : [columnsSaid(found)]),
    ],
    inputs: inputs.map(({ source, recognised: { said, guessed } }) => ({
      name: source.name,
      said: source.container === undefined ? said : [...said, `unpacked from ${source.container}`],
      ...(guessed === undefined ? {} : { guessed }),
    })),
  };
}

interface PlannedInput extends Pick<PreparableInput, 'source' | 'recognised' | 'transform'> {
  /** As the mapping sees them: behind the transform. */
  readonly columns: readonly string[];
}

async function behind(
  transform: LoadedFunction | undefined,
  { source, recognised }: Pick<PlannedInput, 'source' | 'recognised'>,
  decode: DecodeOptions,
): Promise<Pick<PlannedInput, 'columns' | 'transform'>> {
  if (transform === undefined) return { columns: recognised.columns };
  return {
    columns: await columnsBehind(transform, source, recognised, decode),
    transform: rowTransform(transform.fn, recognised.columns),
  };
}

function preparable(
  input: PlannedInput,
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): PreparableInput {
  const { source, recognised, columns, transform } = input;
  const named = transform !== undefined && recognised.format === 'csv';
  const mapping: Mapping = compileMapping(
    document,
    contract,
    variant,
    columns,
    named ? 'named cells' : recognised.format === 'csv' ? 'csv' : 'ndjson',
    source.name,
  );
  // What is unpacked or decoded on the way has another size than its file.
  const asItIs = source.container === undefined && recognised.encoding === 'utf-8';
  const textSize = asItIs ? source.size : undefined;
  return {
    source,
    ...(textSize === undefined ? {} : { textSize }),
    recognised,
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
      message: `The mapping ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Name a YAML or JSON file with -m.',
    });
  }
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
  return leftOut.length === 0 ? '' : ` It has no name for ${leftOut.join(', ')}: left out.`;
}

/** More names than this make a line that nobody reads. */
const NAMES_SAID = 30;

function some(names: readonly string[]): string {
  const more = names.length - NAMES_SAID;
  return more > 0 ? `${names.slice(0, NAMES_SAID).join(', ')} and ${more} more` : names.join(', ');
}

function columnsSaid({ matched, unused }: Automatic): string {
  const used = matched.map(({ field, column }) => (field === column ? field : `${field} from "${column}"`));
  const rest = unused.length === 0 ? '' : ` Not used: ${some(unused.map((name) => `"${name}"`))}.`;
  return `Columns, by their names: ${used.length === 0 ? 'none' : used.join(', ')}.${rest}`;
}
