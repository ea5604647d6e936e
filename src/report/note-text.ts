/** Notes (model/note.ts) as sentences: values that were changed, or sent although they are unusual. */
import { printable } from '../lib/printable.ts';
import { count, plural } from '../lib/units.ts';
import type { SentRows } from '../model/commit.ts';
import { type Note, OTHER_NOTES, parseNoteKey } from '../model/note.ts';
import type { RowPlace } from '../model/position.ts';
import type { Variant } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import { place } from './text-layout.ts';

const VALUE_LIMIT = 10;

/** What the sentences about notes need of a run state. */
export interface NotedRows extends Pick<RunState, 'variant'> {
  /** Rows by note key. */
  readonly notes: ReadonlyMap<string, number>;
  readonly firstNotes: ReadonlyMap<string, RowPlace>;
}

/**
 * One sentence per kind of note and field. A key with an unknown code is shown unchanged.
 *
 * @param names of the inputs
 */
export function describeNotes({ notes, firstNotes, variant }: NotedRows, names: readonly string[]): readonly string[] {
  const sentences: string[] = [];
  const openValues = new Map<string, (readonly [value: string, rows: number])[]>();
  for (const [key, rows] of notes) {
    const note = parseNoteKey(key);
    if (note?.code === 'open_value') {
      openValues.set(note.field, [...(openValues.get(note.field) ?? []), [note.value, rows]]);
    } else if (note !== undefined) {
      const at = firstNotes.get(key);
      const first = at && place(names, at);
      sentences.push(`${printable(note.field, 80)}: ${describeNote(note, rows, { variant, first })}`);
    } else {
      const name = key === OTHER_NOTES ? 'Other notes' : printable(key, 80);
      sentences.push(`${name}: ${plural(rows, 'row')}.`);
    }
  }
  for (const [field, values] of openValues) {
    sentences.push(
      `${printable(field, 80)}: values that the API does not name, left unchanged: ${describeOpenValues(values)}.`,
    );
  }
  return sentences;
}

function describeNote(
  { code }: Exclude<Note, { code: 'open_value' }>,
  rows: number,
  { variant, first }: { readonly variant: Variant | undefined; readonly first: string | undefined },
): string {
  switch (code) {
    case 'date_only':
      return `${plural(rows, 'date')} without a time ${rows === 1 ? 'was' : 'were'} set to midnight UTC.`;
    case 'no_seconds':
      return `${plural(rows, 'date-time')} without seconds ${rows === 1 ? 'was' : 'were'} completed with :00.`;
    case 'no_offset':
      return `${plural(rows, 'date-time')} without a time zone ${rows === 1 ? 'was' : 'were'} left as written.`;
    case 'omitted': {
      const at = first === undefined ? '' : rows === 1 ? `, at ${first}` : `, first at ${first}`;
      return `${plural(rows, 'invalid value was', 'invalid values were')} omitted${at} (\`invalid: omit\` in the mapping).`;
    }
    case 'free_mail':
      return `${plural(rows, 'address', 'addresses')} at a free e-mail provider such as gmail.com ${rows === 1 ? 'identifies' : 'identify'} no company; the field was omitted.`;
    case 'nul':
      return `${plural(rows, 'value')} with the character U+0000 (NUL) ${rows === 1 ? 'was' : 'were'} left unchanged; many databases refuse it. To find it: \`grep -naP '\\x00|\\\\u0000' FILE\`.`;
    case 'left_out':
      return `omitted from ${plural(rows, 'row')}; ${variant === undefined ? 'the API' : `variant ${variant}`} has no such field.`;
  }
}

/** The most frequent values first. */
function describeOpenValues(values: readonly (readonly [value: string, rows: number])[]): string {
  const shown = values
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, VALUE_LIMIT)
    .map(([value, rows]) => `${printable(value, 40)} (${count(rows)})`)
    .join(', ');
  return values.length > VALUE_LIMIT ? `${shown}, and ${count(values.length - VALUE_LIMIT)} more` : shown;
}

/** One sentence for each earlier run that has sent rows of this one. */
export function describeSentBefore(sentBefore: readonly SentRows[]): readonly string[] {
  return sentBefore.map(({ state, run, rows }) => {
    const them = rows === 1 ? 'it' : 'them';
    const name = printable(run, 80);
    return state === 'delivered'
      ? `${plural(rows, 'row was', 'rows were')} already delivered by ${name} and not sent again (--again resends ${them}).`
      : `${plural(rows, 'row was', 'rows were')} already sent by ${name}, may have arrived, and ${rows === 1 ? 'was' : 'were'} not sent again.`;
  });
}
