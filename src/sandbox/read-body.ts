/** Reads request bodies, bounded in memory and in time. */
import type { IncomingMessage } from 'node:http';

export type ReceivedBody =
  | { readonly kind: 'complete'; readonly body: Buffer; readonly bytes: number }
  /** Larger than the limit. It was read to its end and discarded, so that the client reads the answer. */
  | { readonly kind: 'too-large'; readonly bytes: number }
  /** Larger than the limit by more than {@link DISCARD_LIMIT}. The rest was not read. */
  | { readonly kind: 'far-too-large'; readonly bytes: number }
  /** The client closed the connection first. */
  | { readonly kind: 'aborted'; readonly bytes: number };

/** Bytes above the limit that are read and discarded. */
const DISCARD_LIMIT = 30 * 1024 * 1024;

/** The body of a request, at most `limit` bytes of it. `bytes` counts what arrived. Never rejects. */
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
        resolve({ kind: 'far-too-large', bytes });
      }
    });
    request.once('end', () => {
      resolve(bytes <= limit ? { kind: 'complete', body: Buffer.concat(chunks), bytes } : { kind: 'too-large', bytes });
    });
    // 'close' also follows 'end'; the promise is then resolved already.
    request.once('close', () => resolve({ kind: 'aborted', bytes }));
  });
}
