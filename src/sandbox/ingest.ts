/**
 * The two operations (interface.md, "Endpoints"): the result of each element of a batch, and the answer's counts.
 *
 * Where the interface is silent, the sandbox decides:
 * - A signal is valid under variant a or b, also with the names of both. The option `variants` accepts one of them only,
 *   or requires the names of both.
 * - Two signals are equal if they have the same company (domain, else name, without regard to case), title, source and UTC
 *   day of `detected_at` (as written if it has no offset). This holds across all batches since the start.
 * - An invalid event is not processed, and no count of the answer mentions it. The option `invalidEvents` refuses its batch.
 * - Neither classification nor ICP filtering changes a count: a signal that does not qualify is accepted, because
 *   `rejected` is "the number that failed validation".
 */
import { contracts } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, errorAnswer } from './answer.ts';
import type { BehaviourOptions } from './behaviour-options.ts';
import type { LoggedRequest } from './logged-request.ts';
import { type FieldValue, readElement, readersFor, rejectionReason } from './read-elements.ts';
import type { Store } from './store.ts';
import type { StoredRecord } from './stored-record.ts';

/** A batch to process. */
export interface Batch {
  readonly elements: readonly unknown[];
  /**
   * Parses the elements again. Holding this instead of the elements keeps only the body in memory, which is smaller and
   * costs the garbage collector nothing.
   */
  readonly reread: () => readonly unknown[];
}

interface IngestResult {
  /** For the log. */
  readonly counts: Pick<LoggedRequest, 'accepted' | 'deduplicated' | 'rejected' | 'promoted'>;
  /** The answer's fields besides `success` and `batchId` (interface.md, "Batch result"). */
  readonly result: Readonly<Record<string, unknown>>;
  /** The result of each element. For signals this call computes it, because no answer depends on it. */
  readonly records: () => readonly StoredRecord[];
  /** Keys of the signals that were not seen before. */
  readonly newKeys: readonly string[];
}

/** Processes the batch of request `n`, or refuses it. */
type Ingest = (n: number, batch: Batch) => IngestResult | Answer;

export function createIngests(
  store: Store,
  { variants, invalidEvents, reject }: Pick<BehaviourOptions, 'variants' | 'invalidEvents' | 'reject'>,
): Readonly<Record<RecordType, Ingest>> {
  return { signals: ingestSignals(store, variants, reject), social: ingestSocial(store, invalidEvents) };
}

function ingestSignals(store: Store, variants: BehaviourOptions['variants'], reject: string | undefined): Ingest {
  const readers = readersFor('signals', variants === 'either' ? ['a', 'b'] : [variants]);
  const breaksRule = (record: unknown): boolean => reject !== undefined && JSON.stringify(record).includes(reject);

  const recordOf = (n: number, record: unknown, isNew: boolean): StoredRecord => {
    const base = { n, type: 'signals', record } as const;
    const values = readElement(readers, record);
    if (values === undefined) return { ...base, status: 'rejected', reason: rejectionReason(readers, record) };
    if (breaksRule(record)) return { ...base, status: 'rejected', reason: `it contains "${reject}"` };
    if (!isNew) return { ...base, status: 'deduplicated' };
    return { ...base, status: 'accepted', ...store.effects.signal(values) };
  };

  return (n, { elements, reread }) => {
    const stats = { accepted: 0, deduplicated: 0, rejected: 0 };
    const newKeys: string[] = [];
    const isNew: boolean[] = [];
    // Not a callback, which would keep the keys in memory for as long as `records`.
    for (const element of elements) {
      const values = readElement(readers, element);
      const key = values && !breaksRule(element) ? keyOf(values) : undefined;
      const added = key !== undefined && store.keys.add(key);
      isNew.push(added);
      if (added) newKeys.push(key);
      stats[key === undefined ? 'rejected' : added ? 'accepted' : 'deduplicated']++;
    }
    // Nothing else of a signal can be read if records are not kept.
    const records = (): readonly StoredRecord[] =>
      store.keepsRecords ? reread().map((record, index) => recordOf(n, record, isNew[index] === true)) : [];
    return { counts: stats, result: { stats }, records, newKeys };
  };
}

function ingestSocial(store: Store, invalidEvents: BehaviourOptions['invalidEvents']): Ingest {
  const readers = readersFor('social', []);
  const { envelope } = contracts.social;
  return (n, { elements }) => {
    // An event can create an account, which earlier signals must not match.
    store.computeDeferred();
    const read = elements.map((element) => readElement(readers, element));
    const invalid = invalidEvents === 'refuse' ? read.indexOf(undefined) : -1;
    if (invalid !== -1) {
      const reason = rejectionReason(readers, elements[invalid]);
      return errorAnswer(422, 'invalid_record', `"${envelope}"[${invalid}] is not valid: ${reason}.`);
    }
    const counts = { accepted: 0, rejected: 0, promoted: 0 };
    const records = elements.map((record, index): StoredRecord => {
      const base = { n, type: 'social', record } as const;
      const values = read[index];
      if (values === undefined) {
        counts.rejected++;
        return { ...base, status: 'rejected', reason: rejectionReason(readers, record) };
      }
      counts.accepted++;
      const event = store.effects.event(values);
      if (event.deal !== undefined) counts.promoted++;
      return { ...base, status: 'accepted', ...event };
    });
    return { counts, result: { promotedToPipeline: counts.promoted }, records: () => records, newKeys: [] };
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
