/**
 * Counts the progress of a run: bytes, speed and time left, from the ledger and a clock.
 *
 * Steps of the clock that go backwards or are too long (a clock that was set, a machine that slept) count as zero.
 */
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { RecordType } from '../model/record.ts';
import type { ProgressView } from './progress-text.ts';

export interface ProgressMeterOptions {
  /** Milliseconds of any clock. */
  readonly now: () => number;
  readonly type: RecordType;
  /** Bytes of all inputs; undefined if one of them is a pipe. */
  readonly totalBytes: number | undefined;
  /** In a check, a row that was read is done, and deliveries are not shown. */
  readonly checking?: boolean | undefined;
}

/** A longer step is a jump of the clock: displays read it at least once a second. */
const JUMP_MS = 30_000;
const WINDOW_MS = 10_000;
const SAMPLE_MS = 250;
/** Shortest time for a meaningful rate. */
const MIN_WINDOW_MS = 2_000;
/** Longer estimates are not shown. */
const MAX_ESTIMATE_MS = 99 * 3_600_000;

export class ProgressMeter {
  readonly #options: ProgressMeterOptions;
  readonly #stopwatch: Stopwatch;
  readonly #speed = new SpeedWindow();
  #ledger: Ledger | undefined;
  #pause: { readonly from: number; readonly ms: number; readonly why: string } | undefined;

  constructor(options: ProgressMeterOptions) {
    this.#options = options;
    this.#stopwatch = new Stopwatch(options.now);
  }

  update(event: RunEvent, ledger: Ledger): void {
    this.#ledger = ledger;
    if (event.event !== 'throttle.changed' || event.state === 'paced') return;
    this.#pause =
      event.state === 'open'
        ? undefined
        : { from: this.elapsed(), ms: event.ms ?? 0, why: event.why ?? 'sending is paused' };
  }

  /** Milliseconds since the meter was created, without jumps of the clock. */
  elapsed(): number {
    return this.#stopwatch.elapsed();
  }

  /** Takes a sample and returns what to show; undefined before the first event. */
  view(): ProgressView | undefined {
    const ledger = this.#ledger;
    if (ledger === undefined) return undefined;
    const { type, checking, totalBytes } = this.#options;
    const { rows, sources } = ledger;
    const elapsed = this.elapsed();
    const bytesRead = sources.reduce((sum, source) => sum + source.read, 0);
    const bytesTotal = sources.every((source) => source.ended) ? bytesRead : totalBytes;
    const settled = checking === true ? rows.read : rows.read - rows.pending;
    const bytesDone = rows.read === 0 ? 0 : bytesRead * (settled / rows.read);
    const records = checking === true ? rows.read : rows.delivered;
    this.#speed.add({ at: elapsed, jumps: this.#stopwatch.jumps, records, bytesDone });
    const pause = this.#pause;
    return {
      type,
      checking,
      rows,
      batches: ledger.batches,
      service: ledger.service,
      bytesRead,
      bytesTotal,
      rate: this.#speed.recordsPerSecond(),
      msLeft: bytesTotal === undefined ? undefined : this.#speed.msFor(bytesTotal - bytesDone),
      paused: pause && { why: pause.why, ms: Math.max(0, pause.ms - (elapsed - pause.from)) },
      concurrency: ledger.throttle.concurrency,
    };
  }
}

/** Measures time without the jumps of its clock. */
class Stopwatch {
  readonly #now: () => number;
  #last: number;
  #total = 0;
  #jumps = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  get jumps(): number {
    return this.#jumps;
  }

  elapsed(): number {
    const now = this.#now();
    const step = now - this.#last;
    this.#last = now;
    if (step >= 0 && step <= JUMP_MS) this.#total += step;
    else this.#jumps += 1;
    return this.#total;
  }
}

interface Sample {
  readonly at: number;
  readonly jumps: number;
  readonly records: number;
  /** Input bytes of settled rows. */
  readonly bytesDone: number;
}

/** Speeds over a sliding window, with at most one sample per {@link SAMPLE_MS}. */
class SpeedWindow {
  #samples: Sample[] = [];

  add(sample: Sample): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && last.jumps !== sample.jumps) this.#samples = [];
    else if (last !== undefined && sample.at - last.at < SAMPLE_MS) return;
    this.#samples.push(sample);
    this.#samples = this.#samples.filter(({ at }) => sample.at - at <= WINDOW_MS);
  }

  recordsPerSecond(): number | undefined {
    const growth = this.#growth();
    return growth && Math.max(0, growth.records / (growth.ms / 1000));
  }

  /** Estimated milliseconds for these bytes; undefined without progress or for a very long time. */
  msFor(bytes: number): number | undefined {
    const growth = this.#growth();
    if (growth === undefined || growth.bytesDone <= 0) return undefined;
    const ms = (Math.max(0, bytes) * growth.ms) / growth.bytesDone;
    return ms <= MAX_ESTIMATE_MS ? ms : undefined;
  }

  #growth(): { readonly ms: number; readonly records: number; readonly bytesDone: number } | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < MIN_WINDOW_MS) return undefined;
    return {
      ms: last.at - first.at,
      records: last.records - first.records,
      bytesDone: last.bytesDone - first.bytesDone,
    };
  }
}
