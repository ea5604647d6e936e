/** The record type of an input is not known: the error, with the evidence for each type and the commands that continue. */
import { plural } from '../lib/units.ts';
import { formatList, type UndecidedType } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import { againCommand, type RepeatedRequest, repeatedOptions } from './continue-mapping.ts';

/** Columns named for each type. */
const COLUMNS_SHOWN = 6;

/** Sheets named in the hint. */
const SHEETS_SHOWN = 10;

/** On a terminal, the caller can ask for the type instead, and plan again with it. */
export class UndecidedTypeError extends ProblemError {
  readonly undecided: UndecidedType;
  /** Whether the inputs can be opened again after the user has answered. */
  readonly reopenable: boolean;

  constructor(undecided: UndecidedType, where: string, about: UndecidedContext) {
    super({ code: 'mapping.type', message: messageOf(undecided), where, hint: hintOf(undecided, about) });
    this.name = 'UndecidedTypeError';
    this.undecided = undecided;
    this.reopenable = about.reopenable;
  }
}

export interface UndecidedContext {
  readonly request: RepeatedRequest;
  readonly reopenable: boolean;
  /** Sheets of the same workbook that were not read. */
  readonly otherSheets: readonly string[];
}

/** For a message or a question: what was found, with the columns that fit each type. */
function messageOf({ neither, fits }: UndecidedType): string {
  const found = fits.map(({ type, evidence }) => {
    const columns = evidence.map(({ column }) => column);
    if (columns.length === 0) return `No column fits ${type}`;
    return `${plural(columns.length, 'column fits', 'columns fit')} ${type}: ${formatList(columns, '"', COLUMNS_SHOWN)}`;
  });
  const verdict =
    neither === undefined ? 'Cannot tell whether this is signals or social' : `This fits neither type: ${neither}`;
  return [verdict, ...found].map((sentence) => `${sentence}.`).join(' ');
}

function hintOf({ fits }: UndecidedType, { request, otherSheets }: UndecidedContext): string {
  const commands = fits.map(
    ({ type }) => `\`${againCommand(request, request.files, ...repeatedOptions({ ...request, type }))}\``,
  );
  const sheets =
    otherSheets.length === 0
      ? ''
      : ` If another sheet has the data, name it with --sheet: ${formatList(otherSheets, '"', SHEETS_SHOWN)}.`;
  return `If you know the type, pass it: ${commands.join(' or ')}.${sheets}`;
}
