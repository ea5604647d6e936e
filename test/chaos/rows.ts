/** The rows of a round: distinct names, faulty rows that become no record, and poison that the service never takes. */
import type { RecordType } from '../../src/model/record.ts';

export const FIELDS = { signals: 'company_name', social: 'engager_name' } as const;

const HEADERS = {
  signals: 'company_name,signal_title,signal_source',
  social: 'platform,engagement_type,engager_name',
} as const;

/** In the name of a record that the service refuses, and its batch with it. */
export const POISON = 'poison';

export interface Rows {
  readonly type: RecordType;
  /** CSV with a header. */
  readonly csv: string;
  /** The same rows by column. */
  readonly objects: readonly Readonly<Record<string, string>>[];
  readonly rows: number;
  /** Names of the rows that become records. */
  readonly valid: readonly string[];
}

/**
 * @param from number of the first row: files of one run share no name
 * @param every one row in so many is poison; Infinity for none
 * @param plain without line feeds inside cells, so that a line is a row
 */
export function rowsOf(type: RecordType, rows: number, from: number, every: number, plain = false): Rows {
  const lines: string[] = [HEADERS[type]];
  const objects: Record<string, string>[] = [];
  const valid: string[] = [];
  for (let n = from; n < from + rows; n += 1) {
    const isFaulty = n % 37 === 0;
    const name = `Name ${n}${n % every === every - 1 ? ` ${POISON}` : ''}`;
    if (!isFaulty) valid.push(name);
    const cells =
      type === 'signals'
        ? [isFaulty ? '' : name, `Title${plain ? ' ' : '\n'}${n}`, 'news']
        : [isFaulty ? '' : 'linkedin', 'like', name];
    lines.push(cells.map((cell) => (cell.includes('\n') ? `"${cell}"` : cell)).join(','));
    objects.push(Object.fromEntries(cells.map((cell, index) => [HEADERS[type].split(',')[index], cell])));
  }
  return { type, csv: `${lines.join('\n')}\n`, objects, rows, valid };
}
