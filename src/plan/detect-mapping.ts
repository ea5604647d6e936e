/**
 * From the head of an input to its record type and mapping: what the plan of a run and `signals map` share. What was
 * understood is told in words here, and what is still open ends in the command to go on with.
 */
import { type Contract, contracts } from '../contract/index.ts';
import { type DecodeOptions, type DetectedInput, decodeHead, isBroken } from '../decode/index.ts';
import { type Suggest, shellQuote } from '../lib/shell.ts';
import {
  type Discovered,
  discoverMapping,
  discoverType,
  isCells,
  listed,
  type MappingDocument,
  type Question,
  recogniseType,
  renderField,
  type Sample,
  sampleCells,
  type Transformed,
} from '../map/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { Content, Row } from '../model/row.ts';
import type { OpenInput } from '../source/index.ts';

/** Rows that discovery looks at, of all inputs of a layout together. */
const SAMPLE_ROWS = 200;

/** Rows that it looks at in each input, however many there are. */
const LEAST_ROWS = 5;

/** Columns without use that are named in one line. */
const UNUSED_SHOWN = 12;

/** An input as discovery sees it: behind its transform, where it has one. */
export interface MappableInput {
  readonly source: OpenInput;
  readonly detected: DetectedInput;
  readonly columns: readonly string[];
  readonly transform?: (row: Row) => Transformed;
}

/** Inputs that are understood together, because they have the same columns. */
export interface HeaderGroup<T extends MappableInput = MappableInput> {
  /** One at least. */
  readonly inputs: readonly T[];
  /** Of CSV those of each input; of NDJSON those of all, because a path may be missing anywhere. */
  readonly columns: readonly string[];
  /** The first input's name, for messages. */
  readonly name: string;
}

export interface DetectedMapping {
  readonly contract: Contract;
  readonly type: { readonly type: RecordType; readonly why: string };
  readonly document: MappingDocument;
  /** Absent where a mapping is given: then nothing is discovered. */
  readonly found?: Discovered;
}

/**
 * @param given the mapping, or what options say
 * @throws ProblemError `mapping.type`, `mapping.collision`
 */
export async function detectMapping(
  layout: HeaderGroup,
  options: DecodeOptions,
  given: MappingDocument,
  asked: { readonly automatic: boolean; readonly type?: RecordType },
): Promise<DetectedMapping> {
  const { columns, name } = layout;
  if (!asked.automatic) {
    const type = typeOf(asked.type, () =>
      recogniseType(columns, given, contracts, { automatic: false, inputName: name }),
    );
    return { contract: contracts[type.type], type, document: { ...given, type: type.type } };
  }
  const sample = await sampleOf(layout, options);
  const type = typeOf(asked.type, () => {
    try {
      return recogniseType(columns, given, contracts, { automatic: true, inputName: name });
    } catch (error) {
      const discovered = error instanceof ProblemError ? discoverType(sample, contracts, given) : undefined;
      if (discovered === undefined) throw error;
      return discovered;
    }
  });
  const contract = contracts[type.type];
  const found = discoverMapping(sample, contract, given);
  return { contract, type, found, document: found.document };
}

function typeOf(
  said: RecordType | undefined,
  detect: () => DetectedMapping['type'],
): DetectedMapping['type'] {
  return said === undefined ? detect() : { type: said, why: 'as requested' };
}

/**
 * The first rows of each input, as discovery wants them: one of each in turn, so that what only a later file shows
 * (a date of another order) is seen as early as what the first one shows.
 */
async function sampleOf({ inputs, columns }: HeaderGroup, options: DecodeOptions): Promise<Sample> {
  const most = Math.max(LEAST_ROWS, Math.ceil(SAMPLE_ROWS / inputs.length));
  const each: Sample['rows'][] = [];
  for (const input of inputs) each.push(await firstRows(input, columns, options, most));
  const rows: (readonly unknown[])[] = [];
  for (let turn = 0; turn < most; turn += 1) {
    for (const { [turn]: row } of each) if (row !== undefined) rows.push(row);
  }
  return { columns, rows };
}

async function firstRows(
  { source, detected, transform, columns: own }: MappableInput,
  columns: readonly string[],
  options: DecodeOptions,
  most: number,
): Promise<Sample['rows']> {
  const places = columns.map((column) => own.indexOf(column));
  const contents: Content[] = [];
  for await (const { rows } of decodeHead(0, source, detected, options)) {
    for (const row of rows) {
      if (isBroken(row)) continue;
      const made = transform?.(row) ?? { kind: 'row', row };
      if (made.kind === 'row') contents.push(made.row.content);
    }
    if (contents.length >= most) break;
  }
  // Cells stand in the order of their own input.
  const aligned = contents
    .slice(0, most)
    .map((content) => (isCells(content) ? places.map((place) => content[place] ?? '') : content));
  return sampleCells(columns, aligned);
}

/** Required fields of the type and variant that nothing is mapped to. */
export function missingFields(
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): readonly string[] {
  const mapped = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name));
  return contract
    .fieldsOf(variant)
    .filter(({ field, required }) => required && !mapped.has(field.name))
    .map(({ field }) => field.name);
}

/** A mapping that lacks required fields. Where somebody sits there, the questions can be asked. */
export class IncompleteMappingError extends ProblemError {
  readonly contract: Contract;
  readonly open: readonly string[];
  readonly questions: readonly Question[];
  readonly columns: readonly string[];
  /** Whether the inputs can be opened again once the questions are answered. */
  readonly reopenable: boolean;

  constructor(problem: Problem, about: Omit<IncompleteMappingError, keyof ProblemError>) {
    super(problem);
    this.name = 'OpenMapping';
    this.contract = about.contract;
    this.open = about.open;
    this.questions = about.questions;
    this.columns = about.columns;
    this.reopenable = about.reopenable;
  }
}

interface Asking {
  readonly request: {
    readonly files: readonly string[];
    readonly suggest: Suggest;
    readonly type?: RecordType;
    readonly variant: Variant | 'auto';
    readonly columns: readonly string[];
    readonly constants: readonly string[];
    readonly transformFile?: string;
    readonly decode: {
      readonly format?: string;
      readonly delimiter?: string;
      readonly quote?: string;
      readonly header?: boolean;
      readonly encoding?: string;
      readonly headerLine?: number;
    };
  };
  readonly columns: readonly string[];
  readonly reopenable: boolean;
}

/** The options that a suggested command repeats so that it understands the inputs in the same way. */
export function repeatedOptions({
  type,
  variant,
  columns,
  constants,
  transformFile,
  decode,
}: Asking['request']): readonly string[] {
  const { format, delimiter, quote, header, encoding, headerLine } = decode;
  return [
    ...(type === undefined ? [] : ['--type', type]),
    ...(variant === 'auto' ? [] : ['--variant', variant]),
    ...(format === undefined ? [] : ['--format', format]),
    ...(delimiter === undefined ? [] : ['--delimiter', delimiter]),
    ...(quote === undefined ? [] : ['--quote', quote]),
    ...(header === false ? ['--no-header'] : []),
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(headerLine === undefined ? [] : ['--header-line', String(headerLine)]),
    ...(transformFile === undefined ? [] : ['--transform', transformFile]),
    ...columns.flatMap((column) => ['-c', column]),
    ...constants.flatMap((constant) => ['--set', constant]),
  ];
}

/** @throws OpenMapping where a required field is open: with the proposal and the command to go on with. */
export function refuseIncomplete(
  found: Discovered,
  contract: Contract,
  variant: Variant | undefined,
  { request, columns, reopenable }: Asking,
): void {
  const open = missingFields(found.document, contract, variant);
  const [file] = request.files;
  if (open.length === 0) return;
  const questions = found.questions;
  const proposable = open.every((field) => questions.some((question) => question.field === field));
  const unknown = open.filter((field) => !questions.some((question) => question.field === field));
  const needs = variant === undefined ? contract.type : `${contract.type} (variant ${variant})`;
  const name = file === undefined || file === '-' ? 'FILE' : file;
  const { suggest } = request;
  const options = unknown.flatMap((field) => ['-c', `${field}=COLUMN`]);
  const make = suggest(
    'map',
    name,
    ...repeatedOptions(request),
    ...options,
    '--accept',
    '-o',
    `${name}.mapping.yaml`,
  );
  const use = suggest('upload', name, '-m', `${name}.mapping.yaml`);
  throw new IncompleteMappingError(
    {
      code: 'mapping.required',
      message: `${needs} requires ${listed(open)}, but no column clearly contains ${open.length === 1 ? 'it' : 'them'}.`,
      ...(file === undefined ? {} : { where: file }),
      hint: [
        'Mapped so far:',
        ...understoodLines(found),
        'Uncertain:',
        ...questionLines(questions),
        ...unknown.map((field) => `  ${field}: no candidate`),
        proposable
          ? `To accept the first proposal for each: \`${make}\`. Review that file, then: \`${use}\`.`
          : `Map a column with \`--column FIELD=COLUMN\`, or set the same value for every row with \`--set FIELD=VALUE\`: \`${make}\`. Then: \`${use}\`.`,
      ].join('\n'),
    },
    { contract, open, questions, columns, reopenable },
  );
}

/** What is mapped, by options, names and discovery, and which columns are left. */
function understoodLines({ document, used, unused }: Discovered): readonly string[] {
  const sure = new Map(used.map(({ field, confidence }) => [field, `  # ${percent(confidence)}`]));
  const fields = Object.entries(document.fields).map(
    ([field, mapping]) => `  ${field}: ${renderField(mapping)}${sure.get(field) ?? ''}`,
  );
  const rest = unused.slice(0, UNUSED_SHOWN).map(({ column }) => `"${column}"`);
  const more = unused.length > UNUSED_SHOWN ? ` and ${unused.length - UNUSED_SHOWN} more` : '';
  return [
    ...(fields.length === 0 ? ['  nothing'] : fields),
    ...(rest.length === 0 ? [] : [`Unused columns: ${rest.join(', ')}${more}.`]),
  ];
}

function questionLines(questions: readonly Question[]): readonly string[] {
  return questions.map(({ field, why, options }) => {
    const ways = options.map(({ mapping, confidence }) => `${renderField(mapping)} (${percent(confidence)})`);
    return `  ${field}: ${ways.join(' or ')}? ${why}`;
  });
}

export function percent(confidence: number): string {
  return `${Math.round(confidence * 100)}%`;
}

/** What is used, in sentences: by names, by discovery, what is left open, what is not used. */
export function describeMapping({ byName, used, questions, unused }: Discovered): readonly string[] {
  const names = byName.map(({ field, column }) => (field === column ? field : `${field} from "${column}"`));
  const rest = unused.map(({ column }) => `"${column}"`);
  const shown = rest.slice(0, UNUSED_SHOWN).join(', ');
  const more = rest.length > UNUSED_SHOWN ? ` and ${rest.length - UNUSED_SHOWN} more` : '';
  return [
    `Columns matched by name: ${names.length === 0 ? 'none' : names.join(', ')}.${rest.length === 0 ? '' : ` Unused: ${shown}${more}.`}`,
    ...used.map(
      ({ field, mapping, confidence, reason }) =>
        `Columns detected: ${field} from ${renderField(mapping)} (${percent(confidence)}: ${reason}).`,
    ),
    ...questions.map((question) => `Skipped ${question.field}: ${question.why}. ${howToUse(question)}`),
  ];
}

/** Tells the user how to map an uncertain field. No option can give a date format, so dates need a mapping file. */
function howToUse({ field, options }: Question): string {
  const [best] = options;
  if (best !== undefined && 'value' in best.mapping) {
    return `To use it: \`--set ${shellQuote(`${field}=${best.mapping.value}`, 'posix')}\`.`;
  }
  const isDate = options.some(({ mapping }) => 'as' in mapping && mapping.as === 'date');
  if (isDate || field === 'detected_at' || best === undefined || !('column' in best.mapping)) {
    return 'To use it, save a mapping with `map` and edit it.';
  }
  return `To use it: \`-c ${shellQuote(`${field}=${best.mapping.column}`, 'posix')}\`.`;
}
