/** A detected mapping in words and as a table: what is used, uncertain and unused; also as the comments of its file. */
import { contracts } from '../contract/index.ts';
import { cutToWidth, printable } from '../lib/printable.ts';
import { shellQuote } from '../lib/shell.ts';
import { formatList } from '../lib/text.ts';
import {
  briefSource,
  type ChosenVariant,
  columnsOf,
  type DetectedType,
  type Discovered,
  describeReading,
  isByName,
  notMapped,
  type Question,
  renderField,
  renderMapping,
  tryField,
} from '../map/index.ts';
import type { PackedTable } from '../model/input-format.ts';
import type { Problem } from '../model/problem.ts';
import { nameList, table } from '../report/text-layout.ts';
import { readable } from './field-examples.ts';
import { fieldOption } from './field-question.ts';
import { type Answers, type LeftOutField, type MappingProposal, openQuestions } from './mapping-proposal.ts';

/** Unused columns, and sheets that are not read, named in one line. */
const UNUSED_SHOWN = 12;
const SHEETS_SHOWN = 5;

/** What {@link describeMapping} says of an input. */
interface DescribedInput {
  readonly source: { readonly name: string; readonly table?: PackedTable | undefined };
  readonly detected: { readonly description: readonly string[] };
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
  const names = nameList(inputs.map(({ source }) => source.name));
  const parts = unusualParts(first?.detected.description ?? []);
  // Of several inputs, what they have in common.
  const form = parts.filter((part) => others.every(({ detected }) => detected.description.includes(part)));
  const sheets = form.length < parts.length ? describeUnreadSheets(inputs) : [];
  const kind = `${contracts[type].title}${variant ? ` (${variant})` : ''}`;
  const columns = proposal === undefined ? [] : [briefColumns(proposal.discovered, proposal.sample.columns.length)];
  const leftOut = describeLeftOut(chosen);
  const guessed = proposal === undefined ? [] : describeGuessed(proposal);
  return {
    brief: [`${names}  ${[...form, kind, ...columns].join(', ')}`, ...sheets, ...leftOut, ...guessed],
    description: [
      `Type: ${type}, ${why}.`,
      ...(variant === undefined ? [] : [`Variant: ${variant}, ${chosen.why}.`]),
      ...leftOut,
      ...columns.map((sentence) => `Columns: ${sentence}.`),
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

const USUAL = /^(?:comma|UTF-8|\d+ columns?)$/;

export function unusualParts(form: readonly string[]): readonly string[] {
  return form.filter((part) => !USUAL.test(part));
}

function briefColumns({ used, unused }: Discovered, all: number): string {
  const named = new Set(used.filter(({ confidence }) => confidence === 1).flatMap(({ columns }) => columns));
  const detected = new Set(used.flatMap(({ columns }) => columns)).size - named.size;
  if (named.size === all) return all === 1 ? 'its column matches by name' : `all ${all} columns match by name`;
  return [
    `${named.size} of ${all} columns match by name`,
    ...(detected === 0 ? [] : [`${detected} by header and values`]),
    ...(unused.length === 0 ? [] : [`unused: ${formatList(unused, '"', UNUSED_SHOWN)}`]),
  ].join(', ');
}

/** The variant with its reason, and mapped fields that are not sent. */
export function describeVariant(chosen: ChosenVariant): readonly string[] {
  const { variant, why } = chosen;
  return [...(variant === undefined ? [] : [`Variant ${variant}, ${why}.`]), ...describeLeftOut(chosen)];
}

/** Mapped fields that are not sent, and the variant that has them. */
function describeLeftOut({ variant, leftOut, alternative }: ChosenVariant): readonly string[] {
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

/** What is not used by its name alone. */
function describeGuessed(proposal: MappingProposal): readonly string[] {
  const { used, empty } = proposal.discovered;
  return [
    ...mappingTable(
      proposal,
      used.flatMap((each) => (isByName(each) ? [] : [each.field])),
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

/** The whole mapping, and what it does not use. @param questions that other lines print, with their columns */
export function mappedLines(
  proposal: MappingProposal,
  questions: readonly Question[],
  accepted?: Answers,
): readonly string[] {
  const { document, discovered } = proposal;
  const lines = mappingTable(proposal, Object.keys(document.fields), accepted);
  return [
    ...(lines.length === 0 ? ['No column is recognised.'] : lines),
    ...describeEmpty(discovered.empty),
    ...unusedLines(proposal, questions),
  ];
}

/** @param leftOut the optional fields that `--accept` does not map; undefined if a user has answered */
export function savedMapping(proposal: MappingProposal, answers: Answers, leftOut?: readonly LeftOutField[]): string {
  const { document, discovered } = proposal;
  const open = openQuestions(proposal, answers);
  const word = leftOut === undefined ? 'chosen' : 'accepted';
  const chosen = [...answers.keys()].map((field) => [field, word] as const);
  return renderMapping(document, {
    fields: new Map([...reasonsOf(discovered), ...chosen]),
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

/** Columns that an answer to one of the questions uses are not unused yet. */
function unusedLines({ document, discovered }: MappingProposal, questions: readonly Question[]): readonly string[] {
  const open = new Set([
    ...Object.values(document.fields).flatMap(columnsOf),
    ...questions.flatMap(({ options }) => options.flatMap(({ columns }) => columns)),
  ]);
  const found = discovered.questions.flatMap(({ options }) => options.flatMap(({ columns }) => columns));
  const unused = [...new Set([...found, ...discovered.unused])].filter((column) => !open.has(column));
  return unused.length === 0 ? [] : [`Unused: ${formatList(unused)}.`];
}

const HEADER = ['FIELD', 'COLUMN', 'SENT AS', 'WHY'] as const;

/** Columns of the screen for a column or a text of columns, and for a value. */
const COLUMN_WIDTH = 24;
const VALUE_WIDTH = 40;

/** @param fields those of the proposal's document that are shown */
function mappingTable(proposal: MappingProposal, fields: readonly string[], accepted?: Answers): readonly string[] {
  const { document, contract, sample, discovered, variant } = proposal;
  const shown = fields.flatMap((name) => {
    const mapping = document.fields[name];
    const field = contract.field(name);
    return mapping === undefined || field === undefined ? [] : [{ name, mapping, field }];
  });
  if (shown.length === 0) return [];
  const reasons = reasonsOf(discovered);
  const rows = shown.map(({ name, mapping, field }) => {
    const sent = tryField(mapping, field, sample).values[0]?.sent;
    return [
      name,
      cutToWidth(printable(briefSource(mapping)), COLUMN_WIDTH),
      variant.leftOut.includes(field.name)
        ? '(not sent)'
        : sent === undefined
          ? '(empty)'
          : cutToWidth(readable(sent), VALUE_WIDTH),
      reasons.get(name) ?? (accepted?.has(name) === true ? 'accepted' : 'chosen'),
    ] as const;
  });
  const [head = '', ...lines] = table([HEADER, ...rows]);
  const readings = shown.map(({ mapping }) => describeReading(mapping));
  return [head, ...lines.flatMap((line, at) => (readings[at] ? [line, `    ${printable(readings[at])}`] : [line]))];
}

/** Why each discovered field has its column. */
function reasonsOf({ used }: Discovered): ReadonlyMap<string, string> {
  return new Map(
    used.map(({ field, confidence, reason }) => [
      field,
      confidence === 1 ? reason : `${percent(confidence)} ${reason}`,
    ]),
  );
}

function percent(confidence: number): string {
  return `${Math.round(confidence * 100)}%`;
}
