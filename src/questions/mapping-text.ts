/** A detected mapping in words and as a table: what is used, uncertain and unused; also as the comments of its file. */
import { contracts } from '../contract/index.ts';
import { cutToWidth, displayWidth, printable } from '../lib/printable.ts';
import { shellQuote } from '../lib/shell.ts';
import { formatList } from '../lib/text.ts';
import {
  briefSource,
  type ChosenVariant,
  columnsOf,
  type DetectedType,
  type Discovered,
  describeReading,
  type FieldMapping,
  notMapped,
  type Proposal,
  type Question,
  renderField,
  renderMapping,
  tryField,
} from '../map/index.ts';
import type { PackedTable } from '../model/input-format.ts';
import type { Problem } from '../model/problem.ts';
import { nameList, table } from '../report/text-layout.ts';
import { readable } from './field-examples.ts';
import { fieldOption, fieldQuestion } from './field-question.ts';
import { type Answers, type LeftOutField, type MappingProposal, openQuestions } from './mapping-proposal.ts';

/** Unused columns, and sheets that are not read, named in one line. */
const UNUSED_SHOWN = 12;
const SHEETS_SHOWN = 5;

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
  proposal: MappingProposal | undefined,
): MappingSentences {
  const [first, ...others] = inputs;
  const { variant } = chosen;
  const discovered = proposal?.discovered;
  const names = nameList(inputs.map(({ source }) => source.name));
  const parts = unusualParts(first?.detected.description ?? []);
  // Of several inputs, what they have in common.
  const form = parts.filter((part) => others.every(({ detected }) => detected.description.includes(part)));
  const sheets = form.length < parts.length ? describeUnreadSheets(inputs) : [];
  const kind = `${contracts[type].title}${variant ? ` (${variant})` : ''}`;
  const columns = discovered === undefined ? [] : [briefColumns(discovered, first?.detected.columns.length ?? 0)];
  const leftOut = describeLeftOut(chosen);
  const guessed = proposal === undefined ? [] : describeGuessed(proposal);
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

/** Of how an input is read. */
export function unusualParts(form: readonly string[]): readonly string[] {
  return form.filter((part) => !USUAL.test(part));
}

function briefColumns({ byName, used, unused }: Discovered, all: number): string {
  const named = [...byName.map(({ column }) => column), ...columnsBy(used, true)];
  const detected = columnsBy(used, false).filter((column) => !named.includes(column)).length;
  if (named.length === all) return all === 1 ? 'its column matches by name' : `all ${all} columns match by name`;
  return [
    `${named.length} of ${all} columns match by name`,
    ...(detected === 0 ? [] : [`${detected} by header and values`]),
    ...(unused.length === 0 ? [] : [`unused: ${columnList(unused)}`]),
  ].join(', ');
}

/** @param isNamed whether they have the name of their field */
function columnsBy(used: readonly Proposal[], isNamed: boolean): readonly string[] {
  return [
    ...new Set(used.filter(({ confidence }) => (confidence === 1) === isNamed).flatMap(({ columns }) => columns)),
  ];
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

/** What is not used by its name alone. */
function describeGuessed(proposal: MappingProposal): readonly string[] {
  const { used, empty } = proposal.discovered;
  return [
    ...mappingTable(
      proposal,
      used.map(({ field }) => field),
    ),
    ...describeEmpty(empty),
  ];
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
function describeEmpty(empty: readonly string[]): readonly string[] {
  return empty.length === 0 ? [] : [`Cells that count as empty: ${formatList(empty)}.`];
}

/** How to map an uncertain field with an option: one for each way to read its column. */
export function howToUse({ field, options }: Question): string {
  const ways = options.filter(({ columns }) => columns.join() === options[0]?.columns.join());
  const words = ways.map(({ mapping }) => {
    const [option, value] = fieldOption(field, mapping);
    return `\`${option} ${shellQuote(value, 'posix')}\``;
  });
  return `To use it: ${words.join(' or ') || `\`-c ${field}=COLUMN\``}.`;
}

/**
 * The whole mapping, and what it does not use.
 *
 * @param questions that other lines print, with their columns
 */
export function mappedLines(
  proposal: MappingProposal,
  questions: readonly Question[],
  options?: MappingTableOptions,
): readonly string[] {
  const { document, discovered } = proposal;
  const lines = mappingTable(proposal, Object.keys(document.fields), options);
  return [
    ...(lines.length === 0 ? ['No column is recognised.'] : lines),
    ...describeEmpty(discovered.empty),
    ...unusedLines(proposal, questions),
  ];
}

function columnList(unused: Discovered['unused']): string {
  const names = unused.map(({ column }) => column);
  return formatList(names, '"', UNUSED_SHOWN);
}

/** @param leftOut the optional fields that `--accept` does not map; undefined if a user has answered */
export function savedMapping(proposal: MappingProposal, answers: Answers, leftOut?: readonly LeftOutField[]): string {
  const { document, discovered } = proposal;
  const open = openQuestions(proposal, answers);
  const reasons = certainOf(discovered).map(
    ({ field, confidence, reason }) =>
      [field, confidence === 1 ? reason : `${percent(confidence)}: ${reason}`] as const,
  );
  const word = leftOut === undefined ? 'chosen' : 'accepted';
  const chosen = [...answers.keys()].map((field) => [field, word] as const);
  return renderMapping(document, {
    fields: new Map([...reasons, ...chosen]),
    end: [
      ...open.flatMap(({ field, why, options }) => [`Uncertain: ${field}, ${why}.`, ...optionLines(field, options)]),
      ...(leftOut ?? []).flatMap(({ question: { field, options }, why }) => [
        `Left out: ${field}, because ${why}.`,
        ...optionLines(field, options),
      ]),
      ...unusedLines(proposal, [...open, ...(leftOut ?? []).map(({ question }) => question)]),
    ],
  });
}

function optionLines(field: string, options: Question['options']): readonly string[] {
  return options.map(({ mapping, confidence }) => `${field}: ${renderField(mapping)}   # ${percent(confidence)}`);
}

/** One line per reason. Columns that an answer to one of the questions uses are not unused yet. */
function unusedLines(proposal: MappingProposal, questions: readonly Question[]): readonly string[] {
  const { discovered, document } = proposal;
  const mappings = questions.flatMap((question) =>
    fieldQuestion(proposal, question).answers.flatMap(({ value }) => value?.mapping ?? []),
  );
  const used = new Set([...Object.values(document.fields), ...mappings].flatMap(columnsOf));
  const found = discovered.questions.flatMap(({ options }) => options.flatMap(({ columns }) => columns));
  const whyNot = new Map<string, string | undefined>(found.map((column) => [column, 'left out']));
  for (const { column, why } of discovered.unused) whyNot.set(column, why);
  const unused = [...whyNot].flatMap(([column, why]) => (used.has(column) ? [] : [{ column, why }]));
  const reasons = [...new Set(unused.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = unused.filter((each) => each.why === why).map(({ column }) => column);
    return `Unused: ${formatList(names)}${why === undefined ? '' : ` (${why})`}.`;
  });
}

const HEADER = ['FIELD', 'COLUMN', 'SENT AS', 'WHY'] as const;

/** Columns of the screen without a terminal. */
const WIDTH = 80;
/** Those before and between the columns of the table. */
const GAPS = 8;
const MIN_SPACE = 24;

export interface MappingTableOptions {
  /** The answers of `--accept`. */
  readonly accepted?: Answers;
  /** Of the screen, in columns. */
  readonly width?: number;
}

/** @param fields those of the proposal's document that are shown */
function mappingTable(
  proposal: MappingProposal,
  fields: readonly string[],
  { accepted, width = WIDTH }: MappingTableOptions = {},
): readonly string[] {
  const { document, contract, sample, discovered, variant } = proposal;
  const shown = fields.flatMap((name) => {
    const mapping = document.fields[name];
    const field = contract.field(name);
    return mapping === undefined || field === undefined ? [] : [{ name, mapping, field }];
  });
  if (shown.length === 0) return [];
  const reasons = new Map(
    certainOf(discovered).map(({ field, confidence, reason }) => [
      field,
      confidence === 1 ? reason : `${percent(confidence)} ${reason}`,
    ]),
  );
  const rows = shown.map(({ name, mapping, field }) => {
    const sent = tryField(mapping, field, sample).values[0]?.sent;
    return [
      name,
      printable(briefSource(mapping)),
      variant.leftOut.includes(field.name) ? '(not sent)' : sent === undefined ? '(empty)' : readable(sent),
      reasons.get(name) ?? (accepted?.has(name) === true ? 'accepted' : 'chosen'),
    ] as const;
  });
  const widest = (at: number): number => Math.max(...[HEADER, ...rows].map((row) => displayWidth(row[at] ?? '')));
  // The columns of the file and the values share what the others leave.
  const space = Math.max(MIN_SPACE, width - GAPS - widest(0) - widest(3));
  const from = Math.min(widest(1), Math.max(Math.ceil(space / 2), space - widest(2)));
  const [head = '', ...lines] = table(
    [HEADER, ...rows].map(([name, column, value, why]) => [
      name,
      cutToWidth(column, from),
      cutToWidth(value, space - from),
      why,
    ]),
  );
  const readings = shown.map(({ mapping }) => describeReading(mapping));
  return [head, ...lines.flatMap((line, at) => (readings[at] ? [line, `    ${printable(readings[at])}`] : [line]))];
}

function percent(confidence: number): string {
  return `${Math.round(confidence * 100)}%`;
}

/** The fields that need no question. */
export function certainOf({ byName, used }: MappingProposal['discovered']): readonly Proposal[] {
  return [
    ...byName.map(({ field, column }) => {
      const mapping: FieldMapping = { column };
      return { field, mapping, columns: [column], confidence: 1, reason: 'name matches' };
    }),
    ...used,
  ];
}
