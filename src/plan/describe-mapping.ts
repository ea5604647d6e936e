/** Describes a detected mapping to the user: what is used, what is uncertain, which columns are unused. */
import { shellQuote } from '../lib/shell.ts';
import {
  type ChosenVariant,
  type Discovered,
  formatList,
  notMapped,
  type Question,
  renderField,
} from '../map/index.ts';
import type { Problem } from '../model/problem.ts';
import { fieldOption } from './field-options.ts';
import type { CommonMapping } from './header-groups.ts';

/** Unused columns named in one line. */
const UNUSED_SHOWN = 12;

export function percent(confidence: number): string {
  return `${Math.round(confidence * 100)}%`;
}

/** Sentences about type, variant and columns. */
export function describeMapping(
  { contract, type, found, alsoUnused }: CommonMapping,
  chosen: ChosenVariant,
): readonly string[] {
  const { variant, why } = chosen;
  return [
    `Type: ${contract.type}, ${type.why}.`,
    ...(variant === undefined ? [] : [`Variant: ${variant}, ${why}.`, ...describeLeftOut(chosen)]),
    ...(found === undefined ? [] : describeColumns(found.discovered)),
    ...alsoUnused.map(({ input, columns }) => `Also unused, in ${input}: ${formatList(columns)}.`),
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

function describeColumns({ byName, used, unused, empty }: Discovered): readonly string[] {
  const names = byName.map(({ field, column }) => (field === column ? field : `${field} from "${column}"`));
  const notUsed = unused.length === 0 ? '' : ` Unused: ${columnList(unused)}.`;
  return [
    `Columns matched by name: ${names.length === 0 ? 'none' : names.join(', ')}.${notUsed}`,
    ...(used.length === 0 ? [] : ['Columns detected:']),
    ...used.map(
      ({ field, mapping, confidence, reason }) =>
        `  ${field} from ${renderField(mapping)} (${percent(confidence)}: ${reason}).`,
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
  const shown = unused.slice(0, UNUSED_SHOWN).map(({ column }) => `"${column}"`);
  const more = unused.length > UNUSED_SHOWN ? ` and ${unused.length - UNUSED_SHOWN} more` : '';
  return `${shown.join(', ')}${more}`;
}
