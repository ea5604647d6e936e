/**
 * Plans a run before anything is sent: opens all inputs, detects their formats, and finds the mapping and the variant. Takes a
 * `PlanRequest`, gives a `Plan`, or one ProblemError with the problems of all inputs. Knows no screen.
 */
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Contract } from '../contract/index.ts';
import { isResized } from '../input/decode.ts';
import type { DetectedInput } from '../input/decode-types.ts';
import { guessProblem } from '../input/encoding.ts';
import { findInputs, openProblem } from '../input/input-paths.ts';
import { argumentOf, type OpenInput, openReadable } from '../input/open-inputs.ts';
import { formatList } from '../lib/text.ts';
import { compileMapping, isByName, type MappingDocument, parseMapping } from '../map/index.ts';
import { type Problem, ProblemCollector, ProblemError, problemsOf } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import type { PreparableInput, PrepareJob } from '../prepare/index.ts';
import { createRecordReader } from '../prepare/record.ts';
import type { MappingProposal } from '../questions/mapping-proposal.ts';
import { describeMapping, leftOutWarnings } from '../questions/mapping-text.ts';
import {
  type DetectedSource,
  detectSources,
  effectiveDecodeOptions,
  nameReading,
  refuseUnusedSheet,
  rowFormOf,
  UNUSED_SHEET,
} from './detect-inputs.ts';
import { findMapping } from './detect-mapping.ts';
import { closePlan, type Plan, type PlanRequest } from './plan-types.ts';
import { type LoadedRowFunction, loadRowFunction } from './row-function-worker.ts';
import { OpenPointError, refuseIncomplete } from './undecided-input.ts';

export { closePlan, type Plan, type PlanRequest } from './plan-types.ts';

/** Names in the sentence about files of a folder that are not inputs. */
const UNREAD_SHOWN = 12;

/**
 * Opens the inputs and plans the run. The caller closes the inputs.
 *
 * @throws ProblemError with every problem of every input; with `skipBadFiles`, if no input can be planned
 */
export async function planRun(request: PlanRequest, stdin: Readable): Promise<Plan> {
  if (request.skipBadFiles === true) return planGoodFiles(request, stdin);
  const given = request.mapping ?? (request.mapFile === undefined ? undefined : await readMapping(request.mapFile));
  return withInputs(request, stdin, given, async ({ inputs, unread, problems, decode, transform }) => {
    const collector = new ProblemCollector();
    collector.add(problems);
    // The commands that continue can name one encoding.
    const mayGuess = request.mayAsk === true || inputs.length === 1;
    const detected = await detectSources(inputs, { decode, transform, mayGuess }, collector);
    const areReadable = collector.isEmpty;
    const [first, ...others] = detected;
    // Only files that can be read are in the commands of further problems.
    const files = areReadable ? request.files : detected.map(({ source }) => argumentOf(source));
    const planning = async (): Promise<Plan | undefined> => {
      try {
        const plan = first?.detected.guessed === undefined || request.mayAsk === true ? planSources : planGuessed;
        return first && (await plan({ ...request, files }, [first, ...others], { given, decode, transform }));
      } catch (error) {
        if (areReadable || !isAskedLater(error, request.mayAsk === true)) throw error;
        return undefined;
      }
    };
    const plan = await collector.collect(planning);
    collector.throwIfAny();
    if (plan === undefined) throw new TypeError('openReadable returned no input');
    if (unread.length === 0) return plan;
    const sentence = `Not read (subfolder, readme or unsupported type): ${formatList(unread, "'", UNREAD_SHOWN)}.`;
    return { ...plan, brief: [...plan.brief, sentence], description: [sentence, ...plan.description] };
  });
}

type OpenedInputs = Awaited<ReturnType<typeof openReadable>> & Pick<Loaded, 'decode' | 'transform'>;

/** Opens the inputs and the module of `--transform`. If the work fails, they are closed. */
async function withInputs<T>(
  request: PlanRequest,
  stdin: Readable,
  given: MappingDocument | undefined,
  work: (opened: OpenedInputs) => Promise<T>,
): Promise<T> {
  const { stdinName, onWait } = request;
  const transform = await loadRowFunction(request);
  const input = request.areRejects === true ? undefined : given?.input;
  const decode = effectiveDecodeOptions(request.decode, input);
  const opened = await openReadable(request.files, stdin, { sheet: decode.sheet, stdinName, onWait });
  try {
    const result = await work({ ...opened, decode, transform });
    if (request.areRejects !== true) refuseUnusedSheet(request.decode, opened.inputs);
    return result;
  } catch (error) {
    await closeInputs(opened.inputs, transform);
    nameReading(error, opened.inputs, request.decode, input);
    throw error;
  }
}

async function closeInputs(inputs: readonly OpenInput[], transform: LoadedRowFunction | undefined): Promise<void> {
  transform?.worker.close();
  for (const source of inputs) await source.close();
}

export interface ProposedMapping extends MappingProposal {
  readonly description: string;
  readonly detected: DetectedInput;
  readonly sheet?: string | undefined;
}

/**
 * For `signals map`: opens the first input, detects its mapping, and closes it.
 *
 * @throws ProblemError
 */
export async function proposeMapping(request: PlanRequest, stdin: Readable): Promise<ProposedMapping> {
  return withInputs(request, stdin, undefined, async ({ inputs, problems, decode, transform }) => {
    const collector = new ProblemCollector();
    collector.add(problems);
    const [first] = await detectSources(inputs.slice(0, 1), { decode, transform, mayGuess: true }, collector);
    collector.throwIfAny();
    if (first === undefined) throw new TypeError('openReadable returned no input');
    const { proposal } = await findMapping(request, [first], decode, undefined);
    if (proposal === undefined) throw new TypeError('an automatic mapping was not discovered');
    await closeInputs(inputs, transform);
    const { detected, source } = first;
    const sheet = source.table?.format === 'xlsx' ? source.table.sheet : undefined;
    return { ...proposal, detected, sheet, description: `${source.name}: ${detected.description.join(', ')}.` };
  });
}

/**
 * `--skip-bad-files`: plans each file alone, and then those together that could be planned. A pipe can be read only once: it is never skipped. An
 * archive is one file.
 *
 * @throws ProblemError with the problems of all files if none can be planned
 */
async function planGoodFiles(request: PlanRequest, stdin: Readable): Promise<Plan> {
  const all = { ...request, skipBadFiles: false };
  const { found, problems } = await findInputs(request.files);
  const skipped = [...problems];
  const files: string[] = [];
  for (const input of found) {
    const file = input.kind === 'stdin' ? '-' : argumentOf({ name: input.path, ...input });
    const planning = input.kind === 'file' ? planRun({ ...all, files: [file] }, stdin) : undefined;
    const issues = planning === undefined ? [] : await problemsOfPlan(planning, request.mayAsk === true);
    if (issues.every(({ code }) => code === UNUSED_SHEET)) files.push(file);
    else skipped.push(...issues);
  }
  if (files.length === 0) throw new ProblemError(skipped);
  try {
    const plan = await planRun({ ...all, files }, stdin);
    return { ...plan, skipped: skipped.map((issue) => ({ ...issue, message: `Skipped this file. ${issue.message}` })) };
  } catch (error) {
    if (skipped.length === 0 || isAskedLater(error, request.mayAsk === true)) throw error;
    throw new ProblemError([...skipped, ...problemsOf(error)]);
  }
}

interface Loaded {
  readonly given: MappingDocument | undefined;
  readonly decode: PrepareJob['decode'];
  readonly transform: LoadedRowFunction | undefined;
}

/**
 * Without a user to ask, a guessed encoding is a problem. The file is still planned as if the guess were right, so that the commands
 * that continue answer all that is open.
 */
async function planGuessed(request: PlanRequest, sources: Sources, loaded: Loaded): Promise<never> {
  const [{ source, detected }] = sources;
  if (detected.guessed === undefined) throw new TypeError('no encoding is guessed');
  const { encoding, cells } = detected.guessed;
  const guess = (hasCommands: boolean): Problem => guessProblem(source.name, { encoding, cells }, hasCommands);
  try {
    await planSources({ ...request, decode: { ...request.decode, encoding } }, sources, loaded);
  } catch (error) {
    throw new ProblemError([guess(error instanceof OpenPointError && error.reopenable), ...problemsOf(error)]);
  }
  throw new ProblemError(guess(false));
}

type Sources = readonly [DetectedSource, ...DetectedSource[]];

async function planSources(
  request: PlanRequest,
  sources: Sources,
  { given, decode, transform }: Loaded,
): Promise<Plan> {
  const mapping = await findMapping(request, sources, decode, given);
  const { contract, document, guessed, proposal } = mapping;
  const { variant } = mapping.variant;
  const reopenable = sources.every(({ source }) => source.size !== undefined);
  const compiling = compileInputs(sources, document, contract, variant);
  const problems = await compiling.then(() => [], problemsOf);
  // What the user has typed wrongly comes before what is open.
  const isOpen = problems.every(({ code }) => code === 'mapping.required');
  if (proposal !== undefined && isOpen) refuseIncomplete(proposal, request, reopenable);
  const inputs = await compiling;
  const { batchSize, maxBytes, skip, limit, engine = 'auto' } = request;
  const discovered = proposal?.discovered;
  const { brief, description } = describeMapping(inputs, mapping.type, mapping.variant, proposal);
  return {
    job: { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit, engine },
    mapping: document,
    isGuess: discovered !== undefined && (discovered.unused.length > 0 || !discovered.used.every(isByName)),
    proposal: reopenable ? proposal : undefined,
    guessed,
    transform,
    skipped: [],
    // A user who has completed the mapping decided what is left out.
    warnings: discovered === undefined || request.mapping !== undefined ? [] : leftOutWarnings(discovered),
    brief,
    description: [
      ...(transform === undefined ? [] : [`Transform: ${transform.file}, SHA-256 ${transform.digest}.`]),
      ...description,
    ],
    inputs: inputs.map(({ source: { name, isGzip }, detected: { description } }) => ({
      name,
      description: isGzip ? [...description, 'unpacked from gzip'] : description,
    })),
  };
}

async function compileInputs(
  sources: readonly DetectedSource[],
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): Promise<readonly PreparableInput[]> {
  const collector = new ProblemCollector();
  const inputs: PreparableInput[] = [];
  for (const input of sources) {
    await collector.collect(() => {
      const { source, detected, columns, transform } = input;
      const target = { contract, variant, columns, rowForm: rowFormOf(input), inputName: source.name };
      const mapping = compileMapping(document, target);
      const isPacked = source.isGzip || source.table !== undefined || source.member !== undefined;
      const textSize = isPacked || isResized(detected) ? undefined : source.size;
      const readRecord = createRecordReader(contract, variant, mapping.columnOf);
      inputs.push({ source, textSize, detected, mapping, readRecord, transform });
    });
  }
  collector.throwIfAny();
  return inputs;
}

/** @throws ProblemError `mapping.file`, or with the problems of the mapping */
async function readMapping(file: string): Promise<MappingDocument> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ProblemError({ ...openProblem(file, error, 'Mapping file'), code: 'mapping.file' });
  }
  return parseMapping(text, file);
}

/** Closes the plan. Returns why it could not be made, except for what the user is asked later. */
async function problemsOfPlan(planning: Promise<Plan>, mayAsk: boolean): Promise<readonly Problem[]> {
  try {
    await closePlan(await planning);
    return [];
  } catch (error) {
    return isAskedLater(error, mayAsk) ? [] : problemsOf(error);
  }
}

/** Whether the user is asked for what the error lacks. */
function isAskedLater(error: unknown, mayAsk: boolean): boolean {
  return mayAsk && error instanceof OpenPointError && error.reopenable;
}
