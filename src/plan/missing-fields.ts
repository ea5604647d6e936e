/** Required fields that no column is mapped to: the error, with a proposal and the commands that use it. */
import type { Contract } from '../contract/index.ts';
import { type Discovered, formatList, type MappingDocument, type Question } from '../map/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import { mappedLines, questionLines } from './describe-mapping.ts';
import type { PlanRequest } from './plan-types.ts';

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

interface Incomplete {
  readonly contract: Contract;
  readonly open: readonly string[];
  readonly questions: readonly Question[];
  readonly columns: readonly string[];
  /** Whether the inputs can be opened again after the user has answered. */
  readonly reopenable: boolean;
}

/** A mapping that lacks required fields. On a terminal, the caller can ask the questions instead. */
export class IncompleteMappingError extends ProblemError {
  readonly incomplete: Incomplete;

  constructor(problem: Problem, incomplete: Incomplete) {
    super(problem);
    this.name = 'IncompleteMappingError';
    this.incomplete = incomplete;
  }
}

type RepeatedRequest = Pick<
  PlanRequest,
  'type' | 'variant' | 'columns' | 'constants' | 'empty' | 'omitInvalid' | 'transformFile' | 'decode'
>;

/** The options that a suggested command repeats, so that it reads and maps the inputs in the same way. */
export function repeatedOptions(request: RepeatedRequest): readonly string[] {
  const { type, variant, columns, constants, empty = [], omitInvalid = [], transformFile, decode } = request;
  const option = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [name, String(value)];
  return [
    ...option('--type', type),
    ...option('--variant', variant === 'auto' ? undefined : variant),
    ...option('--format', decode.format),
    ...option('--delimiter', decode.delimiter),
    ...option('--quote', decode.quote),
    ...(decode.header === false ? ['--no-header'] : []),
    ...option('--encoding', decode.encoding),
    ...option('--sheet', decode.sheet),
    ...option('--header-line', decode.headerLine),
    ...option('--transform', transformFile),
    ...columns.flatMap((column) => ['-c', column]),
    ...constants.flatMap((constant) => ['--set', constant]),
    ...empty.flatMap((word) => ['--empty', word]),
    ...omitInvalid.flatMap((field) => ['--omit-invalid', field]),
  ];
}

/** @throws IncompleteMappingError if a required field is missing */
export function refuseIncomplete(
  discovered: Discovered,
  contract: Contract,
  variant: Variant | undefined,
  about: Pick<Incomplete, 'columns' | 'reopenable'> & { readonly request: PlanRequest },
): void {
  const open = missingFields(discovered.document, contract, variant);
  if (open.length === 0) return;
  const { request, columns, reopenable } = about;
  const { questions } = discovered;
  const [file] = request.files;
  const type = variant === undefined ? contract.type : `${contract.type} (variant ${variant})`;
  const unknown = open.filter((field) => !questions.some((question) => question.field === field));
  throw new IncompleteMappingError(
    {
      code: 'mapping.required',
      message: `${type} requires ${formatList(open)}, but no column clearly contains ${open.length === 1 ? 'it' : 'them'}.`,
      where: file,
      hint: [
        'Mapped so far:',
        ...mappedLines(discovered),
        'Uncertain:',
        ...questionLines(questions),
        ...unknown.map((field) => `  ${field}: no candidate`),
        nextCommands(request, unknown),
      ].join('\n'),
    },
    { contract, open, questions, columns, reopenable },
  );
}

/** @param unknown missing fields without a proposal */
function nextCommands(request: PlanRequest, unknown: readonly string[]): string {
  const [file] = request.files;
  const name = file === undefined || file === '-' ? 'FILE' : file;
  const mapFile = `${name}.mapping.yaml`;
  const options = [...repeatedOptions(request), ...unknown.flatMap((field) => ['-c', `${field}=COLUMN`])];
  const map = request.suggest('map', name, ...options, '--accept', '-o', mapFile);
  const upload = request.suggest('upload', name, '-m', mapFile);
  return unknown.length === 0
    ? `To accept the first proposal for each: \`${map}\`. Review that file, then: \`${upload}\`.`
    : `Map a column with \`--column FIELD=COLUMN\`, or set the same value for every row with \`--set FIELD=VALUE\`: \`${map}\`. Then: \`${upload}\`.`;
}
