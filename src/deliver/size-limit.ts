/** The largest request that the service accepts, learned from its answers: after one 413, larger batches are split unsent. */
export interface SizeLimit {
  /** Records a request that was delivered. */
  accepted(bytes: number): void;
  /** Records a request that was answered with 413. */
  tooLarge(bytes: number): void;
  /** Whether the service would certainly refuse a request of this size. */
  isTooLarge(bytes: number): boolean;
  /** Bytes of the smallest request that was too large. */
  readonly smallestRefused: number;
}

export function createSizeLimit(): SizeLimit {
  let smallestRefused = Number.POSITIVE_INFINITY;
  // A 413 for a request smaller than this one was not about its size.
  let largestAccepted = 0;
  return {
    accepted(bytes) {
      largestAccepted = Math.max(largestAccepted, bytes);
    },
    tooLarge(bytes) {
      smallestRefused = Math.min(smallestRefused, bytes);
    },
    isTooLarge: (bytes) => bytes >= smallestRefused && bytes > largestAccepted,
    get smallestRefused() {
      return smallestRefused;
    },
  };
}
