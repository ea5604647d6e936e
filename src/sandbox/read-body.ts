/** Reading of request bodies, bounded in memory and in effort. */
import type { IncomingMessage } from 'node:http';

export type ReceivedBody =
  | { readonly kind: 'whole'; readonly body: Buffer; readonly bytes: number }
  /** Larger than the limit. It was read to its end and thrown away, so that the client reads the answer. */
  | { readonly kind: 'large'; readonly bytes: number }
  /** Larger than the limit by more than {@link PATIENCE}. The rest was not read. */
  | { readonly kind: 'endless'; readonly bytes: number }
  /** The client hung up first. */
  | { readonly kind: 'lost'; readonly bytes: number };

/** How many bytes above the limit are read and thrown away. */
const PATIENCE = 30 * 1024 * 1024;

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
      if (bytes > limit + PATIENCE) {
        request.pause();
        resolve({ kind: 'endless', bytes });
      }
    });
    request.once('end', () => {
      resolve(
        bytes <= limit ? { kind: 'whole', body: Buffer.concat(chunks), bytes } : { kind: 'large', bytes },
      );
    });
    // Comes after 'end' too, and has no effect then.
    request.once('close', () => resolve({ kind: 'lost', bytes }));
  });
}
