/**
 * An instant as ISO 8601 in UTC, `2026-11-20T09:15:00Z`, with milliseconds where there are any: what
 * Date.prototype.toISOString writes, which takes a microsecond. Days and minutes that were written before are known.
 */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY_LENGTH = 'yyyy-mm-dd'.length;
const FULL_SECOND = '.000Z';
/** Ten years and more; a file of more different days than that is written day by day. */
const MOST_DAYS = 4096;

/** By the number of the day since 1970-01-01. */
const days = new Map<number, string>();
/** `T09:15`, by the minute of the day. */
const minutes = new Array<string | undefined>(24 * 60);
/** `:07Z` */
const seconds = new Array<string | undefined>(60);

/** @param ms since 1970-01-01, in years of four digits */
export function isoText(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  const clock = ms - day * DAY_MS;
  const minute = Math.floor(clock / MINUTE_MS);
  const second = (clock - minute * MINUTE_MS) / 1000;
  const dayText = days.get(day);
  const minuteText = minutes[minute];
  const secondText = seconds[second];
  if (dayText !== undefined && minuteText !== undefined && secondText !== undefined) {
    return dayText + minuteText + secondText;
  }
  const text = new Date(ms).toISOString();
  if (!text.endsWith(FULL_SECOND)) return text;
  if (days.size >= MOST_DAYS) days.clear();
  days.set(day, text.slice(0, DAY_LENGTH));
  minutes[minute] = text.slice(DAY_LENGTH, DAY_LENGTH + 'Thh:mm'.length);
  const end = `${text.slice(DAY_LENGTH + 'Thh:mm'.length, -FULL_SECOND.length)}Z`;
  seconds[second] = end;
  return `${text.slice(0, -FULL_SECOND.length)}Z`;
}
