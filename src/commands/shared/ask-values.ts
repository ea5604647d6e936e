/** Asks what the values of a column mean, one after the other, for a field that takes certain values only. */
import type { Field } from '../../contract/index.ts';
import { printable } from '../../lib/printable.ts';
import { columnsForField, describeField, type FieldMapping, formatList } from '../../map/index.ts';
import type { MappingProposal } from '../../plan/mapping-proposal.ts';
import { BACK, type Choice, type Prompts } from '../../terminal/prompts.ts';

/** A column with more unknown values is not a list of kinds. */
const MAX_ASKED = 25;

/** Unknown values that a label names. */
const SHOWN = 3;

/** A column whose values are not all known. */
export interface OpenTable {
  readonly column: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly unknown: readonly string[];
}

/** Undefined if there is nothing to ask: the field takes all sampled values of the column, or other texts too. */
export function openTable(mapping: FieldMapping, field: Field, proposal: MappingProposal): OpenTable | undefined {
  if (field.kind.name !== 'enum' || !('column' in mapping) || 'as' in mapping) return undefined;
  const { sample, contract } = proposal;
  const { column } = mapping;
  const found = columnsForField(sample, contract, field).find((each) => each.column === column);
  const values = 'values' in mapping ? mapping.values : {};
  const isKnown = (value: string): boolean =>
    Object.hasOwn(values, value) || sample.empty?.includes(value) === true || field.kind.value.safeParse(value).success;
  const unknown = (found?.values ?? []).filter((value) => !isKnown(value));
  return unknown.length === 0 || unknown.length > MAX_ASKED ? undefined : { column, values, unknown };
}

/** `"Kind", where "Jobs" is job_posting; asks what "Fair" and "Press" mean`. */
export function openTableLabel({ column, values, unknown }: OpenTable): string {
  const words = Object.keys(values).length === 0 ? describeField({ column }) : describeField({ column, values });
  return printable(`${words}; asks what ${formatList(unknown, '"', SHOWN)} ${unknown.length === 1 ? 'means' : 'mean'}`);
}

/** Undefined: the user goes back. */
export async function askValues(prompts: Prompts, table: OpenTable, field: Field): Promise<FieldMapping | undefined> {
  const { column, values, unknown } = table;
  const answers: string[] = [];
  let otherwise: string | undefined;
  while (answers.length < unknown.length && otherwise === undefined) {
    const value = printable(unknown[answers.length] ?? '', 40);
    const place = unknown.length === 1 ? '' : ` (${answers.length + 1} of ${unknown.length})`;
    const message = `${field.name}: what does "${value}" mean?${place}`;
    const choices = choicesFor(field, unknown.length - answers.length);
    const answer = await prompts.select(message, choices, { initial: 'other' });
    if (answer === REST) otherwise = 'other';
    else if (answer !== BACK) answers.push(answer);
    else if (answers.pop() === undefined) return undefined;
  }
  const told = answers.flatMap((meant, index) => (meant === INVALID ? [] : [[unknown[index] ?? '', meant] as const]));
  const all = { ...values, ...Object.fromEntries(told) };
  if (otherwise !== undefined) return { column, values: all, otherwise };
  return Object.keys(all).length === 0 ? { column } : { column, values: all };
}

const REST = 'rest';
const INVALID = 'invalid';

function choicesFor({ kind }: Field, left: number): readonly Choice<string>[] {
  const values = kind.values ?? [];
  return [
    ...values.map((value) => ({ value, label: value })),
    ...(left > 1 && values.includes('other') ? [{ value: REST, label: 'other, and so is every value after it' }] : []),
    { value: INVALID, label: 'nothing: rows with it are invalid, and are not sent' },
    { value: BACK, label: 'back' },
  ];
}
