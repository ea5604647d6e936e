/**
 * Events of a run to claims: which records it delivered, or sent so that nobody can tell. Pure.
 *
 * A claim is never taken back, so that it must be certain when it is made. What the service rejected or did not account
 * for is in no claim, because it does not say which records of the batch it means. What is unknown is claimed only
 * where the interface documents no deduplication: there it must not be sent a second time. What a run sends to another
 * base URL than its own is not claimed.
 */
import type { RunEvent } from '../model/event.ts';

export interface Claim {
  readonly state: 'delivered' | 'unknown';
  /** When it became so: milliseconds since 1970. */
  readonly time: number;
  /** Keys of the records (seen/key.ts), as base64. */
  readonly keys: string;
}

export interface Claims {
  /** Takes the events of a journal in their order. */
  on(event: RunEvent): readonly Claim[];
  /** What was under way when the program was killed. To be asked at the end of a journal that nobody works on. */
  lost(): readonly Claim[];
}

/** A key is twelve bytes, and so sixteen characters of base64: keys can be cut out of the text. */
const KEY_CHARACTERS = 16;

interface Open {
  readonly keys: string;
  maybeProcessed: boolean;
  claimed: boolean;
}

/** @param claimsUnknown whether records whose fate is unknown must not be sent again */
export function createClaims(claimsUnknown: boolean): Claims {
  const open = new Map<string, Open>();
  let last = 0;
  let elsewhere = false;

  const unknown = (batch: Open | undefined, time: number): readonly Claim[] => {
    if (batch === undefined || batch.claimed || !claimsUnknown || elsewhere) return [];
    batch.claimed = true;
    return [{ state: 'unknown', time, keys: batch.keys }];
  };
  const lost = (): readonly Claim[] =>
    [...open.values()].flatMap((batch) => (batch.maybeProcessed ? unknown(batch, last) : []));

  const on = (event: RunEvent): readonly Claim[] => {
    switch (event.event) {
      case 'batch.sealed':
        if (event.keys !== undefined) open.set(event.batch, opened(event.keys));
        return [];
      case 'batch.split': {
        const whole = open.get(event.batch);
        open.delete(event.batch);
        let from = 0;
        for (const { batch, records } of event.parts) {
          const to = from + records * KEY_CHARACTERS;
          if (whole !== undefined) open.set(batch, opened(whole.keys.slice(from, to)));
          from = to;
        }
        return [];
      }
      case 'attempt.started':
        mark(open.get(event.batch), true);
        return [];
      case 'attempt.failed':
        mark(open.get(event.batch), event.maybeProcessed);
        return [];
      case 'batch.settled': {
        const batch = open.get(event.batch);
        if (batch === undefined) return [];
        if (event.outcome === 'unknown') return unknown(batch, last);
        if (event.outcome === 'delivered' || event.outcome === 'refused') open.delete(event.batch);
        // Certainly not processed; a resume may send it again.
        else batch.maybeProcessed = false;
        if (event.outcome !== 'delivered' || event.unaccounted !== 0 || elsewhere) return [];
        if ((event.receipt?.rejected ?? 0) > 0) return [];
        return [{ state: 'delivered', time: last, keys: batch.keys }];
      }
      case 'run.resumed': {
        // A resume says later what became of these; until it does they are unknown.
        const left = lost();
        elsewhere = event.elsewhere === true;
        return left;
      }
      default:
        return [];
    }
  };

  return {
    on(event) {
      // A run that goes on says first what its earlier part has left, at the time of that part's last fact.
      if (event.event !== 'run.resumed' && 'time' in event) last = Date.parse(event.time);
      return on(event);
    },
    lost,
  };
}

function opened(keys: string): Open {
  return { keys, maybeProcessed: false, claimed: false };
}

function mark(batch: Open | undefined, maybeProcessed: boolean): void {
  if (batch !== undefined) batch.maybeProcessed = maybeProcessed;
}
