/** The inputs while a run uses them: pipes are copied into the run folder, and a stop closes what is no longer read. */
import type { Stop } from '../model/outcome.ts';
import type { RunStop } from '../model/run-stop.ts';
import type { RunJob, UploadDeps } from './job.ts';
import type { Recorder } from './recorder.ts';

/** Stops that do not wait for the end of a pipe: the user wants to leave, or nothing can be written. */
const URGENT: ReadonlySet<Stop['code']> = new Set(['signal', 'storage', 'folder']);

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

/**
 * Closes inputs as soon as the run stops, so that no reader waits for data that will not be sent.
 * @param signal aborted when the user or the system ends the run
 */
export function closeOnStop(job: Pick<RunJob, 'inputs'>, runStop: RunStop, signal: AbortSignal): void {
  signal.addEventListener('abort', () => closeInputs(job), { once: true });
  runStop.signal.addEventListener('abort', () => {
    // A pipe is still copied to its end, because its data cannot be read a second time.
    const isSpoolingOn = runStop.reason !== undefined && !URGENT.has(runStop.reason.code);
    for (const { source } of job.inputs) {
      if (source.spool === undefined || !isSpoolingOn) void source.close();
    }
  });
}

/**
 * Copies pipes into the run folder, and records each that was copied to its end. Resolves when every pipe was copied or
 * its input was closed.
 */
export async function spoolInputs(
  { inputs }: Pick<RunJob, 'inputs'>,
  { writeOrStop, record, now }: Recorder,
  { journal }: Pick<UploadDeps['runFiles'], 'journal'>,
): Promise<void> {
  const spool = async ({ source }: RunJob['inputs'][number], index: number): Promise<void> => {
    const end = await source.spool?.((write) => writeOrStop(() => journal.copy(write)));
    if (end !== undefined) await record({ event: 'source.spooled', time: now(), source: index, ...end });
  };
  await Promise.allSettled(inputs.map(spool));
}
