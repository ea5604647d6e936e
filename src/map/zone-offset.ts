/**
 * From the time that a wall clock showed to the instant, where that is certain without luxon: the zone has one offset
 * for days around. NaN elsewhere: luxon asks the platform's calendar several times for one date.
 *
 * A zone's offset is looked up at midnight of each day (UTC), once. So a clock that is changed and changed back between
 * two midnights would be missed. The time zone database has none: from March 1972 to 2100, the shortest time between
 * two changes of a zone in it is a week (America/Recife in October 2000).
 */
import type { Zone } from 'luxon';

/** From a wall clock's time, in milliseconds as if it were that of UTC, to the instant. NaN becomes NaN. */
export type LocalToUtc = (wall: number) => number;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Offsets are below 15 hours, and luxon looks a day further in both directions. */
const DAYS_BEFORE = 2;
const DAYS_BEHIND = 3;
const FIRST_DAY = Date.UTC(1972, 3, 1) / DAY_MS;
const LAST_DAY = Date.UTC(2100, 0, 1) / DAY_MS;

export function localToUtcIn(zone: Zone): LocalToUtc {
  if (zone.isUniversal) {
    const shift = zone.offset(0) * MINUTE_MS;
    return (wall) => wall - shift;
  }
  /** By the number of the day since 1970-01-01: the offset at its midnight; the offset of the days around it. */
  const midnights = new Map<number, number>();
  const steady = new Map<number, number>();

  const atMidnight = (day: number): number => {
    const known = midnights.get(day);
    if (known !== undefined) return known;
    const offset = zone.offset(day * DAY_MS);
    midnights.set(day, offset);
    return offset;
  };

  const around = (day: number): number => {
    const offset = atMidnight(day);
    for (let other = day - DAYS_BEFORE; other <= day + DAYS_BEHIND; other += 1) {
      if (atMidnight(other) !== offset) return Number.NaN;
    }
    return offset * MINUTE_MS;
  };

  return (wall) => {
    const day = Math.floor(wall / DAY_MS);
    if (!(day >= FIRST_DAY && day < LAST_DAY)) return Number.NaN;
    let shift = steady.get(day);
    if (shift === undefined) {
      shift = around(day);
      steady.set(day, shift);
    }
    return wall - shift;
  };
}
