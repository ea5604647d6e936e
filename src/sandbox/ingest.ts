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
import { type Contract, contracts } from '../contract/index.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { type Answer, type Elements, refusal } from './answer.ts';
import type { Effects, Value } from './effects.ts';
import type { Entry } from './entry.ts';
import type { Keys } from './keys.ts';
import type { Switches } from './switches.ts';

/** What became of a batch: the counts for the log, the body of the answer, and each element's lot. */
export interface Taken {
  readonly counts: {
    readonly accepted?: number;
    readonly deduplicated?: number;
    readonly rejected?: number;
    readonly promoted?: number;
  };
  /** What the answer says besides `success` and `batchId` (interface.md, "Batch result"). */
  readonly result: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  /** Keys of the signals that were not seen before. */
  readonly keys: readonly string[];
}

/** Takes in the elements of request `n`, or refuses them all. */
export type Ingest = (n: number, batch: Elements) => Taken | Answer;

type Element = Readonly<Record<string, unknown>>;

/**
 * @param keeps whether anybody can read what became of a record. Where nobody can, nothing is worked out for signals
 *   but the counts: their effects change no answer. (Those of events do.)
 */
export function createIngests(
  keys: Keys,
  effects: Effects,
  keeps: boolean,
  switches: Switches,
): Readonly<Record<RecordType, Ingest>> {
  return {
    signals: ingestSignals(keys, effects, keeps, switches),
    social: ingestSocial(effects, switches),
  };
}

function ingestSignals(keys: Keys, effects: Effects, keeps: boolean, { variants }: Switches): Ingest {
  const accepted: readonly Variant[] = variants === 'either' ? ['a', 'b'] : [variants];
  const readings = accepted.map((variant) => readingOf(contracts.signals, variant));
  return (n, { elements, over }) => {
    const stats = { accepted: 0, deduplicated: 0, rejected: over };
    const fresh: string[] = [];
    const entries: Entry[] = [];
    for (const record of elements) {
      const read = readWith(readings, record);
      const about = { n, type: 'signals', record } as const;
      if (typeof read === 'string') {
        stats.rejected++;
        if (keeps) entries.push({ ...about, status: 'rejected', reason: read });
        continue;
      }
      const key = keys.add(keyOf(read));
      if (key === undefined) {
        stats.deduplicated++;
        if (keeps) entries.push({ ...about, status: 'deduplicated' });
        continue;
      }
      fresh.push(key);
      stats.accepted++;
      if (keeps) entries.push({ ...about, status: 'accepted', ...effects.signal(read) });
    }
    return { counts: stats, result: { stats }, entries, keys: fresh };
  };
}

function ingestSocial(effects: Effects, { invalidEvents }: Switches): Ingest {
  const readings = [readingOf(contracts.social, undefined)];
  return (n, { elements, over }) => {
    const reads = elements.map((record) => readWith(readings, record));
    if (invalidEvents === 'refuse') {
      const bad = reads.findIndex((read) => typeof read === 'string');
      if (bad !== -1) {
        return refusal(422, 'invalid_record', `"events"[${bad}] is not valid: ${String(reads[bad])}.`);
      }
    }
    const counts = { accepted: 0, rejected: over, promoted: 0 };
    const entries = reads.map((read, index): Entry => {
      const about = { n, type: 'social', record: elements[index] } as const;
      if (typeof read === 'string') {
        counts.rejected++;
        return { ...about, status: 'rejected', reason: read };
      }
      counts.accepted++;
      const event = effects.event(read);
      if (event.deal !== undefined) counts.promoted++;
      return { ...about, status: 'accepted', ...event };
    });
    return { counts, result: { promotedToPipeline: counts.promoted }, entries, keys: [] };
  };
}

/** One way to read an element: under the names of one variant. */
interface Reading {
  /** The first required name that is missing. */
  missing(element: Element): string | undefined;
  /** The first name whose value the interface does not allow. */
  invalid(element: Element): string | undefined;
  /** The value of a field, by its canonical name. */
  value(element: Element, field: string): unknown;
}

function readingOf(contract: Contract, variant: Variant | undefined): Reading {
  const schema = contract.wire(variant);
  const fields = contract.fieldsOf(variant);
  const required = fields.flatMap(({ names, required }) => (required ? names : []));
  const nameOf = new Map(fields.map(({ field, names }) => [field.name, names[0] ?? field.name]));
  return {
    // The schema says the same, but to make its errors takes longer than to validate a record.
    missing: (element) => required.find((name) => element[name] === undefined),
    invalid(element) {
      const read = schema.safeParse(element);
      return read.success ? undefined : String(read.error.issues[0]?.path[0]);
    },
    value: (element, field) => element[nameOf.get(field) ?? field],
  };
}

/** The values of an element, under the first reading that it is valid in; else why it is valid in none. */
function readWith(readings: readonly Reading[], element: unknown): Value | string {
  if (!isObject(element)) return 'it is no object';
  let reason: string | undefined;
  for (const reading of readings) {
    const missing = reading.missing(element);
    const invalid = missing === undefined ? reading.invalid(element) : undefined;
    if (missing === undefined && invalid === undefined) return (field) => reading.value(element, field);
    // What is wrong under the variant that the record was meant for is the better reason.
    if (invalid !== undefined) reason = `${invalid} has a value that is not allowed`;
    else reason ??= `${String(missing)} is missing`;
  }
  return reason ?? 'it is not valid';
}

function isObject(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keyOf(value: Value): string {
  const company = value('company_domain') ?? value('company_name');
  return JSON.stringify([
    String(company).toLowerCase(),
    value('signal_title'),
    value('signal_source'),
    dayOf(value('detected_at')),
  ]);
}

function dayOf(detectedAt: unknown): string {
  if (typeof detectedAt !== 'string') return '';
  const hasOffset = /[+-]\d{2}:\d{2}$/.test(detectedAt);
  return (hasOffset ? new Date(detectedAt).toISOString() : detectedAt).slice(0, 10);
}
