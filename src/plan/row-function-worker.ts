/**
 * Runs the module of `--transform` in a worker thread, so that an endless loop can be ended, and `process.exit` and
 * `console.log` affect only that thread. Rows are sent a block at a time, because a message takes longer than most functions.
 */
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { nextMessage } from '../input/worker-message.ts';
import type { RowArgument, RowFunctionAnswer } from '../map/index.ts';

/** A row that takes longer is given up. */
const TIME_LIMIT_MS = 5000;
const CHECK_MS = 500;

/** What the module exports as its default, as a clause; or why it has no exports. */
export type LoadedModule = { readonly exports: string } | { readonly error: string };

const THREAD = new URL('./row-function-thread.js', import.meta.url);

export class RowFunctionWorker {
  readonly #url: string;
  readonly #onOutput: (line: string) => void;
  readonly #started = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #isClosed = false;

  /** @param onOutput receives what the module prints */
  constructor(url: string, onOutput: (line: string) => void) {
    this.#url = url;
    this.#onOutput = onOutput;
  }

  /** Starts the thread and loads the module. */
  async load(): Promise<LoadedModule> {
    const worker = new Worker(THREAD, {
      stdout: true,
      stderr: true,
      workerData: { url: this.#url, started: this.#started.buffer },
    });
    this.#worker = worker;
    for (const output of [worker.stdout, worker.stderr]) createInterface(output).on('line', this.#onOutput);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    const message = await answerOf<LoadedModule>(worker);
    worker.unref();
    return message ?? { error: 'it ended its thread (process.exit)' };
  }

  /** Ends the thread, also while the function runs. */
  close(): void {
    this.#isClosed = true;
    void this.#worker?.terminate();
  }

  /**
   * The answers for the rows, in order. A row that ends the thread or does not return is given up.
   *
   * @throws Error after {@link close}
   */
  async call(rows: readonly RowArgument[]): Promise<readonly RowFunctionAnswer[]> {
    if (rows.length === 0) return [];
    if (this.#worker === undefined && !this.#isClosed) await this.load();
    const worker = this.#worker;
    if (this.#isClosed) throw new Error('the transform was closed');
    // The module was loaded before, and now ends its thread immediately.
    if (worker === undefined) return rows.map(() => ({ kind: 'ended' }));
    Atomics.store(this.#started, 0, 0);
    worker.ref();
    worker.postMessage(rows);
    let isStuck = false;
    let last = { row: 0, time: performance.now() };
    const timer = setInterval(() => {
      const now = { row: Atomics.load(this.#started, 0), time: performance.now() };
      if (now.row !== last.row) last = now;
      isStuck = now.time - last.time >= TIME_LIMIT_MS;
      if (isStuck) void worker.terminate();
    }, CHECK_MS);
    const answers = await answerOf<readonly RowFunctionAnswer[]>(worker);
    clearInterval(timer);
    worker.unref();
    if (this.#isClosed) throw new Error('the transform was closed');
    if (answers !== undefined) return answers;
    // The answers for the rows before it are lost, so those rows are sent again.
    const row = Math.max(0, Atomics.load(this.#started, 0) - 1);
    return [
      ...(await this.call(rows.slice(0, row))),
      { kind: isStuck ? 'stuck' : 'ended' },
      ...(await this.call(rows.slice(row + 1))),
    ];
  }
}

/** Undefined if the thread has ended or failed. */
function answerOf<T>(worker: Worker): Promise<T | undefined> {
  return nextMessage<T>(worker).catch(() => undefined);
}
