/**
 * Takes what prepare hands over: records an event for each item, writes invalid rows to the rejects files, and submits
 * batches. Copies pipes into the run folder, and closes inputs that are no longer read.
 */
import { settleAsUnknown } from '../journal/batch-reducer.ts';
import type { Batch } from '../model/batch.ts';
import type { BatchSealed } from '../model/event.ts';
import type { RunStop, Stop } from '../model/outcome.ts';
import type {
  Prepared,
  PreparedBatch,
  PreparedDuplicate,
  PreparedEnd,
  PreparedInvalid,
  PreparedRebuilt,
} from '../model/prepared.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { describeIssues } from '../report/problem-text.ts';
import type { RunJob, UnsettledBatch, UploadJob } from './job.ts';
import { eventOf, type Recorder } from './recorder.ts';
import type { RejectsFiles } from './rejects-folder.ts';
import type { RowLimitGate } from './row-limits.ts';
import type { RunFiles } from './run-files.ts';
import type { ClaimGate, ShardSelector } from './select-records.ts';

interface IntakeDeps {
  readonly recorder: Pick<Recorder, 'writeOrStop' | 'storePayload' | 'now' | 'record'>;
  readonly rejects: Pick<RejectsFiles, 'add' | 'lengths'>;
  readonly gate: Pick<RowLimitGate, 'count' | 'submit'>;
  readonly runStop: Pick<RunStop, 'signal'>;
  readonly shard?: Pick<ShardSelector, 'select'> | undefined;
  readonly claims?: Pick<ClaimGate, 'select' | 'reduce'> | undefined;
}

type PreparedDropped = PreparedInvalid | PreparedDuplicate;

export class Intake {
  readonly #job: Pick<UploadJob, 'inputs' | 'resume'>;
  readonly #deps: IntakeDeps;
  /** Resolves when the last commit is in the journal. Lines are written in order, so all earlier ones are too. */
  #committed: Promise<void> = Promise.resolve();

  constructor(job: Pick<UploadJob, 'inputs' | 'resume'>, deps: IntakeDeps) {
    this.#job = job;
    this.#deps = deps;
  }

  /** Ignores the rest once the run has stopped. @throws ProblemError `resume.changed` if a batch does not match the journal */
  async take(items: readonly Prepared[]): Promise<void> {
    const { gate, runStop, shard } = this.#deps;
    const dropped: PreparedDropped[] = [];
    for (const prepared of items) {
      if (runStop.signal.aborted) break;
      gate.count(prepared);
      for (const item of await this.#claim(shard?.select(prepared) ?? [prepared])) {
        if (item.kind === 'invalid' || item.kind === 'duplicate') dropped.push(item);
        else {
          await this.#takeDropped(dropped.splice(0));
          await this.#takeOther(item);
        }
      }
    }
    await this.#takeDropped(dropped);
  }

  sealed(): Promise<void> {
    return this.#committed;
  }

  async #claim(items: readonly Prepared[]): Promise<readonly Prepared[]> {
    const { claims, recorder } = this.#deps;
    if (claims === undefined || !items.some(({ kind }) => kind === 'batch' || kind === 'end')) return items;
    const claimed: Prepared[] = [];
    await recorder.writeOrStop(async () => {
      for (const item of items) claimed.push(...(await claims.select(item)));
    });
    return claimed;
  }

  async #takeDropped(items: readonly PreparedDropped[]): Promise<void> {
    const { recorder, rejects } = this.#deps;
    const invalid = items.filter((item) => item.kind === 'invalid');
    if (invalid.length > 0) {
      await recorder.writeOrStop(async () => {
        await Promise.all(
          invalid.map(({ position: { source, line }, issues, content }) =>
            rejects.add({ source, line, reason: describeIssues(issues), content }),
          ),
        );
      });
    }
    await Promise.all(items.map((item) => this.#record(item)));
  }

  async #takeOther(item: Exclude<Prepared, PreparedDropped>): Promise<void> {
    switch (item.kind) {
      case 'skipped':
        return this.#record(item);
      case 'batch':
        return this.#takeBatch(item);
      case 'rebuilt':
        return this.#takeRebuilt(item);
      case 'end':
        return this.#commit(item);
    }
  }

  /** Does not wait for the journal: its lines are written in order, so the batch is in it before its first attempt. */
  async #takeBatch(item: PreparedBatch): Promise<void> {
    // A caller that awaits `sealed` reports a failure.
    void this.#commit(item);
    return this.#deps.gate.submit(item.batch);
  }

  async #takeRebuilt({ batch, matches }: PreparedRebuilt): Promise<void> {
    const { gate, recorder } = this.#deps;
    if (!matches) throw new ProblemError(changedInput(this.#job, batch));
    const unsettled = this.#job.resume?.unsettled.get(batch.id);
    if (unsettled === undefined) throw new Error(`batch ${batch.id} was prepared again and is not unsettled`);
    const { next, from, why } = unsettled;
    // In flight when the process ended: the journal says what was known before it says that it is sent again.
    const isUnknown = next === 'settle' || (from === 'pending' && why === 'resume --unknown');
    if (isUnknown) {
      await recorder.storePayload(batch, 'unknown');
      await recorder.record(settleAsUnknown(batch.id, unsettled.attempts, recorder.now()));
    }
    if (next === 'settle') return;
    const state = isUnknown ? 'unknown' : from;
    if (state !== 'pending') {
      await recorder.record({ event: 'batch.reopened', time: recorder.now(), batch: batch.id, from: state, why });
    }
    const rest = await this.#reduce(batch, state);
    return rest === undefined ? undefined : gate.submit(rest, unsettled);
  }

  /** What is left of a sealed batch, once the records are taken out that another run has sent since it was sealed. */
  async #reduce(batch: Batch, from: UnsettledBatch['from']): Promise<Batch | undefined> {
    const { recorder, claims } = this.#deps;
    const reduced = await recorder.writeOrStop(async () => claims?.reduce(batch));
    if (reduced === undefined || reduced.skipped.length === 0) return batch;
    const { batch: rest, keys } = reduced;
    // The stored payload is the old one.
    if (rest !== undefined && from !== 'pending') await recorder.storePayload(rest, from);
    await recorder.record({
      event: 'batch.reduced',
      time: recorder.now(),
      batch: batch.id,
      digest: rest?.digest ?? '',
      records: rest?.records ?? 0,
      bytes: rest?.payload.byteLength ?? 0,
      ranges: rest?.ranges ?? [],
      keys,
      skipped: reduced.skipped.map(({ kind: _, ...rows }) => rows),
    });
    return rest;
  }

  #commit(item: PreparedBatch | PreparedEnd): Promise<void> {
    this.#committed = this.#record(item, this.#deps.rejects.lengths());
    // The callers that await the promise report a failure.
    this.#committed.catch(() => undefined);
    return this.#committed;
  }

  #record(item: Exclude<Prepared, PreparedRebuilt>, rejects: BatchSealed['rejects'] = {}): Promise<void> {
    const { record, now } = this.#deps.recorder;
    return record(eventOf(item, now(), rejects));
  }
}

function changedInput(job: Pick<RunJob, 'inputs'>, batch: Batch): Problem {
  const ranges = batch.ranges.map(({ source, firstLine, lastLine }) => {
    return `${job.inputs[source]?.source.name ?? 'input'}, lines ${firstLine} to ${lastLine}`;
  });
  return {
    code: 'resume.changed',
    message: `Batch ${batch.id} (${ranges.join('; ')}) no longer matches the journal: the input or the mapping has changed. It was not sent.`,
    hint: 'Restore the input, or upload the new one as a new run.',
  };
}

/** Stops that do not wait for the end of a pipe: the user wants to leave, or nothing can be written. */
const URGENT: ReadonlySet<Stop['code']> = new Set(['signal', 'storage', 'folder']);

export function closeInputs({ inputs }: Pick<RunJob, 'inputs'>): void {
  for (const { source } of inputs) void source.close();
}

/** So that no reader waits for data that will not be sent. @param signal aborted when the user or the system ends the run */
export function closeOnStop(job: Pick<RunJob, 'inputs'>, runStop: RunStop, signal: AbortSignal): void {
  signal.addEventListener('abort', () => closeInputs(job));
  runStop.signal.addEventListener('abort', () => {
    // A pipe is still copied to its end, because its data cannot be read a second time.
    const isSpoolingOn = runStop.reason !== undefined && !URGENT.has(runStop.reason.code);
    for (const { source } of job.inputs) {
      if (source.spool === undefined || !isSpoolingOn) void source.close();
    }
  });
}

/** Copies pipes into the run folder. Resolves when each was copied to its end, which is recorded, or closed. */
export async function spoolInputs(
  { inputs }: Pick<RunJob, 'inputs'>,
  { writeOrStop, record, now }: Pick<Recorder, 'writeOrStop' | 'record' | 'now'>,
  journal: Pick<RunFiles['journal'], 'copy'>,
): Promise<void> {
  const spool = async ({ source }: RunJob['inputs'][number], index: number): Promise<void> => {
    const end = await source.spool?.((write) => writeOrStop(() => journal.copy(write)));
    if (end !== undefined) await record({ event: 'source.spooled', time: now(), source: index, ...end });
  };
  await Promise.allSettled(inputs.map(spool));
}
