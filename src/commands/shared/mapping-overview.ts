/** The mapping and what it makes of the first rows, for a user who decides whether to use it. */
import { cutToWidth, printable } from '../../lib/printable.ts';
import { count, plural } from '../../lib/units.ts';
import { describeField, formatList, tryField } from '../../map/index.ts';
import { describeLeftOut } from '../../plan/describe-mapping.ts';
import { readable } from '../../plan/field-examples.ts';
import type { MappingProposal } from '../../plan/mapping-proposal.ts';
import type { MappingTrial } from '../../plan/try-mapping.ts';
import { hangingTable, jsonLines } from '../../report/text-layout.ts';

const REASONS_SHOWN = 3;
/** Columns of the screen for the name of a field and the other one of its column and its example. */
const OTHER_COLUMNS = 52;
const MIN_LIMIT = 28;

/** What the questions are about, before the first one. */
export function introLines({ name, contract, type }: MappingProposal, open: number): readonly string[] {
  if (open === 0) return [];
  const what = contract.type === 'signals' ? 'market signals' : 'social engagement';
  return [
    printable(`${name}: a list of ${what}, ${type.why}.`),
    `${plural(open, 'question is', 'questions are')} open. Nothing is sent or saved before the end; Escape stops.`,
  ];
}

/** @param width of the screen, in columns */
export function overviewLines(proposal: MappingProposal, trial: MappingTrial, width: number): readonly string[] {
  const { discovered, variant } = proposal;
  const unused = discovered.unused.map(({ column }) => column);
  return [
    '',
    ...hangingTable([['FIELD', 'FROM', 'EXAMPLE'], ...fieldRows(proposal, width)], width),
    ...(unused.length === 0 ? [] : ['', printable(`Not used: ${formatList(unused)}.`)]),
    ...describeLeftOut(variant),
    ...recordLines(trial),
    '',
    trialSentence(trial),
  ];
}

function fieldRows({ document, contract, sample }: MappingProposal, width: number): readonly (readonly string[])[] {
  const limit = Math.max(MIN_LIMIT, width - OTHER_COLUMNS);
  return Object.entries(document.fields).map(([name, mapping]) => {
    const field = contract.field(name);
    const sent = field === undefined ? undefined : tryField(mapping, field, sample).values[0]?.sent;
    return [
      name,
      printable(describeField(mapping), limit),
      sent === undefined ? '(empty)' : cutToWidth(readable(sent), limit),
    ];
  });
}

function recordLines({ records }: MappingTrial): readonly string[] {
  if (records.length === 0) return [];
  const heading = records.length === 1 ? 'One record, as it would be sent:' : 'Two records, as they would be sent:';
  return ['', heading, ...records.flatMap((record) => jsonLines(JSON.parse(record)))];
}

/** `198 of the first 200 rows are valid; 2 are not: company_name (from Company) is missing (2 rows).` */
export function trialSentence({ rows, valid, reasons }: MappingTrial): string {
  if (rows === 0) return 'The file has no rows.';
  if (valid === rows)
    return rows === 1 ? 'The only sampled row is valid.' : `All of the first ${count(rows)} rows are valid.`;
  const shown = reasons.slice(0, REASONS_SHOWN).map((each) => `${each.reason} (${plural(each.rows, 'row')})`);
  const are = (number: number): string => (number === 1 ? 'is' : 'are');
  return `${count(valid)} of the first ${count(rows)} rows ${are(valid)} valid; ${count(rows - valid)} ${are(rows - valid)} not: ${shown.join('; ')}.`;
}
