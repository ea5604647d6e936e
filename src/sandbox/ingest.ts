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
 * - High warmth is {@link PROMOTED_FROM} and more. Every event counts as ICP-qualified: there is no ICP here.
 */
import { type Contract, contracts, squash } from '../contract/index.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { type Answer, type Elements, refusal } from './answer.ts';
import type { Memory } from './memory.ts';
import type { Switches } from './switches.ts';

/** The counts for the log, and the body of the answer. */
export interface Taken {
  readonly counts: {
    readonly accepted?: number;
    readonly deduplicated?: number;
    readonly rejected?: number;
    readonly promoted?: number;
  };
  /** What the answer says besides `success` and `batchId` (interface.md, "Batch result"). */
  readonly result: Readonly<Record<string, unknown>>;
}

/** Takes in the elements of request `n`, or refuses them all. */
export type Ingest = (n: number, batch: Elements) => Taken | Answer;

/** An event this warm is promoted. Warmth is 0 to 100. */
const PROMOTED_FROM = 70;

/** Warmth of an event without `warmth_hint`, by its engagement type without regard to case. */
const BASELINE: ReadonlyMap<string, number> = new Map([
  ['like', 20],
  ['repost', 50],
  ['comment', 60],
  ['mention', 80],
]);

/** Of any other engagement type: the interface's list is not complete. */
const OTHER_BASELINE = 30;

type Element = Readonly<Record<string, unknown>>;

export function createIngests(memory: Memory, switches: Switches): Readonly<Record<RecordType, Ingest>> {
  return { signals: ingestSignals(memory, switches), social: ingestSocial(memory, switches) };
}

function ingestSignals(memory: Memory, { variants }: Switches): Ingest {
  const accepted: readonly Variant[] = variants === 'either' ? ['a', 'b'] : [variants];
  const readings = accepted.map((variant) => readingOf(contracts.signals, variant));
  return (n, { elements, over }) => {
    const stats = { accepted: 0, deduplicated: 0, rejected: over };
    for (const element of elements) {
      const key = firstValid(readings, element, keyOf);
      const status = key === undefined ? 'rejected' : memory.seen(key) ? 'deduplicated' : 'accepted';
      stats[status]++;
      memory.keep(n, 'signals', status, element);
    }
    return { counts: stats, result: { stats } };
  };
}

function ingestSocial(memory: Memory, { invalidEvents }: Switches): Ingest {
  const readings = [readingOf(contracts.social, undefined)];
  return (n, { elements, over }) => {
    if (invalidEvents === 'refuse') {
      const bad = elements.findIndex((element) => firstValid(readings, element, warmthOf) === undefined);
      if (bad !== -1) return refusal(422, 'invalid_record', `"events"[${bad}] is not valid.`);
    }
    const counts = { accepted: 0, rejected: over, promoted: 0 };
    for (const element of elements) {
      const warmth = firstValid(readings, element, warmthOf);
      const status = warmth === undefined ? 'rejected' : 'accepted';
      counts[status]++;
      if (warmth !== undefined && warmth >= PROMOTED_FROM) counts.promoted++;
      memory.keep(n, 'social', status, element);
    }
    return { counts, result: { promotedToPipeline: counts.promoted } };
  };
}

/** One way to read an element: under the names of one variant. */
interface Reading {
  isValid(element: Element): boolean;
  /** The value of a field, by its canonical name. */
  value(element: Element, field: string): unknown;
}

function readingOf(contract: Contract, variant: Variant | undefined): Reading {
  const schema = contract.wire(variant);
  const fields = contract.fieldsOf(variant);
  const required = fields.flatMap(({ names, required }) => (required ? names : []));
  const nameOf = new Map(fields.map(({ field, names }) => [field.name, names[0] ?? field.name]));
  return {
    isValid(element) {
      // The schema says the same, but to make its errors takes longer than to validate a record.
      for (const name of required) if (element[name] === undefined) return false;
      return schema.safeParse(element).success;
    },
    value: (element, field) => element[nameOf.get(field) ?? field],
  };
}

/** What `make` makes of an element, under the first reading that it is valid in; undefined where there is none. */
function firstValid<T>(
  readings: readonly Reading[],
  element: unknown,
  make: (element: Element, reading: Reading) => T,
): T | undefined {
  if (!isObject(element)) return undefined;
  const reading = readings.find(({ isValid }) => isValid(element));
  return reading === undefined ? undefined : make(element, reading);
}

function isObject(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keyOf(element: Element, { value }: Reading): string {
  const company = value(element, 'company_domain') ?? value(element, 'company_name');
  return JSON.stringify([
    String(company).toLowerCase(),
    value(element, 'signal_title'),
    value(element, 'signal_source'),
    dayOf(value(element, 'detected_at')),
  ]);
}

function dayOf(detectedAt: unknown): string {
  if (typeof detectedAt !== 'string') return '';
  const hasOffset = /[+-]\d{2}:\d{2}$/.test(detectedAt);
  return (hasOffset ? new Date(detectedAt).toISOString() : detectedAt).slice(0, 10);
}

function warmthOf(element: Element, { value }: Reading): number {
  const hint = value(element, 'warmth_hint');
  if (typeof hint === 'number') return hint;
  return BASELINE.get(squash(String(value(element, 'engagement_type')))) ?? OTHER_BASELINE;
}
