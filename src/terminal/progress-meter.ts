/** Counts the progress of a run: bytes, speed and time left, from the ledger and a clock. */
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { RecordType } from '../model/record.ts';
import type { ProgressView } from './progress-text.ts';

export interface ProgressMeterOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly type: RecordType;
  /** Bytes of all inputs; undefined if one of them is a pipe. */
  readonly totalBytes: number | undefined;
  /** In a check, a row that was read is done, and deliveries are not shown. */
  readonly checking?: boolean | undefined;
}

/** The counts at a moment. */
interface Sample {
  readonly at: number;
  readonly records: number;
  /** Input bytes of settled rows. */
  readonly bytesDone: number;
}

/** The period over which the speed is measured. */
const WINDOW_MS = 10_000;
const SAMPLE_MS = 250;
/** Shortest time for a meaningful speed. */
const MIN_WINDOW_MS = 2_000;
/** Longer estimates are not shown. */
const MAX_ESTIMATE_MS = 99 * 3_600_000;

export class ProgressMeter {
  readonly #options: ProgressMeterOptions;
  #ledger: Ledger | undefined;
  #pause: { readonly until: number; readonly why: string } | undefined;
  /** At most one per {@link SAMPLE_MS}. */
  #samples: readonly Sample[] = [];

  constructor(options: ProgressMeterOptions) {
    this.#options = options;
  }

  update(event: RunEvent, ledger: Ledger): void {
    this.#ledger = ledger;
    if (event.event !== 'throttle.changed' || event.state === 'paced') return;
    this.#pause =
      event.state === 'open'
        ? undefined
        : { until: this.#options.now() + (event.ms ?? 0), why: event.why ?? 'sending is paused' };
  }

  /** Takes a sample and returns what to show; undefined before the first event. */
  view(): ProgressView | undefined {
    const ledger = this.#ledger;
    if (ledger === undefined) return undefined;
    const { now, type, checking, totalBytes } = this.#options;
    const { rows, sources } = ledger;
    const at = now();
    const bytesRead = sources.reduce((sum, source) => sum + source.read, 0);
    const bytesTotal = sources.every((source) => source.ended) ? bytesRead : totalBytes;
    const settled = checking === true ? rows.read : rows.read - rows.pending;
    const bytesDone = rows.read === 0 ? 0 : bytesRead * (settled / rows.read);
    const growth = this.#growth({ at, records: checking === true ? rows.read : rows.delivered, bytesDone });
    const pause = this.#pause;
    return {
      type,
      checking,
      rows,
      batches: ledger.batches,
      service: ledger.service,
      bytesRead,
      bytesTotal,
      throughput: growth && Math.max(0, growth.records / (growth.ms / 1000)),
      msLeft: growth && bytesTotal !== undefined ? timeFor(bytesTotal - bytesDone, growth) : undefined,
      paused: pause && { why: pause.why, ms: Math.max(0, pause.until - at) },
      concurrency: ledger.throttle.concurrency,
    };
  }

  /** Adds a sample. Returns the growth over the last seconds; undefined in the first ones. */
  #growth(sample: Sample): Growth | undefined {
    const newest = this.#samples.at(-1);
    if (newest === undefined || sample.at - newest.at >= SAMPLE_MS) {
      this.#samples = [...this.#samples, sample].filter(({ at }) => sample.at - at <= WINDOW_MS);
    }
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < MIN_WINDOW_MS) return undefined;
    return {
      ms: last.at - first.at,
      records: last.records - first.records,
      bytesDone: last.bytesDone - first.bytesDone,
    };
  }
}

interface Growth {
  readonly ms: number;
  readonly records: number;
  readonly bytesDone: number;
}

/** Estimated milliseconds for these bytes; undefined without progress or for a very long time. */
function timeFor(bytes: number, growth: Growth): number | undefined {
  if (growth.bytesDone <= 0) return undefined;
  const ms = (Math.max(0, bytes) * growth.ms) / growth.bytesDone;
  return ms <= MAX_ESTIMATE_MS ? ms : undefined;
}
