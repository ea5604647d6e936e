/** The queue of attempts. A task is one HTTP request, so retries queue like first attempts. */
import PQueue from 'p-queue';

export interface AttemptQueue {
  /** Runs the task when the concurrency allows, first come, first served. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Changes the concurrency. Running tasks continue. */
  resize(concurrency: number): void;
}

export function createAttemptQueue(concurrency: number): AttemptQueue {
  const queue = new PQueue({ concurrency });
  return {
    run: (task) => queue.add(task),
    resize(size) {
      // Every assignment makes p-queue look for tasks to start.
      if (size !== queue.concurrency) queue.concurrency = size;
    },
  };
}
