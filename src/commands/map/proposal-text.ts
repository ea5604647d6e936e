/** A proposed mapping as text, and how to continue without questions. */
import { printable } from '../../lib/printable.ts';
import { describeField, type Proposal } from '../../map/index.ts';
import { describeEmpty, percent } from '../../plan/describe-mapping.ts';
import { certainOf, unusedLines } from '../../plan/mapping-comments.ts';
import type { ProposedMapping } from '../../plan/propose-mapping.ts';
import { hangingTable } from '../../report/text-layout.ts';
import { describeGuess } from '../shared/ask-mapping.ts';

const HEADER = ['FIELD', 'FROM', 'SURE', 'WHY'];
/** Columns of the screen for everything but the column that a field comes from. */
const OTHER_COLUMNS = 54;
const MIN_FROM = 16;

/** What was read, in sentences. */
export function inputLines({ name, description, guessed }: ProposedMapping): readonly string[] {
  return [
    ...description.map((line) => printable(`${name}: ${line}`)),
    ...guessed.map(
      ({ guess }) =>
        `${printable(name)}: the encoding is a guess. ${describeGuess(guess)} If that is right, pass --encoding ${guess.encoding}.`,
    ),
  ];
}

/**
 * The fields that need no question, and the columns that nothing uses.
 *
 * @param width of the screen, in columns
 */
export function proposalLines({ discovered, given }: ProposedMapping, width: number): readonly string[] {
  const row = ({ field, mapping, reason }: Proposal, sure: string): readonly string[] => [
    ...[field, printable(describeField(mapping), Math.max(MIN_FROM, width - OTHER_COLUMNS))],
    ...[sure, printable(reason)],
  ];
  const requested = Object.entries(given.fields).map(([field, mapping]) =>
    row({ field, mapping, columns: [], confidence: 1, reason: 'as requested' }, ''),
  );
  const rows = [...requested, ...certainOf(discovered).map((each) => row(each, percent(each.confidence)))];
  const unused = unusedLines(discovered);
  return [
    '',
    ...(rows.length === 0 ? ['No column is recognised.'] : hangingTable([HEADER, ...rows], width)),
    ...describeEmpty(discovered.empty).flatMap((line) => ['', printable(line)]),
    ...(unused.length === 0 ? [] : ['', 'Unused:', ...unused.map((line) => `  ${printable(line)}`)]),
    '',
  ];
}
