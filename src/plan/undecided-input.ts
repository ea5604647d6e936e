/** What only the user can decide: required fields without a column, and the record type. Errors with the commands that continue. */
import { formatList } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import type { UndecidedType } from '../map/index.ts';
import type { SheetTable } from '../model/input-format.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import {
  continueLines,
  questionLines,
  type RepeatedRequest,
  repeatedCommand,
  repeatedOptions,
} from '../questions/continue-commands.ts';
import { type MappingProposal, missingFields, openQuestions } from '../questions/mapping-proposal.ts';
import { mappedLines } from '../questions/mapping-text.ts';
import type { PlanRequest } from './plan-types.ts';

const COLUMNS_SHOWN = 6;

/** On a terminal, the caller can ask what is open, and plan again with the answer. */
export class OpenPointError extends ProblemError {
  /** A mapping that lacks required fields, or inputs whose type is not certain. */
  readonly open: MappingProposal | UndecidedInput;
  /** Whether the inputs can be opened again after the user has answered. */
  readonly reopenable: boolean;
  /** How an option about reading changes the columns, if it does. */
  reading: string | undefined;

  constructor(problem: Problem, open: MappingProposal | UndecidedInput, reopenable: boolean) {
    super(problem);
    this.open = open;
    this.reopenable = reopenable;
  }
}

export interface UndecidedInput extends UndecidedType {
  readonly message: string;
  /** What was read of the only input, if that is a workbook. */
  readonly table: SheetTable | undefined;
}

/**
 * @throws OpenPointError if a required field is missing, or only the user knows how the values of a likely column are
 *   read. A user who has answered may have left such a column out
 */
export function refuseIncomplete(
  proposal: MappingProposal,
  request: RepeatedRequest & Pick<PlanRequest, 'mapping'>,
  reopenable: boolean,
): void {
  const { contract, document, variant: chosen } = proposal;
  const { variant } = chosen;
  const missing = missingFields(document, contract, variant);
  const questions = openQuestions(proposal, new Map());
  const open = questions.filter(
    ({ field, isReading }) => missing.includes(field) || (isReading === true && request.mapping === undefined),
  );
  if (open.length === 0) return;
  const fields = open.map(({ field }) => field);
  const optional = questions.flatMap((question) => (open.includes(question) ? [] : [question.field]));
  const openLines = [
    'Open:',
    ...questionLines(proposal, open),
    ...(optional.length === 0 ? [] : [`  Optional, and uncertain: ${formatList(optional, '')}.`]),
  ];
  const type = variant === undefined ? contract.type : `${contract.type} (variant ${variant})`;
  throw new OpenPointError(
    {
      code: missing.length === 0 ? 'mapping.reading' : 'mapping.required',
      message:
        missing.length === 0
          ? `${formatList(fields, '')} ${fields.length === 1 ? 'needs' : 'need'} your answer. ${open.map(({ why }) => `${why}.`).join(' ')}`
          : `${type} requires ${formatList(missing)}, but no column clearly contains ${missing.length === 1 ? 'it' : 'them'}.`,
      where: request.files[0] === '-' ? 'stdin' : request.files[0],
      hint: [
        'Mapped so far:',
        ...mappedLines(proposal, questions),
        ...openLines,
        ...continueLines(proposal, request, reopenable),
      ].join('\n'),
    },
    proposal,
    reopenable,
  );
}

export function undecidedType(
  undecided: UndecidedType,
  where: string,
  { request, table, reopenable }: UndecidedContext,
): OpenPointError {
  const message = messageOf(undecided);
  const hint = hintOf(undecided, request, table);
  return new OpenPointError(
    { code: 'mapping.type', message, where, hint },
    { ...undecided, message, table },
    reopenable,
  );
}

interface UndecidedContext {
  readonly request: RepeatedRequest;
  readonly table: SheetTable | undefined;
  readonly reopenable: boolean;
}

/** For a message or a question: what was found, with the columns that fit each type. */
function messageOf({ isNeither, fits }: UndecidedType): string {
  const found = fits.map(({ type, evidence }) => {
    const columns = evidence.map(({ column }) => column);
    if (columns.length === 0) return `No column fits ${type}`;
    return `${plural(columns.length, 'column fits', 'columns fit')} ${type}: ${formatList(columns, '"', COLUMNS_SHOWN)}`;
  });
  const verdict = isNeither
    ? 'This seems to be neither signals nor social'
    : 'Cannot tell whether this is signals, social or neither';
  const isBare = fits.every(({ evidence }) => evidence.length === 0);
  return [verdict, ...(isBare ? ['No column fits either'] : found)].map((sentence) => `${sentence}.`).join(' ');
}

const SHEETS_SHOWN = 3;

function hintOf({ fits }: UndecidedType, request: RepeatedRequest, table: SheetTable | undefined): string {
  const commandFor = (...words: readonly string[]): string =>
    `\`${repeatedCommand(request, request.files, ...words, ...repeatedOptions({ ...request, type: undefined }))}\``;
  const types = fits.map(({ type }) => commandFor('--type', type));
  const shown = request.decode.sheet === undefined ? (table?.otherSheets ?? []) : [];
  const sheets = shown
    .flatMap(({ name, hidden }) => (hidden ? [] : [commandFor('--sheet', name)]))
    .slice(0, SHEETS_SHOWN);
  return [
    ...(sheets.length === 0 ? [] : [`To read another sheet: ${sheets.join(' or ')}.`]),
    `If you know the type, pass it: ${types.join(' or ')}.`,
    ...(request.isPart === true ? ['To leave such files out, add `--skip-bad-files`.'] : []),
  ].join('\n');
}
