/**
 * The two operations (interface.md, "Endpoints"): the result of each element of a batch, and the answer's counts.
 *
 * Where the interface is silent, the sandbox decides:
 * - A signal is valid under variant a or b, also with the names of both. The option `variants` accepts one of them only,
 *   or requires the names of both.
 * - Two signals are equal if they have the same company (domain, else name, without regard to case), title, source and UTC
 *   day of `detected_at` (as written if it has no offset). This holds across all batches since the start.
 * - An invalid event is not processed, and no count of the answer mentions it. The option `invalidEvents` refuses its batch.
 * - If the option `overLimit` accepts a batch that is too large, the excess counts as rejected.
 * - Neither classification nor ICP filtering changes a count: a signal that does not qualify is accepted, because
 *   `rejected` is "the number that failed validation".
 */
import { contracts } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, type BatchElements, errorAnswer } from './answer.ts';
import type { BehaviourOptions } from './behaviour-options.ts';
import type { Effects, FieldValue } from './effects.ts';
import { type Element, type ElementReader, readerFor, readersFor, rejectionReason } from './read-elements.ts';
import type { SignalKeys } from './signal-keys.ts';
import type { StoredRecord } from './stored-record.ts';

export interface IngestResult {
  /** For the log. */
  readonly counts: {
    readonly accepted?: number;
    readonly deduplicated?: number;
    readonly rejected?: number;
    readonly promoted?: number;
  };
  /** The answer's fields besides `success` and `batchId` (interface.md, "Batch result"). */
  readonly result: Readonly<Record<string, unknown>>;
  /**
   * The result of each element. For signals it is computed by this call, because no answer depends on it. Call it once,
   * before later events change the accounts.
   */
  readonly records: () => readonly StoredRecord[];
  /** Keys of the signals that were not seen before. */
  readonly newKeys: readonly string[];
}

/** Processes the elements of request `n`, or refuses them all. */
export type Ingest = (n: number, batch: BatchElements) => IngestResult | Answer;

/**
 * @param keepsRecords if false, only the counts of signals are computed, because nothing else of them can be read.
 *   Effects of events change the answer and are always computed.
 */
export function createIngests(
  keys: SignalKeys,
  effects: Effects,
  keepsRecords: boolean,
  options: Pick<BehaviourOptions, 'variants' | 'invalidEvents'>,
): Readonly<Record<RecordType, Ingest>> {
  return {
    signals: ingestSignals(keys, effects, keepsRecords, options.variants),
    social: ingestSocial(effects, options.invalidEvents),
  };
}

function ingestSignals(
  keys: SignalKeys,
  effects: Effects,
  keepsRecords: boolean,
  variants: BehaviourOptions['variants'],
): Ingest {
  const readers = readersFor('signals', variants === 'either' ? ['a', 'b'] : [variants]);

  const recordOf = (n: number, record: unknown, isNew: boolean): StoredRecord => {
    const base = { n, type: 'signals', record } as const;
    const read = valuesOf(readers, record);
    if (read === undefined) return { ...base, status: 'rejected', reason: rejectionReason(readers, record) };
    if (!isNew) return { ...base, status: 'deduplicated' };
    return { ...base, status: 'accepted', ...effects.signal(read) };
  };

  return (n, { elements, excess, reread }) => {
    const stats = { accepted: 0, deduplicated: 0, rejected: excess };
    const newKeys: string[] = [];
    const isNew = new Uint8Array(elements.length);
    for (const [index, element] of elements.entries()) {
      const read = valuesOf(readers, element);
      if (read === undefined) {
        stats.rejected++;
        continue;
      }
      const key = keyOf(read);
      if (!keys.add(key)) {
        stats.deduplicated++;
        continue;
      }
      stats.accepted++;
      isNew[index] = 1;
      newKeys.push(key);
    }
    const records = (): readonly StoredRecord[] =>
      keepsRecords ? reread().map((record, index) => recordOf(n, record, isNew[index] === 1)) : [];
    return { counts: stats, result: { stats }, records, newKeys };
  };
}

function ingestSocial(effects: Effects, invalidEvents: BehaviourOptions['invalidEvents']): Ingest {
  const readers = readersFor('social', []);
  const { envelope } = contracts.social;
  return (n, { elements, excess }) => {
    const reads = elements.map((element) => valuesOf(readers, element));
    const invalid = invalidEvents === 'refuse' ? reads.indexOf(undefined) : -1;
    if (invalid !== -1) {
      const reason = rejectionReason(readers, elements[invalid]);
      return errorAnswer(422, 'invalid_record', `"${envelope}"[${invalid}] is not valid: ${reason}.`);
    }
    const counts = { accepted: 0, rejected: excess, promoted: 0 };
    const records = reads.map((read, index): StoredRecord => {
      const record = elements[index];
      const base = { n, type: 'social', record } as const;
      if (read === undefined) {
        counts.rejected++;
        return { ...base, status: 'rejected', reason: rejectionReason(readers, record) };
      }
      counts.accepted++;
      const event = effects.event(read);
      if (event.deal !== undefined) counts.promoted++;
      return { ...base, status: 'accepted', ...event };
    });
    return {
      counts,
      result: { promotedToPipeline: counts.promoted },
      records: () => records,
      newKeys: [],
    };
  };
}

/** The fields of a valid element; undefined if it is invalid. */
function valuesOf(readers: readonly ElementReader[], element: unknown): FieldValue | undefined {
  const reader = readerFor(readers, element);
  return reader === undefined ? undefined : (field) => reader.value(element as Element, field);
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
