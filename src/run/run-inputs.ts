/**
 * The inputs for as long as the run has them: pipes are kept to their end, and a halt gives back whatever nobody
 * will read any more.
 */
import type { Delivery } from '../deliver/index.ts';
import type { Stop } from '../model/outcome.ts';
import type { FlowJob } from './job.ts';
import type { Books } from './recorder.ts';
import type { Keeper } from './run-files.ts';

export interface Inputs {
  /**
   * Begins to keep what comes through pipes, and records, when it comes to that, that one was kept to its end. Where a
   * write of it fails the run is halted.
   */
  spool(): void;
  /** Resolves when every pipe was kept to its end or closed: by a signal, or by {@link Inputs.close}. */
  spooled(signal: AbortSignal): Promise<void>;
  /** Gives all inputs back, at whatever point they are. */
  close(): void;
}

export interface InputsDoors {
  readonly books: Pick<Books, 'guarded' | 'now' | 'record'>;
  readonly keeper: Pick<Keeper, 'copy'>;
  readonly delivery: Pick<Delivery, 'halted' | 'stop'>;
}

/** Stops that do not wait for a pipe's end: somebody wants to go, or nothing can be written. */
const HURRIES: ReadonlySet<Stop['code']> = new Set(['signal', 'storage']);

/** Bytes of text in all inputs together; undefined where one is known at its end only. */
export function textSizeOf({ inputs }: Pick<FlowJob, 'inputs'>): number | undefined {
  let sum = 0;
  for (const { textSize } of inputs) {
    if (textSize === undefined) return undefined;
    sum += textSize;
  }
  return sum;
}

/** Gives all inputs back, at whatever point they are. */
export function closeInputs(job: FlowJob): void {
  for (const { source } of job.inputs) void source.close();
}

/** Closes inputs as soon as the run is halted. */
export function holdInputs(job: FlowJob, { books, keeper, delivery }: InputsDoors): Inputs {
  let spooling: readonly Promise<void>[] = [];
  const close = (): void => closeInputs(job);
  // A reader that waits would otherwise wait on, although nothing will be sent any more. But a pipe is read to its
  // end all the same, where nobody is in a hurry: what it has given it will not give again.
  const isDraining = (): boolean => delivery.stop !== undefined && !HURRIES.has(delivery.stop.code);
  delivery.halted.addEventListener('abort', () => {
    for (const { source } of job.inputs) if (source.spool === undefined || !isDraining()) void source.close();
  });
  return {
    spool() {
      spooling = job.inputs.map(async ({ source }, index) => {
        const end = await source.spool?.((write) => books.guarded(() => keeper.copy(write)));
        if (end === undefined) return;
        await books.record({ event: 'source.spooled', time: books.now(), source: index, ...end });
      });
    },
    async spooled(signal) {
      if (signal.aborted) close();
      else signal.addEventListener('abort', close, { once: true });
      await Promise.allSettled(spooling);
    },
    close,
  };
}
