/** Required fields that no column is mapped to: the error, with a proposal and the commands that use it. */
import type { Field } from '../contract/index.ts';
import { shellQuote } from '../lib/shell.ts';
import { describeField, type FieldMapping, formatList } from '../map/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { mappedLines } from './describe-mapping.ts';
import { fieldOption } from './field-options.ts';
import type { MappingProposal } from './mapping-proposal.ts';
import type { PlanRequest } from './plan-types.ts';
import { missingFields } from './required-fields.ts';

/** A mapping that lacks required fields. On a terminal, the caller can ask the questions instead. */
export class IncompleteMappingError extends ProblemError {
  readonly proposal: MappingProposal;
  /** Whether the inputs can be opened again after the user has answered. */
  readonly reopenable: boolean;

  constructor(problem: Problem, proposal: MappingProposal, reopenable: boolean) {
    super(problem);
    this.name = 'IncompleteMappingError';
    this.proposal = proposal;
    this.reopenable = reopenable;
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
export function refuseIncomplete(proposal: MappingProposal, request: PlanRequest, reopenable: boolean): void {
  const { contract, document, discovered, variant: chosen } = proposal;
  const { variant } = chosen;
  const open = missingFields(document, contract, variant);
  if (open.length === 0) return;
  const type = variant === undefined ? contract.type : `${contract.type} (variant ${variant})`;
  throw new IncompleteMappingError(
    {
      code: 'mapping.required',
      message: `${type} requires ${formatList(open)}, but no column clearly contains ${open.length === 1 ? 'it' : 'them'}.`,
      where: request.files[0],
      hint: ['Mapped so far:', ...mappedLines(discovered), ...continueLines(proposal, request)].join('\n'),
    },
    proposal,
    reopenable,
  );
}

/** What is open in required fields, and the commands that complete the mapping without questions and without an editor. */
export function continueLines(proposal: MappingProposal, request: PlanRequest): readonly string[] {
  const { contract, document, discovered, variant } = proposal;
  const open = missingFields(document, contract, variant.variant).map((name) => ({
    name,
    field: contract.field(name),
    first: discovered.questions.find(({ field }) => field === name)?.options[0]?.mapping,
  }));
  if (open.length === 0) return [];
  const [file = '-'] = request.files;
  const input = file === '-' ? 'FILE' : file;
  const mapFile = `${input}.mapping.yaml`;
  const unknown = open.filter(({ first }) => first === undefined);
  // A column cannot be guessed; the first known value can be replaced.
  const answers = unknown.flatMap(({ name, field }) => {
    const [value] = field?.kind.values ?? [];
    return value === undefined ? ['-c', `${name}=COLUMN`] : ['--set', `${name}=${value}`];
  });
  return [
    'Open:',
    ...open.map(
      ({ name, field, first }) => `  ${name}: ${first === undefined ? choicesOf(field) : `${describeField(first)}?`}`,
    ),
    unknown.length === 0 ? 'To accept this:' : 'To continue, with your answers:',
    `  ${request.suggest('map', input, ...repeatedOptions(request), ...answers, '--accept', '-o', mapFile)}`,
    `  ${request.suggest('upload', input, '-m', mapFile)}`,
    ...(unknown.length === open.length ? [] : ['To answer otherwise, add options to the first command:']),
    ...open.flatMap(({ field, first }) =>
      first === undefined || field === undefined ? [] : [`  ${optionLine(field, first)}`],
    ),
  ];
}

function choicesOf(field: Field | undefined): string {
  const values = field?.kind.values ?? [];
  return values.length === 0
    ? 'which column?'
    : `${values.join(', ')}${field?.kind.name === 'open' ? ' or another value' : ''}?`;
}

/** `--set signal_source=funding (or job_posting, …)`: the proposal as an option, to be changed. */
function optionLine(field: Field, mapping: FieldMapping): string {
  const [option, value] = fieldOption(field.name, mapping);
  const others = (field.kind.values ?? []).filter((each) => value !== `${field.name}=${each}`);
  return `${option} ${shellQuote(value, 'posix')}${others.length === 0 ? '' : ` (or ${others.join(', ')})`}`;
}
