/** Reads a Parquet file in a worker thread: hyparquet may never return for a damaged file, and Ctrl-C works meanwhile. */
import { Worker } from 'node:worker_threads';
import type { FileMetaData, SchemaTree } from 'hyparquet';
import { nextMessage } from '../worker-message.ts';

/** The longest a range of rows takes is about a second. */
const TIME_LIMIT_MS = 60_000;

const THREAD = new URL('./reader-thread.js', import.meta.url);

type Answer = { readonly value: unknown } | { readonly error: unknown };

export class ParquetReader {
  readonly #worker: Worker;
  readonly #limitMs: number;

  /** @param fd must stay open until {@link close} */
  constructor(fd: number, size: number, limitMs = TIME_LIMIT_MS) {
    this.#limitMs = limitMs;
    this.#worker = new Worker(THREAD, { workerData: { fd, size } });
    this.#worker.unref();
  }

  /**
   * What the end of the file describes. The elements of the tree are those of `metadata.schema`.
   *
   * @throws Error of hyparquet or of the file system; `ERR_MODULE_NOT_FOUND` if a package is not installed
   */
  schema(): Promise<{ readonly metadata: FileMetaData; readonly schema: SchemaTree }> {
    return this.#ask(undefined);
  }

  /** The schema by which rows are read. Call it before {@link rows}. */
  useMetadata(metadata: FileMetaData): void {
    this.#worker.postMessage(metadata);
  }

  /**
   * The values of rows of a row group, in the order of its columns.
   *
   * @throws as {@link schema}
   */
  rows(group: number, rowStart: number, rowEnd: number): Promise<readonly (readonly unknown[])[]> {
    return this.#ask({ group, rowStart, rowEnd });
  }

  async #ask<T>(question: unknown): Promise<T> {
    this.#worker.ref();
    this.#worker.postMessage(question);
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      void this.#worker.terminate();
    }, this.#limitMs);
    try {
      const answer = await nextMessage<Answer>(this.#worker);
      if (isSlow) throw new Error(`a part of it could not be read within ${this.#limitMs / 1000} seconds`);
      if (answer === undefined) throw new Error('its reader ended');
      if ('error' in answer) throw answer.error;
      return answer.value as T;
    } finally {
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
