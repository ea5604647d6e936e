/** The inputs while a run uses them: pipes are copied into the run folder, and a stop closes what is no longer read. */
import type { Stop } from '../model/outcome.ts';
import type { RunStop } from '../model/run-stop.ts';
import type { RunJob } from './job.ts';
import type { JournalFile } from './journal-file.ts';
import type { Recorder } from './recorder.ts';

export interface RunInputs {
  /** Starts to copy pipes into the run folder, and records when one was copied to its end. */
  spool(): void;
  /** Resolves when every pipe was copied to its end, or closed by the signal or by {@link RunInputs.close}. */
  spooled(signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface RunInputsDeps {
  readonly recorder: Pick<Recorder, 'writeOrStop' | 'now' | 'record'>;
  readonly journal: Pick<JournalFile, 'copy'>;
  readonly runStop: Pick<RunStop, 'signal' | 'reason'>;
}

/** Stops that do not wait for the end of a pipe: the user wants to leave, or nothing can be written. */
const URGENT: ReadonlySet<Stop['code']> = new Set(['signal', 'storage']);

/** Bytes of text in all inputs. Undefined if one size is known only at its end. */
export function textSizeOf({ inputs }: Pick<RunJob, 'inputs'>): number | undefined {
  let sum = 0;
  for (const { textSize } of inputs) {
    if (textSize === undefined) return undefined;
    sum += textSize;
  }
  return sum;
}

export function closeInputs({ inputs }: Pick<RunJob, 'inputs'>): void {
  for (const { source } of inputs) void source.close();
}

/** Inputs are closed as soon as the run stops, so that no reader waits for data that will not be sent. */
export function createRunInputs(job: Pick<RunJob, 'inputs'>, { recorder, journal, runStop }: RunInputsDeps): RunInputs {
  let spooling: readonly Promise<void>[] = [];
  const close = (): void => closeInputs(job);

  runStop.signal.addEventListener('abort', () => {
    // A pipe is still copied to its end, because its data cannot be read a second time.
    const isSpoolingOn = runStop.reason !== undefined && !URGENT.has(runStop.reason.code);
    for (const { source } of job.inputs) {
      if (source.spool === undefined || !isSpoolingOn) void source.close();
    }
  });

  return {
    spool() {
      spooling = job.inputs.map(async ({ source }, index) => {
        const end = await source.spool?.((write) => recorder.writeOrStop(() => journal.copy(write)));
        if (end === undefined) return;
        await recorder.record({ event: 'source.spooled', time: recorder.now(), source: index, ...end });
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
