/** Notes (model/record.ts) as sentences: values that were changed, or sent although they are unusual. */

import { printable } from '../lib/printable.ts';
import { count, plural } from '../lib/units.ts';
import type { SentRows } from '../model/batch.ts';
import type { Variant } from '../model/record.ts';

const VALUE_LIMIT = 10;

/**
 * One sentence a kind of note and field. `notes`: `code:detail` -> rows, where the detail is a field, and for
 * `open_value` a field, `=` and the value. An unknown code is shown unchanged.
 */
export function describeNotes(notes: ReadonlyMap<string, number>, variant?: Variant): readonly string[] {
  const sentences: string[] = [];
  const values = new Map<string, [string, number][]>();
  for (const [key, rows] of notes) {
    const colon = key.indexOf(':');
    const code = colon < 0 ? key : key.slice(0, colon);
    const detail = colon < 0 ? '' : key.slice(colon + 1);
    const field = printable(detail, 80);
    switch (code) {
      case 'date_only':
        sentences.push(
          `${field}: ${plural(rows, 'date')} without a time ${rows === 1 ? 'was' : 'were'} set to midnight UTC.`,
        );
        break;
      case 'no_offset':
        sentences.push(
          `${field}: ${plural(rows, 'date-time')} without a time zone ${rows === 1 ? 'was' : 'were'} sent unchanged.`,
        );
        break;
      case 'date_omitted':
        sentences.push(
          `${field}: ${plural(rows, 'unreadable date was', 'unreadable dates were')} omitted (\`invalid: omit\` in the mapping).`,
        );
        break;
      case 'free_mail':
        sentences.push(
          `${field}: ${plural(rows, 'address', 'addresses')} at a free e-mail provider such as gmail.com ${rows === 1 ? 'identifies' : 'identify'} no company; the field was omitted.`,
        );
        break;
      case 'left_out':
        sentences.push(
          `${field}: omitted from ${plural(rows, 'row')}; ${variant === undefined ? 'the API' : `variant ${variant}`} has no such field.`,
        );
        break;
      case 'open_value': {
        const equals = detail.indexOf('=');
        const name = equals < 0 ? detail : detail.slice(0, equals);
        const list = values.get(name) ?? [];
        list.push([equals < 0 ? '' : detail.slice(equals + 1), rows]);
        values.set(name, list);
        break;
      }
      default:
        sentences.push(`${printable(key, 80)}: ${plural(rows, 'row')}.`);
    }
  }
  for (const [field, list] of values) {
    list.sort(([, one], [, other]) => other - one);
    const shown = list
      .slice(0, VALUE_LIMIT)
      .map(([value, rows]) => `${printable(value, 40)} (${count(rows)})`)
      .join(', ');
    const rest = list.length > VALUE_LIMIT ? `, and ${count(list.length - VALUE_LIMIT)} more` : '';
    sentences.push(`${printable(field, 80)}: unknown values, sent unchanged: ${shown}${rest}.`);
  }
  return sentences;
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
