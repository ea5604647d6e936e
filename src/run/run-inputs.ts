/**
 * The inputs for as long as the run has them: pipes are kept to their end, and a halt gives back whatever nobody
 * will read any more.
 */
import type { Delivery } from '../deliver/index.ts';
import type { Stop } from '../model/outcome.ts';
import type { RunJob } from './job.ts';
import type { Recorder } from './recorder.ts';
import type { RunFiles } from './run-files.ts';

export interface RunInputs {
  /**
   * Begins to keep what comes through pipes, and records, when it comes to that, that one was kept to its end. Where a
   * write of it fails the run is halted.
   */
  spool(): void;
  /** Resolves when every pipe was kept to its end or closed: by a signal, or by {@link RunInputs.close}. */
  spooled(signal: AbortSignal): Promise<void>;
  /** Gives all inputs back, at whatever point they are. */
  close(): void;
}

export interface RunInputsDeps {
  readonly books: Pick<Recorder, 'guarded' | 'now' | 'record'>;
  readonly runFiles: Pick<RunFiles, 'copy'>;
  readonly delivery: Pick<Delivery, 'halted' | 'stop'>;
}

/** Stops that do not wait for a pipe's end: somebody wants to go, or nothing can be written. */
const HURRIES: ReadonlySet<Stop['code']> = new Set(['signal', 'storage']);

/** Bytes of text in all inputs together; undefined where one is known at its end only. */
export function textSizeOf({ inputs }: Pick<RunJob, 'inputs'>): number | undefined {
  let sum = 0;
  for (const { textSize } of inputs) {
    if (textSize === undefined) return undefined;
    sum += textSize;
  }
  return sum;
}

/** Gives all inputs back, at whatever point they are. */
export function closeInputs(job: RunJob): void {
  for (const { source } of job.inputs) void source.close();
}

/** Closes inputs as soon as the run is halted. */
export function createRunInputs(job: RunJob, { books, runFiles, delivery }: RunInputsDeps): RunInputs {
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
        const end = await source.spool?.((write) => books.guarded(() => runFiles.copy(write)));
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
