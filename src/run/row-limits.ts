/**
 * `--max-invalid` and `--min-rows`: limits that keep a wrong input from being uploaded. What was sent cannot be taken back, so
 * batches are held back until the limits are decided, or too much memory is used. A shard judges the whole input, so that all
 * shards stop or none does.
 */
import type { Delivery } from '../deliver/index.ts';
import { count, plural } from '../lib/units.ts';
import type { RunStop, Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';
import type { RunState } from '../model/run-state.ts';

export interface RowLimits {
  /** `--max-invalid`: stop when more rows than this are invalid. */
  readonly maxInvalid?: { readonly rows: number } | { readonly percent: number } | undefined;
  /** `--min-rows`: stop if the inputs have fewer rows. */
  readonly minRows?: number | undefined;
}

/** A percentage is judged from this row on. */
const MIN_SAMPLE = 1000;

export function isRowLimit<S extends Pick<Stop, 'code'>>(stop: S | undefined): stop is S {
  return stop?.code === 'invalid' || stop?.code === 'rows';
}

const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Rows skipped by `--skip`, `--limit` and `--transform` count for neither limit. */
export class RowLimitGate {
  readonly #limits: RowLimits;
  readonly #minSample: number;
  readonly #delivery: Pick<Delivery, 'submit'>;
  readonly #runStop: RunStop;
  #rows = 0;
  #invalid = 0;
  #held: Parameters<Delivery['submit']>[] = [];
  #heldBytes = 0;

  constructor(
    limits: RowLimits = {},
    delivery: Pick<Delivery, 'submit'>,
    runStop: RunStop,
    before?: Pick<RunState, 'sources' | 'sentBefore' | 'rows' | 'excluded'>,
  ) {
    this.#limits = limits;
    this.#delivery = delivery;
    this.#runStop = runStop;
    this.#minSample = limits.maxInvalid !== undefined && 'percent' in limits.maxInvalid ? MIN_SAMPLE : 0;
    if (before === undefined) return;
    const { sources, sentBefore, rows, excluded } = before;
    // Rows that an earlier run has sent are rows of this input, although they are skipped.
    const counted = [...sources, ...sentBefore];
    this.#rows = counted.reduce((sum, part) => sum + part.rows, 0) - rows.skipped - excluded.skipped;
    this.#invalid = rows.invalid + excluded.invalid;
  }

  get isUndecided(): boolean {
    return this.#rows < Math.max(this.#limits.minRows ?? 0, this.#minSample);
  }

  count(item: Prepared): void {
    if (item.kind === 'invalid') this.#invalid += 1;
    if (item.kind === 'invalid' || item.kind === 'duplicate') this.#rows += 1;
    if (item.kind === 'batch') this.#rows += item.batch.records;
    const exceeded = this.#rows < this.#minSample ? undefined : this.#tooManyInvalid();
    if (exceeded !== undefined) this.#runStop.stop(exceeded);
  }

  async submit(...batch: Parameters<Delivery['submit']>): Promise<void> {
    this.#held.push(batch);
    this.#heldBytes += batch[0].payload.byteLength;
    if (!this.isUndecided || this.#heldBytes > MAX_HELD_BYTES) await this.#release();
  }

  /** At the end of the inputs. @param failure why an input ended early */
  async end(failure?: Stop): Promise<void> {
    const exceeded = this.#tooFew() ?? this.#tooManyInvalid();
    if (exceeded !== undefined) {
      const message = failure === undefined ? exceeded.message : `${failure.message} ${exceeded.message}`;
      return this.#runStop.stop({ ...exceeded, message });
    }
    if (failure !== undefined) this.#runStop.stopReading(failure);
    await this.#release();
  }

  #tooFew(): Stop | undefined {
    const { minRows = 0 } = this.#limits;
    if (this.#rows >= minRows) return undefined;
    return {
      code: 'rows',
      message: `The inputs have ${plural(this.#rows, 'row')}, fewer than --min-rows ${count(minRows)}.`,
    };
  }

  #tooManyInvalid(): Stop | undefined {
    const { maxInvalid: limit } = this.#limits;
    if (limit === undefined) return undefined;
    const isPercentage = 'percent' in limit;
    const most = isPercentage ? (this.#rows * limit.percent) / 100 : limit.rows;
    if (this.#invalid <= most) return undefined;
    const [found, option] = isPercentage
      ? [`${count(this.#invalid)} of ${plural(this.#rows, 'row')}`, `${limit.percent}%`]
      : [plural(this.#invalid, 'row'), count(limit.rows)];
    const are = this.#invalid === 1 ? 'is' : 'are';
    return { code: 'invalid', message: `${found} ${are} invalid, more than --max-invalid ${option} allows.` };
  }

  async #release(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const batch of held) await this.#delivery.submit(...batch);
  }
}
