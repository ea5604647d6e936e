/** Tables of measures: a date or a name in each row, and numbers for everything else. */
import type { Column } from '../discover/column.ts';
import type { ColumnEvidence } from './kinds.ts';
import { dates as areDates, counts } from './value-forms.ts';

/** The share of columns with numbers. */
const MOST = 0.6;

/** The columns with numbers, if the rows are measures: with more weight if they have dates, as totals per day do. */
export function measures(columns: readonly Column[]): readonly ColumnEvidence[] {
  const filled = columns.filter(({ profile }) => profile.texts.length > 0);
  const dates = filled.filter(({ profile }) => areDates(profile));
  const numbers = filled.filter((column) => counts(column.profile) && !dates.includes(column));
  const others = filled.length - dates.length - numbers.length;
  // One column can name what is measured.
  if (filled.length < 4 || others > 1 || numbers.length < MOST * filled.length) return [];
  const weight = dates.length > 0 ? 3 : 2;
  return numbers.map(({ name }) => ({ column: name, what: 'totals, not events', weight }));
}
