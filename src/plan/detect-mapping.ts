/**
 * Detects the record type and mapping of inputs from their first rows. Inputs with the same columns are mapped together, and
 * all groups must come to the same mapping: otherwise a column that only some files have would be dropped silently
 * (decision 0006).
 */
import { type Contract, contracts } from '../contract/index.ts';
import { headRows, isBroken } from '../input/decode.ts';
import { argumentOf } from '../input/open-inputs.ts';
import { formatList } from '../lib/text.ts';
import {
  type ChosenVariant,
  chooseVariant,
  type DetectedType,
  type Discovered,
  detectType,
  discoverMapping,
  type MappingDocument,
  renderField,
  sampleCells,
  typeOfMapping,
  withOverrides,
} from '../map/index.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { formatTraits } from '../model/input-format.ts';
import { ProblemCollector, ProblemError } from '../model/problem.ts';
import { isCells, type Row } from '../model/row.ts';
import { repeatedCommand, repeatedOptions } from '../questions/continue-commands.ts';
import type { GroupSample, MappingProposal, SampledRow } from '../questions/mapping-proposal.ts';
import { type DetectedSource, inputOptions, refuseWrapper, rowFormOf } from './detect-inputs.ts';
import type { PlanRequest } from './plan-types.ts';
import { undecidedType } from './undecided-input.ts';

/** Rows sampled from all inputs of a group. */
const SAMPLE_ROWS = 200;

/** Rows sampled from each input, even if there are many inputs. */
const MIN_ROWS_PER_INPUT = 5;

/** Files named in a suggested command; more of them are counted instead. */
const FILES_SHOWN = 20;

const DIFFERENCES_SHOWN = 4;

/** Inputs that share one mapping because they have the same columns. */
interface HeaderGroup {
  readonly inputs: readonly [DetectedSource, ...DetectedSource[]];
  /** For CSV, those of each input; for NDJSON, the union, because a path may be absent from any object. */
  readonly columns: readonly string[];
  /** The first input's name, for messages. */
  readonly name: string;
}

interface MappingRequest {
  readonly decode: DecodeOptions;
  /** The mapping file, or the fields that options map. */
  readonly given: MappingDocument;
  /** Whether columns are matched by name and detected: not with a mapping file. */
  readonly automatic: boolean;
  readonly request: PlanRequest;
}

interface DetectedMapping {
  readonly group: HeaderGroup;
  readonly contract: Contract;
  readonly type: DetectedType;
  readonly document: MappingDocument;
  readonly found?: { readonly discovered: Discovered; readonly sample: GroupSample } | undefined;
}

/**
 * @throws ProblemError `mapping.collision`, `mapping.type`; the latter as an OpenPointError if it is automatic. Then also
 *   those of {@link refuseWrapper}
 */
async function detectMapping(group: HeaderGroup, about: MappingRequest): Promise<DetectedMapping> {
  const { given, automatic, request } = about;
  const requested: DetectedType | undefined = request.type && {
    kind: 'type',
    type: request.type,
    why: request.why?.type ?? 'as requested',
  };
  if (!automatic) {
    const type = requested ?? typeOfMapping(group.columns, given, group.name);
    return { group, contract: contracts[type.type], type, document: { ...given, type: type.type } };
  }
  for (const input of group.inputs) refuseWrapper(input, about.decode);
  const sample = await sampleGroup(group, about.decode, given.empty ?? []);
  const type = requested ?? detectType(sample, given);
  if (type.kind === 'undecided') {
    const reopenable = group.inputs.every(({ source }) => source.size !== undefined);
    const [{ source }, ...others] = group.inputs;
    const table = source.table?.format === 'xlsx' && others.length === 0 ? source.table : undefined;
    throw undecidedType(type, group.name, { request, table, reopenable });
  }
  const contract = contracts[type.type];
  const discovered = discoverMapping(sample, contract, given, request.variant);
  const { document, emptyIfAnswered: empty } = discovered;
  return { group, contract, type, found: { discovered, sample: { ...sample, empty } }, document };
}

/** The first rows of all inputs, one of each in turn, so that no input is missing from the start of the sample. */
async function sampleGroup(
  { inputs, columns, name }: HeaderGroup,
  options: DecodeOptions,
  empty: readonly string[],
): Promise<GroupSample> {
  const limit = Math.max(MIN_ROWS_PER_INPUT, Math.ceil(SAMPLE_ROWS / inputs.length));
  const heads: FirstRows[] = [];
  for (const input of inputs) heads.push(await firstRows(input, columns, options, limit));
  const sampled: SampledRow[] = [];
  for (let index = 0; index < limit; index += 1) {
    for (const {
      rows: { [index]: row },
    } of heads)
      if (row !== undefined) sampled.push(row);
  }
  const contents = sampled.map(({ content }) => content);
  const none = new Set<unknown>(empty);
  const rows = sampleCells(columns, contents).map((row) => row.map((cell) => (none.has(cell) ? '' : cell)));
  const isWhole = heads.every((head) => head.isWhole);
  return { name, columns, rows, contents, sampled, rowForm: rowFormOf(inputs[0]), empty, isWhole };
}

interface FirstRows {
  readonly rows: readonly SampledRow[];
  readonly isWhole: boolean;
}

async function firstRows(
  input: DetectedSource,
  columns: readonly string[],
  options: DecodeOptions,
  limit: number,
): Promise<FirstRows> {
  const { source, columns: inputColumns } = input;
  const sampled: Row[] = [];
  let isWhole = source.headIsWhole;
  for await (const { given } of headRows(input, options, (rows) => rows.slice(0, limit))) {
    if (given === undefined || isBroken(given)) isWhole = false;
    else sampled.push(given);
    if (sampled.length === limit) break;
  }
  const indexes = columns.map((column) => inputColumns.indexOf(column));
  const rows = sampled.map(({ content, cellIssues }) => ({
    content: isCells(content) ? indexes.map((index) => content[index] ?? '') : content,
    cellIssues,
  }));
  return { rows, isWhole: isWhole && sampled.length < limit };
}

/**
 * Groups inputs with cells by columns, in any order. NDJSON and JSON inputs are one group, because a path may be absent, except
 * those whose paths alone say that they are of another type.
 */
function groupByHeader(
  inputs: readonly DetectedSource[],
  { automatic, given, request }: MappingRequest,
): readonly HeaderGroup[] {
  const hasCells = ({ detected }: DetectedSource): boolean => formatTraits[detected.format].hasCells;
  const typeOf = ({ columns, source }: DetectedSource): string | undefined => {
    const found = detectType({ columns, rows: [], name: source.name }, given);
    return found.kind === 'type' ? found.type : undefined;
  };
  const objects = inputs.filter((input) => !hasCells(input));
  const isOpen = automatic && request.type === undefined && objects.length > 1;
  const types = new Map(isOpen ? objects.map((input) => [input, typeOf(input)]) : []);
  const areMixed = new Set([...types.values()].filter((type) => type !== undefined)).size > 1;
  const groups = new Map<string, [DetectedSource, ...DetectedSource[]]>();
  for (const input of inputs) {
    const ofObjects = `objects ${areMixed ? types.get(input) : ''}`;
    const key = hasCells(input) ? JSON.stringify([...input.columns].sort()) : ofObjects;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [input]);
    else group.push(input);
  }
  return [...groups.values()].map((group) => ({
    inputs: group,
    columns: [...new Set(group.flatMap(({ columns }) => columns))],
    name: group[0].source.name,
  }));
}

/**
 * The mapping that all groups share. A mapping file needs no detection; compiling it checks each input. Without a user to
 * ask, the problems of all groups are collected.
 *
 * @throws ProblemError as {@link detectMapping} does; `mapping.layouts` if two groups need different mappings
 */
async function detectCommonMapping(
  sources: readonly DetectedSource[],
  about: MappingRequest,
): Promise<DetectedMapping> {
  const groups = groupByHeader(sources, about);
  const collector = new ProblemCollector();
  const mappings: DetectedMapping[] = [];
  for (const group of about.automatic ? groups : groups.slice(0, 1)) {
    // The commands of each group name its own files.
    const files = group.inputs.map(({ source }) => argumentOf(source));
    const request = groups.length === 1 ? about.request : { ...about.request, files, isPart: true as const };
    const detect = async () => mappings.push(await detectMapping(group, { ...about, request }));
    await (about.request.mayAsk === true ? detect() : collector.collect(detect));
  }
  const [first, ...others] = mappings;
  if (first !== undefined) await collector.collect(() => refuseDifferent(first, others, about.request));
  collector.throwIfAny();
  if (first === undefined) throw new TypeError('there is no input to map');
  const { document } = first;
  const empty = [...new Set(mappings.flatMap((each) => each.document.empty ?? []))];
  return { ...first, document: empty.length === 0 ? document : { ...document, empty } };
}

function keyOf({ document, type }: DetectedMapping): string {
  return JSON.stringify([type.type, ...renderedFields(document)]);
}

function renderedFields({ fields }: MappingDocument): readonly (readonly [string, string])[] {
  return Object.entries(fields)
    .map(([field, mapping]) => [field, renderField(mapping)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function refuseDifferent(first: DetectedMapping, others: readonly DetectedMapping[], request: PlanRequest): void {
  const other = others.find((each) => keyOf(each) !== keyOf(first));
  if (other === undefined) return;
  const filesByMapping = new Map<string, string[]>();
  for (const each of [first, ...others]) {
    const files = filesByMapping.get(keyOf(each)) ?? [];
    filesByMapping.set(keyOf(each), [...files, ...each.group.inputs.map(({ source }) => argumentOf(source))]);
  }
  const commands = [...filesByMapping.values()].map((files, index) =>
    files.length > FILES_SHOWN
      ? `  ${files.length} files such as ${files[0]}: move them to a separate folder, and upload that.`
      : `  \`${repeatedCommand(nthRequest(request, index + 1), files, ...repeatedOptions(request))}\``,
  );
  const hint = 'Upload each group separately, or pass one mapping that fits all with -m:';
  throw new ProblemError({
    code: 'mapping.layouts',
    message: `'${other.group.name}' needs a different mapping than '${first.group.name}', and a run has one mapping: ${differences(first, other)}.`,
    where: other.group.name,
    hint: [hint, ...commands].join('\n'),
  });
}

/** The request with a run ID of its own: two uploads cannot have the same. */
function nthRequest({ suggest, asking }: PlanRequest, number: number): Pick<PlanRequest, 'suggest' | 'asking'> {
  if (asking === undefined) return { suggest };
  const otherOptions = asking.otherOptions.map((word, index, words) =>
    words[index - 1] === '--run-id' ? `${word}-${number}` : word,
  );
  return { suggest, asking: { ...asking, otherOptions } };
}

function differences(first: DetectedMapping, other: DetectedMapping): string {
  if (first.type.type !== other.type.type)
    return `it contains ${contracts[other.type.type].title}, not ${contracts[first.type.type].title}`;
  const before = new Map(renderedFields(first.document));
  const after = new Map(renderedFields(other.document));
  const missing = [...before.keys()].filter((field) => !after.has(field));
  const different = [...after].flatMap(([field, found]) => {
    const expected = before.get(field);
    if (expected === undefined) return [`only it has a column for ${field} (${found})`];
    return found === expected ? [] : [`${field} comes from ${found}, not ${expected}`];
  });
  if (missing.length > 0) different.unshift(`it has no column for ${formatList(missing, '', DIFFERENCES_SHOWN)}`);
  return formatList(different, '', DIFFERENCES_SHOWN);
}

interface FoundMapping extends Pick<DetectedMapping, 'contract' | 'type' | 'document'> {
  readonly variant: ChosenVariant;
  readonly guessed: MappingProposal['guessed'];
  readonly proposal: MappingProposal | undefined;
}

export async function findMapping(
  request: PlanRequest,
  sources: readonly [DetectedSource, ...DetectedSource[]],
  decode: DecodeOptions,
  file: MappingDocument | undefined,
): Promise<FoundMapping> {
  const { variant: requestedVariant } = request;
  const given = request.mapping ?? withOverrides(file ?? { fields: {} }, request);
  const mapping = await detectCommonMapping(sources, { decode, given, automatic: file === undefined, request });
  const { contract, type, found, document } = mapping;
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
    guessed,
    document: { ...whole, input: inputOptions(request.decode) },
  };
  return { contract, type, document: whole, variant, guessed, proposal };
}
