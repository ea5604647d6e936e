/**
 * Finds which records of delivered batches the service rejected: sends halves of the batches again, through the same
 * delivery as a run, and adds the rows to the rejects files. An inference, see deliver/split-batch.ts.
 */
import type { Contract } from '../contract/index.ts';
import { Delivery, type DeliveryOptions, isoTime } from '../deliver/index.ts';
import { findPart, findRejected } from '../deliver/split-batch.ts';
import { type DigestOf, loadDigests } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { RunEvent } from '../model/event.ts';
import { StorageError } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';
import { ProblemError } from '../model/problem.ts';
import type { ExplainResult } from '../report/runs-text.ts';
import type { UploadDeps } from '../run/job.ts';
import type { RejectsFiles } from '../run/rejects-folder.ts';
import { createRunStop, FolderGuard, stopOnInterruption } from '../run/run-stop.ts';
import type { RejectingBatch } from '../run/stored-batches.ts';
import type { ExplainEvent, Explained, ExplainLog, NamedRow } from '../stored-runs/explain-log.ts';

export interface ExplainJob extends Pick<UploadDeps, 'transport' | 'clock' | 'lock' | 'signal'> {
  readonly folder: string;
  readonly contract: Contract;
  readonly batches: readonly RejectingBatch[];
  /** Rebuilds the sealed batches from the inputs. */
  readonly prepare: () => AsyncIterable<readonly Prepared[]>;
  readonly delivery: Omit<DeliveryOptions, 'contract'>;
  readonly graceMs: number;
  readonly explained: Explained;
  readonly rejectsNames: readonly string[];
  readonly log: ExplainLog;
  readonly rejects: Pick<RejectsFiles, 'add'>;
  readonly onProgress: (explanation: Explanation) => void;
}

export interface Explanation extends Pick<ExplainResult, 'requests' | 'failure' | 'contradictions' | 'stop'> {
  /** Rows that were added to the rejects files, by source. */
  readonly named: readonly NamedRow[];
  readonly batches: number;
}

/** Batches that are examined together: enough for every connection, and a few megabytes of memory. */
const GROUP = 64;

/** @throws ProblemError `explain.changed` if the batches can no longer be rebuilt; else rejects only with a bug */
export async function explainRun(job: ExplainJob): Promise<Explanation> {
  const { digestOf } = await loadDigests();
  const search = new Search(job, digestOf);
  const dispose = stopOnInterruption(search.runStop, job.graceMs, job);
  try {
    let group: Rebuilt[] = [];
    for await (const rebuilt of rebuild(job)) {
      group.push(rebuilt);
      // The first batch goes alone: its answer shows whether the service recognises what it has.
      if (group.length < GROUP && search.hasAnswers) continue;
      await search.examine(group);
      group = [];
      if (search.isStopped) break;
    }
    if (!search.isStopped) await search.examine(group);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  } finally {
    dispose();
  }
  return search.explanation();
}

interface Rebuilt extends RejectingBatch {
  readonly batch: Batch;
}

/** Yields the batches with their payloads, in the order of their rows. Stops reading after the last one. */
async function* rebuild({ prepare, batches }: ExplainJob): AsyncGenerator<Rebuilt> {
  const left = new Map(batches.map((one) => [one.id, one]));
  for await (const items of prepare()) {
    for (const item of items) {
      const one = item.kind === 'rebuilt' ? left.get(item.batch.id) : undefined;
      if (item.kind !== 'rebuilt' || one === undefined) continue;
      if (!item.matches) throw changed(one.id);
      left.delete(one.id);
      yield { ...one, batch: item.batch };
    }
    if (left.size === 0) return;
  }
  const [missing] = left.keys();
  if (missing !== undefined) throw changed(missing);
}

function changed(batch: string): ProblemError {
  return new ProblemError({
    code: 'explain.changed',
    message: `Batch ${batch} no longer matches the journal: an input, the mapping or the transform has changed since. Nothing more was sent.`,
    hint: 'Restore the input, or pass its new path with --input OLD=NEW.',
  });
}

class Search {
  readonly #job: ExplainJob;
  readonly #digestOf: DigestOf;
  readonly #now: () => string;
  readonly runStop = createRunStop();
  readonly #guard: FolderGuard;
  readonly #delivery: Delivery;
  readonly #named: NamedRow[] = [];
  readonly #contradictions: string[] = [];
  readonly #failed = new Set<string>();
  #batches = 0;
  #requests = 0;
  #failure: string | undefined;
  #hasAccepted = false;

  constructor(job: ExplainJob, digestOf: DigestOf) {
    this.#job = job;
    this.#digestOf = digestOf;
    const { transport, clock, lock } = job;
    this.#now = isoTime(clock);
    this.#guard = new FolderGuard(this.runStop, lock, job.folder);
    this.#delivery = new Delivery(
      { ...job.delivery, contract: job.contract, canary: false },
      {
        transport,
        clock,
        digestOf,
        runStop: this.runStop,
        record: (event) => this.#record(event),
        // The payload of every part is in the inputs.
        storePayload: async () => undefined,
      },
    );
  }

  get isStopped(): boolean {
    return this.runStop.signal.aborted;
  }

  get hasAnswers(): boolean {
    return this.#requests > 0;
  }

  explanation(): Explanation {
    return {
      named: this.#named,
      batches: this.#batches,
      requests: this.#requests,
      failure: this.#failure,
      contradictions: this.#contradictions,
      stop: this.#hasAccepted ? 'accepted' : this.runStop.reason,
    };
  }

  /** Sends parts of the batches until nothing is open, and lists the rows that are named. */
  async examine(group: readonly Rebuilt[]): Promise<void> {
    const { answers } = this.#job.explained;
    const openParts = () =>
      group.flatMap((one) =>
        findRejected(one, answers).open.flatMap((id) => (this.#failed.has(id) ? [] : [{ batch: one.batch, id }])),
      );
    for (let open = openParts(); open.length > 0 && !this.isStopped; open = openParts()) {
      for (const { batch, id } of open) {
        if (this.isStopped) break;
        await this.#delivery.submit(findPart(batch, id, this.#digestOf));
      }
      await this.#delivery.idle();
      for (const { id } of open) if (!answers.has(id)) this.#failed.add(id);
    }
    await this.#list(group);
    this.#job.onProgress(this.explanation());
  }

  async #list(group: readonly Rebuilt[]): Promise<void> {
    const { explained, rejectsNames } = this.#job;
    const found = group.flatMap(({ batch, ...one }) => {
      const findings = findRejected(one, explained.answers);
      return findings.open.length > 0 ? [] : [{ batch, ...findings }];
    });
    const rows = found.flatMap(({ batch, named }) =>
      named.flatMap((index) => {
        const row = batch.rows[index];
        return row === undefined ? [] : [{ ...row, batch: batch.id }];
      }),
    );
    const named = rows.map(({ batch, position: { source, row, line } }) => ({ batch, source, row, line }));
    const names = new Set(named.map(({ source }) => rejectsNames[source] ?? ''));
    const batches = found.map(({ batch }) => batch.id);
    if (batches.length === 0) return;
    await this.#write({
      event: 'rejects.listing',
      time: this.#now(),
      batches,
      rows: named,
      files: await this.#guard.write(() => this.#job.log.sizes(names)),
    });
    for (const { batch, position, content = '' } of rows) {
      const { source, line } = position;
      const reason = `the service rejected it (inferred from its counts for batch ${batch} and its parts)`;
      await this.#guard.write(() => this.#job.rejects.add({ source, line, reason, content }));
    }
    await this.#write({ event: 'rejects.listed', time: this.#now() });
    this.#named.push(...named);
    this.#batches += batches.length;
    this.#contradictions.push(...found.flatMap(({ contradictions }) => contradictions));
  }

  async #record(event: RunEvent): Promise<void> {
    if (event.event === 'attempt.started') this.#requests += 1;
    await this.#write(event);
    if (event.event !== 'batch.settled') return;
    if (event.receipt === undefined) {
      this.#failure ??= event.error ?? event.outcome;
      return;
    }
    this.#job.explained.answers.set(event.batch, event.receipt);
    if ((event.receipt.accepted ?? 0) === 0) return;
    // Either the service has other rules now, or it does not recognise records that it has: more requests could
    // store records twice.
    this.#hasAccepted = true;
    this.runStop.stop();
  }

  #write(event: ExplainEvent): Promise<void> {
    return this.#guard.write(() => this.#job.log.append(event));
  }
}
