/** Answers of worker threads. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';

/** The next message of a worker thread; undefined if the thread ends before. @throws its error if it fails */
export async function nextMessage<T>(worker: Worker): Promise<T | undefined> {
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  worker.once('exit', stop);
  try {
    const [value] = await once(worker, 'message', { signal: ended.signal });
    return value as T;
  } catch (error) {
    if (ended.signal.aborted) return undefined;
    throw error;
  } finally {
    worker.off('exit', stop);
  }
}
