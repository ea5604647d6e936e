/** A mapping as a table for people: each field with its column, a value as it would be sent, and why. */
import { cutToWidth, displayWidth, printable } from '../lib/printable.ts';
import { briefSource, describeReading, type FieldMapping, type Proposal, tryField } from '../map/index.ts';
import { table } from '../report/text-layout.ts';
import { readable } from './field-examples.ts';
import type { Answers, MappingProposal } from './mapping-proposal.ts';

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
export function mappingTable(
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

export function percent(confidence: number): string {
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
