/**
 * The two operations (interface.md, "Endpoints"): what becomes of each element of a batch, and the answer.
 *
 * What interface.md leaves open, and what is decided here:
 * - A signal is valid under variant a or under variant b; a record with the names of both is valid too. The switch
 *   `variants` takes one of them alone, or wants the names of both.
 * - Two signals are the same when they agree in company (domain, else name, without regard to case), title,
 *   source, and the UTC day of `detected_at` (as written where it names no offset; none where it is absent). That
 *   holds over all batches since the start.
 * - An invalid event is not stored. The answer of the social operation has no count for it. With the switch
 *   `invalidEvents` such a batch is refused.
 * - Where the switch `overLimit` lets a batch that is too large pass, what is over counts as rejected.
 * - Neither classification nor ICP filtering changes a count of the answer: a signal that does not qualify is
 *   accepted, because `rejected` is "the number that failed validation".
 */
import { contracts } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, type BatchElements, errorAnswer } from './answer.ts';
import type { BehaviourOptions } from './behaviour-options.ts';
import type { Effects, Value } from './effects.ts';
import {
  type Element,
  type ElementReader,
  isElement,
  readerFor,
  readersFor,
  rejectionReason,
} from './read-elements.ts';
import type { SignalKeys } from './signal-keys.ts';
import type { StoredRecord } from './stored-record.ts';

/** What became of a batch: the counts for the log, the body of the answer, and each element's lot. */
export interface IngestResult {
  readonly counts: {
    readonly accepted?: number;
    readonly deduplicated?: number;
    readonly rejected?: number;
    readonly promoted?: number;
  };
  /** What the answer says besides `success` and `batchId` (interface.md, "Batch result"). */
  readonly result: Readonly<Record<string, unknown>>;
  /**
   * What became of each element. For signals it is worked out when this is called, because no answer depends on
   * it: once, and before anything that comes later changes what is known of accounts.
   */
  readonly entries: () => readonly StoredRecord[];
  /** Keys of the signals that were not seen before. */
  readonly keys: readonly string[];
}

/** Takes in the elements of request `n`, or refuses them all. */
export type Ingest = (n: number, batch: BatchElements) => IngestResult | Answer;

/**
 * @param keeps whether anybody can read what became of a record. Where nobody can, nothing is worked out for signals
 *   but the counts: their effects change no answer. (Those of events do.)
 */
export function createIngests(
  keys: SignalKeys,
  effects: Effects,
  keeps: boolean,
  switches: BehaviourOptions,
): Readonly<Record<RecordType, Ingest>> {
  return {
    signals: ingestSignals(keys, effects, keeps, switches),
    social: ingestSocial(effects, switches),
  };
}

const NOTHING: readonly StoredRecord[] = [];

function ingestSignals(
  keys: SignalKeys,
  effects: Effects,
  keeps: boolean,
  { variants }: BehaviourOptions,
): Ingest {
  const readings = readersFor('signals', variants === 'either' ? ['a', 'b'] : [variants]);

  const entryOf = (n: number, record: unknown, isFresh: boolean): StoredRecord => {
    const about = { n, type: 'signals', record } as const;
    const reading = isElement(record) ? readerFor(readings, record) : undefined;
    if (!isElement(record) || reading === undefined) {
      return { ...about, status: 'rejected', reason: rejectionReason(readings, record) };
    }
    if (!isFresh) return { ...about, status: 'deduplicated' };
    return { ...about, status: 'accepted', ...effects.signal(valuesOf(reading, record)) };
  };

  return (n, { elements, excess: over, reread: again }) => {
    const stats = { accepted: 0, deduplicated: 0, rejected: over };
    const fresh: string[] = [];
    const isFresh = new Uint8Array(elements.length);
    for (const [index, record] of elements.entries()) {
      const reading = isElement(record) ? readerFor(readings, record) : undefined;
      if (!isElement(record) || reading === undefined) {
        stats.rejected++;
        continue;
      }
      const key = keyOf(reading, record);
      if (!keys.add(key)) {
        stats.deduplicated++;
        continue;
      }
      stats.accepted++;
      isFresh[index] = 1;
      fresh.push(key);
    }
    const entries = (): readonly StoredRecord[] =>
      again().map((record, index) => entryOf(n, record, isFresh[index] === 1));
    return { counts: stats, result: { stats }, entries: keeps ? entries : () => NOTHING, keys: fresh };
  };
}

function ingestSocial(effects: Effects, { invalidEvents }: BehaviourOptions): Ingest {
  const readings = readersFor('social', []);
  const { envelope } = contracts.social;
  return (n, { elements, excess: over }) => {
    const reads = elements.map((record): Value | undefined => {
      const reading = isElement(record) ? readerFor(readings, record) : undefined;
      return isElement(record) && reading !== undefined ? valuesOf(reading, record) : undefined;
    });
    const bad = invalidEvents === 'refuse' ? reads.indexOf(undefined) : -1;
    if (bad !== -1) {
      const reason = rejectionReason(readings, elements[bad]);
      return errorAnswer(422, 'invalid_record', `"${envelope}"[${bad}] is not valid: ${reason}.`);
    }
    const counts = { accepted: 0, rejected: over, promoted: 0 };
    const entries = reads.map((read, index): StoredRecord => {
      const record = elements[index];
      const about = { n, type: 'social', record } as const;
      if (read === undefined) {
        counts.rejected++;
        return { ...about, status: 'rejected', reason: rejectionReason(readings, record) };
      }
      counts.accepted++;
      const event = effects.event(read);
      if (event.deal !== undefined) counts.promoted++;
      return { ...about, status: 'accepted', ...event };
    });
    return { counts, result: { promotedToPipeline: counts.promoted }, entries: () => entries, keys: [] };
  };
}

function valuesOf(reading: ElementReader, element: Element): Value {
  return (field) => reading.value(element, field);
}

/** The company's length stands first and its title last, so that no two signals share a text by where they break. */
function keyOf(reading: ElementReader, element: Element): string {
  const company = String(
    reading.value(element, 'company_domain') ?? reading.value(element, 'company_name'),
  ).toLowerCase();
  const source = String(reading.value(element, 'signal_source'));
  const day = dayOf(reading.value(element, 'detected_at'));
  return `${company.length} ${company} ${source} ${day} ${String(reading.value(element, 'signal_title'))}`;
}

function dayOf(detectedAt: unknown): string {
  if (typeof detectedAt !== 'string') return '';
  const hasOffset = /[+-]\d{2}:\d{2}$/.test(detectedAt);
  return (hasOffset ? new Date(detectedAt).toISOString() : detectedAt).slice(0, 10);
}
