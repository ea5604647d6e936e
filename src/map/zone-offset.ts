/**
 * Converts local times to instants without luxon, on days around which the zone keeps one offset. luxon asks the platform's
 * calendar several times for each date; this module asks once for each day.
 *
 * Offsets are looked up at midnight UTC, so two changes between midnights would be missed. From March 1972 to 2100, the time
 * zone database has none: the shortest time between two changes is a week (America/Recife in October 2000).
 */
import type { Zone } from 'luxon';

/** Converts a local time, in milliseconds as if in UTC, to the instant. NaN if luxon must decide, and for NaN. */
export type LocalToUtc = (localTime: number) => number;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Offsets are below 15 hours, and luxon looks one day further in both directions. */
const DAYS_BEFORE = 2;
const DAYS_AFTER = 3;
const FIRST_DAY = Date.UTC(1972, 3, 1) / DAY_MS;
const LAST_DAY = Date.UTC(2100, 0, 1) / DAY_MS;

export function localToUtcIn(zone: Zone): LocalToUtc {
  if (zone.isUniversal) {
    const shift = zone.offset(0) * MINUTE_MS;
    return (localTime) => localTime - shift;
  }
  /** By day since 1970-01-01: the offset in milliseconds; NaN if it changes around that day. */
  const shifts = new Map<number, number>();
  const shiftAround = (day: number): number => {
    const offset = zone.offset(day * DAY_MS);
    for (let other = day - DAYS_BEFORE; other <= day + DAYS_AFTER; other += 1) {
      if (zone.offset(other * DAY_MS) !== offset) return Number.NaN;
    }
    return offset * MINUTE_MS;
  };

  return (localTime) => {
    const day = Math.floor(localTime / DAY_MS);
    if (!(day >= FIRST_DAY && day < LAST_DAY)) return Number.NaN;
    let shift = shifts.get(day);
    if (shift === undefined) {
      shift = shiftAround(day);
      shifts.set(day, shift);
    }
    return localTime - shift;
  };
}
