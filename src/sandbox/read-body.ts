/** Reads request bodies, bounded in memory and in time. */
import type { IncomingMessage } from 'node:http';

interface ReceivedBody {
  /**
   * - `complete`: all of it was read.
   * - `unread`: it is larger than the limit by more than {@link DISCARD_LIMIT}, and the rest was not read.
   * - `aborted`: the client closed the connection first.
   */
  readonly end: 'complete' | 'unread' | 'aborted';
  /** Undefined if it is incomplete or larger than the limit. */
  readonly body?: Buffer;
  /** Bytes that arrived. */
  readonly bytes: number;
}

/** Bytes above the limit that are read and discarded, so that the client reads the answer. */
const DISCARD_LIMIT = 30 * 1024 * 1024;

/** The body of a request, unless it has more than `limit` bytes. Never rejects. */
export function readBody(request: IncomingMessage, limit: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      if (bytes > limit + DISCARD_LIMIT) {
        request.pause();
        resolve({ end: 'unread', bytes });
      }
    });
    request.once('end', () => {
      resolve({ end: 'complete', bytes, ...(bytes <= limit && { body: Buffer.concat(chunks) }) });
    });
    // 'close' also follows 'end'; the promise is then resolved already.
    request.once('close', () => resolve({ end: 'aborted', bytes }));
  });
}
