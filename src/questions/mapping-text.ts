/** A detected mapping in words: what is used, uncertain and unused; also as the comments of its file. */
import { contracts } from '../contract/index.ts';
import { shellQuote } from '../lib/shell.ts';
import { formatList } from '../lib/text.ts';
import {
  type ChosenVariant,
  type DetectedType,
  type Discovered,
  type FieldMapping,
  notMapped,
  type Proposal,
  type Question,
  renderField,
  renderMapping,
} from '../map/index.ts';
import type { PackedTable } from '../model/input-format.ts';
import type { Problem } from '../model/problem.ts';
import { nameList } from '../report/text-layout.ts';
import type { LeftOutField } from './accept-mapping.ts';
import { fieldOption } from './field-question.ts';
import { type Answers, type MappingProposal, openQuestions } from './mapping-proposal.ts';

/** Unused columns, and sheets that are not read, named in one line. */
const UNUSED_SHOWN = 12;
const SHEETS_SHOWN = 5;

export function percent(confidence: number): string {
  return `${Math.round(confidence * 100)}%`;
}

/** What {@link describeMapping} says of an input. */
interface DescribedInput {
  readonly source: { readonly name: string; readonly table?: PackedTable | undefined };
  readonly detected: { readonly description: readonly string[]; readonly columns: readonly string[] };
}

export interface MappingSentences {
  /** One line about all inputs; further lines for what was guessed or is not sent. */
  readonly brief: readonly string[];
  /** About type, variant and columns. */
  readonly description: readonly string[];
}

export function describeMapping(
  inputs: readonly DescribedInput[],
  { type, why }: DetectedType,
  chosen: ChosenVariant,
  discovered: Discovered | undefined,
): MappingSentences {
  const [first, ...others] = inputs;
  const { variant } = chosen;
  const names = nameList(inputs.map(({ source }) => source.name));
  const parts = (first?.detected.description ?? []).filter((part) => !USUAL.test(part));
  // Of several inputs, what they have in common.
  const form = parts.filter((part) => others.every(({ detected }) => detected.description.includes(part)));
  const sheets = form.length < parts.length ? describeUnreadSheets(inputs) : [];
  const kind = `${contracts[type].title}${variant ? ` (${variant})` : ''}`;
  const columns = discovered === undefined ? [] : [briefColumns(discovered, first?.detected.columns.length ?? 0)];
  const leftOut = describeLeftOut(chosen);
  const guessed = discovered === undefined ? [] : [...describeUsed(discovered), ...describeEmpty(discovered.empty)];
  return {
    brief: [`${names}  ${[...form, kind, ...columns].join(', ')}`, ...sheets, ...leftOut, ...guessed],
    description: [
      `Type: ${type}, ${why}.`,
      ...(variant === undefined ? [] : [`Variant: ${variant}, ${chosen.why}.`]),
      ...leftOut,
      ...(discovered === undefined ? [] : [matchedByName(discovered)]),
      ...guessed,
    ],
  };
}

/** Of inputs that read different sheets. */
function describeUnreadSheets(inputs: readonly DescribedInput[]): readonly string[] {
  const sheets = inputs.flatMap(({ source: { table } }) =>
    table?.format === 'xlsx' ? table.otherSheets.map(({ name }) => name) : [],
  );
  return sheets.length === 0
    ? []
    : [`Sheets that are not read: ${formatList([...new Set(sheets)], '"', SHEETS_SHOWN)}.`];
}

/** What is not worth a line. */
const USUAL = /^(?:comma|UTF-8|\d+ columns?)$/;

function briefColumns({ byName, used, unused }: Discovered, all: number): string {
  if (byName.length === all) return all === 1 ? 'its column matches by name' : `all ${all} columns match by name`;
  return [
    `${byName.length} of ${all} columns match by name`,
    ...(used.length === 0 ? [] : [`${used.length} by their values`]),
    ...(unused.length === 0 ? [] : [`unused: ${columnList(unused)}`]),
  ].join(', ');
}

/** Mapped fields that are not sent, and the variant that has them. */
export function describeLeftOut({ variant, leftOut, alternative }: ChosenVariant): readonly string[] {
  if (variant === undefined || alternative === undefined) return [];
  const [subject, it] =
    leftOut.length === 1
      ? ['1 mapped field is not sent', 'it']
      : [`${leftOut.length} mapped fields are not sent`, 'them'];
  const { lacks } = alternative;
  const condition =
    lacks.length === 0
      ? ` To send ${it}, pass \`--variant ${alternative.variant}\`.`
      : ` It requires ${notMapped(lacks)}.`;
  return [
    `${subject}, because variant ${variant} does not have ${it}: ${formatList(leftOut, '')}. Variant ${alternative.variant} has ${it}.${condition}`,
  ];
}

function matchedByName({ byName, unused }: Discovered): string {
  const names = byName.map(({ field, column }) => (field === column ? field : `${field} from "${column}"`));
  const notUsed = unused.length === 0 ? '' : ` Unused: ${columnList(unused)}.`;
  return `Columns matched by name: ${names.length === 0 ? 'none' : names.join(', ')}.${notUsed}`;
}

function describeUsed({ used }: Discovered): readonly string[] {
  return [
    ...(used.length === 0 ? [] : ['Columns detected:']),
    ...used.map(
      ({ field, mapping, columns: [column], confidence, reason }) =>
        `  ${field} from ${isAsText(mapping, column) ? `${column}, as text` : renderField(mapping)} (${percent(confidence)}: ${reason}).`,
    ),
  ];
}

/** Whether a text is made of one column, whose cells would else be numbers and texts. */
function isAsText(mapping: FieldMapping, column = ''): boolean {
  return 'template' in mapping && mapping.template === `{${column}}`;
}

/** The questions, if no user is asked. */
export function leftOutWarnings({ questions }: Discovered): readonly Problem[] {
  return questions.map((question) => ({
    code: 'mapping.left_out',
    message: `${question.field} is left out. ${question.why}.`,
    hint: howToUse(question),
  }));
}

/** The words that count as empty in discovered columns. */
export function describeEmpty(empty: readonly string[]): readonly string[] {
  return empty.length === 0 ? [] : [`Cells that count as empty: ${formatList(empty)}.`];
}

/** How to map an uncertain field with an option. */
export function howToUse({ field, options: [first] }: Question): string {
  if (first === undefined) return `To use it: \`-c ${field}=COLUMN\`.`;
  const [option, value] = fieldOption(field, first.mapping);
  return `To use it: \`${option} ${shellQuote(value, 'posix')}\`.`;
}

/** Indented lines for the message about missing fields: the mapped fields, then the unused columns. */
export function mappedLines({ document, used, unused }: Discovered): readonly string[] {
  const confidences = new Map(used.map(({ field, confidence }) => [field, `  # ${percent(confidence)}`]));
  const fields = Object.entries(document.fields).map(
    ([field, mapping]) => `  ${field}: ${renderField(mapping)}${confidences.get(field) ?? ''}`,
  );
  return [
    ...(fields.length === 0 ? ['  nothing'] : fields),
    ...(unused.length === 0 ? [] : [`Unused columns: ${columnList(unused)}.`]),
  ];
}

function columnList(unused: Discovered['unused']): string {
  const names = unused.map(({ column }) => column);
  return formatList(names, '"', UNUSED_SHOWN);
}

/** @param leftOut the optional fields that `--accept` does not map */
export function savedMapping(
  proposal: MappingProposal,
  answers: Answers,
  leftOut: readonly LeftOutField[] = [],
): string {
  const { document, discovered } = proposal;
  const reasons = certainOf(discovered).map(
    ({ field, confidence, reason }) =>
      [field, confidence === 1 ? reason : `${percent(confidence)}: ${reason}`] as const,
  );
  const chosen = [...answers.keys()].map((field) => [field, 'chosen'] as const);
  return renderMapping(document, {
    fields: new Map([...reasons, ...chosen]),
    end: [
      ...openQuestions(proposal, answers).flatMap(({ field, why, options }) => [
        `Uncertain: ${field}, ${why}.`,
        ...optionLines(field, options),
      ]),
      ...leftOut.flatMap(({ question: { field, options }, why }) => [
        `Left out: ${field}, because ${why}.`,
        ...optionLines(field, options),
      ]),
      ...unusedLines(discovered, leftOut).map((line) => `Unused: ${line}.`),
    ],
  });
}

function optionLines(field: string, options: Question['options']): readonly string[] {
  return options.map(({ mapping, confidence }) => `${field}: ${renderField(mapping)}   # ${percent(confidence)}`);
}

/** The fields that need no question. */
export function certainOf({ byName, used }: Discovered): readonly Proposal[] {
  return [
    ...byName.map(({ field, column }) => {
      const mapping: FieldMapping = { column };
      return { field, mapping, columns: [column], confidence: 1, reason: 'name matches' };
    }),
    ...used,
  ];
}

/**
 * One line per reason.
 *
 * @param named the left-out fields that other lines name with their columns
 */
export function unusedLines(
  discovered: Pick<Discovered, 'unused'>,
  named: readonly LeftOutField[] = [],
): readonly string[] {
  const told = new Set(named.flatMap(({ question }) => question.options.flatMap(({ columns }) => columns)));
  const unused = discovered.unused.filter(({ column }) => !told.has(column));
  const reasons = [...new Set(unused.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = unused.filter((each) => each.why === why).map(({ column }) => column);
    return `${formatList(names)} (${why})`;
  });
}
