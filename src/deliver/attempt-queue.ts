/** The queue of attempts. One task is one HTTP request, so that retries stand in the same line as everybody else. */
import PQueue from 'p-queue';

export interface AttemptQueue {
  /** Runs the task when one of the places is free; first come, first served. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Changes how many tasks run at once; those that run go on. */
  resize(places: number): void;
}

/** @param places how many tasks run at once */
export function createAttemptQueue(places: number): AttemptQueue {
  const queue = new PQueue({ concurrency: places });
  return {
    run: (task) => queue.add(task),
    resize: (size) => {
      // Told the same again, it would look for tasks to start all the same.
      if (size !== queue.concurrency) queue.concurrency = size;
    },
  };
}
