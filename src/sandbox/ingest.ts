/**
 * A batch of one of the two operations (interface.md, "Endpoints"): the result of each element, and the answer's counts.
 *
 * Where the API is silent, the sandbox decides:
 * - A signal is valid under variant a or b, also with the names of both. The option `variants` accepts one of them only,
 *   or requires the names of both.
 * - Two signals are equal if they have the same company (domain, else name, without regard to case), title, source and UTC
 *   day of `detected_at` (as written if it has no offset). This holds across all batches since the start.
 * - An invalid event is not processed, and no count of the answer mentions it.
 * - Of the effects (interface.md, "Effects"), only deduplication and promotion change a count, so only they are made. An event is
 *   promoted if it is warm enough.
 */
import { contracts, squash } from '../contract/index.ts';
import { isObject } from '../lib/text.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { LoggedRequest, Store, StoredRecord } from './store.ts';

/** Accepted field names of a signal: `either` accepts variant a or b, `both` requires the names of both. */
export const VARIANTS = ['a', 'b', 'both', 'either'] as const;

export interface IngestOptions {
  /** Default: `either`. */
  readonly variants?: (typeof VARIANTS)[number] | undefined;
  /** Signals that contain this text fail validation, as by a rule that only the service has. Undefined means none. */
  readonly reject?: string | undefined;
}

export interface IngestResult {
  readonly counts: Pick<LoggedRequest, 'accepted' | 'deduplicated' | 'rejected' | 'promoted'>;
  /** The answer's fields besides `success` and `batchId` (interface.md, "Batch result"). */
  readonly result: Readonly<Record<string, unknown>>;
  readonly records: readonly StoredRecord[];
}

type Verdict = Pick<StoredRecord, 'status' | 'reason' | 'promoted'>;

export function createIngest(
  store: Store,
  { variants = 'either', reject }: IngestOptions = {},
): (n: number, type: RecordType, elements: readonly unknown[]) => IngestResult {
  const readers = {
    signals: readersFor('signals', variants === 'either' ? ['a', 'b'] : [variants]),
    social: readersFor('social', []),
  };
  const judge = (type: RecordType, record: unknown): Verdict => {
    const values = readElement(readers[type], record);
    if (values === undefined) return { status: 'rejected', reason: rejectionReason(readers[type], record) };
    if (!contracts[type].deduplicates) return { status: 'accepted', promoted: isPromoted(values) };
    if (reject !== undefined && JSON.stringify(record).includes(reject))
      return { status: 'rejected', reason: `it contains "${reject}"` };
    return { status: store.addKey(keyOf(values)) ? 'accepted' : 'deduplicated' };
  };
  return (n, type, elements) => {
    const records = elements.map((record): StoredRecord => ({ n, type, ...judge(type, record), record }));
    const count = (wanted: StoredRecord['status']): number => records.filter(({ status }) => status === wanted).length;
    const [accepted, rejected] = [count('accepted'), count('rejected')];
    if (contracts[type].deduplicates) {
      const stats = { accepted, deduplicated: count('deduplicated'), rejected };
      return { counts: stats, result: { stats }, records };
    }
    const promoted = records.filter((record) => record.promoted).length;
    return { counts: { accepted, rejected, promoted }, result: { promotedToPipeline: promoted }, records };
  };
}

/** The company's length is first and the title last, so that two signals never share a key by where their texts end. */
function keyOf(value: FieldValue): string {
  const company = String(value('company_domain') ?? value('company_name')).toLowerCase();
  const source = String(value('signal_source'));
  const day = dayOf(value('detected_at'));
  return `${company.length} ${company} ${source} ${day} ${String(value('signal_title'))}`;
}

function dayOf(detectedAt: unknown): string {
  if (typeof detectedAt !== 'string') return '';
  const hasOffset = /[+-]\d{2}:\d{2}$/.test(detectedAt);
  return (hasOffset ? new Date(detectedAt).toISOString() : detectedAt).slice(0, 10);
}

/** Minimum warmth, from 0 to 100, of a promoted event. */
const PROMOTION_WARMTH = 70;

/** Warmth of an event without `warmth_hint`, by its engagement type without regard to case. */
const BASELINES: ReadonlyMap<string, number> = new Map([
  ['like', 20],
  ['repost', 50],
  ['comment', 60],
  ['mention', 80],
]);

/** Of any other engagement type: the list of the API is not complete. */
const OTHER_BASELINE = 30;

function isPromoted(value: FieldValue): boolean {
  const hint = value('warmth_hint');
  const baseline = BASELINES.get(squash(String(value('engagement_type')))) ?? OTHER_BASELINE;
  return (typeof hint === 'number' ? hint : baseline) >= PROMOTION_WARMTH;
}

/** The value of a field of a valid element, by the field's canonical name. */
type FieldValue = (field: string) => unknown;

type Element = Readonly<Record<string, unknown>>;

interface ElementReader {
  /** The first required name that is missing. */
  missing(element: Element): string | undefined;
  /** The first name whose value the API does not allow. */
  invalid(element: Element): string | undefined;
  values(element: Element): FieldValue;
}

/** The readers of a type, in the order in which they are tried. */
export function readersFor(type: RecordType, variants: readonly Variant[]): readonly ElementReader[] {
  if (contracts[type].variants.length === 0) return [createReader(type)];
  return variants.map((variant) => createReader(type, variant));
}

/** The fields of a valid element; undefined if no reader accepts it. */
export function readElement(readers: readonly ElementReader[], element: unknown): FieldValue | undefined {
  if (!isObject(element)) return undefined;
  // The schema is slow to reject, so missing names are looked for first.
  const accepts = ({ missing, invalid }: ElementReader): boolean =>
    missing(element) === undefined && invalid(element) === undefined;
  return readers.find(accepts)?.values(element);
}

export function rejectionReason(readers: readonly ElementReader[], element: unknown): string {
  if (!isObject(element)) return 'not an object';
  // A wrong value under a variant whose names are complete is the better reason.
  const complete = readers.find((reader) => reader.missing(element) === undefined);
  return complete === undefined
    ? `${readers[0]?.missing(element)} is missing`
    : `${complete.invalid(element)} has a value that is not allowed`;
}

function createReader(type: RecordType, variant?: Variant): ElementReader {
  const schema = contracts[type].wire(variant);
  const fields = contracts[type].fieldsOf(variant);
  const required = fields.flatMap(({ names, required }) => (required ? names : []));
  const nameOf = new Map(fields.map(({ field, names }) => [field.name, names[0] ?? field.name]));
  return {
    missing: (element) => required.find((name) => element[name] === undefined),
    invalid: (element) => schema.safeParse(element).error?.issues[0]?.path.map(String)[0],
    values: (element) => (field) => element[nameOf.get(field) ?? field],
  };
}
