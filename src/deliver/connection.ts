/**
 * What delivery needs to know about a connection but undici does not expose: how much of a request was written, and the
 * first error. It also removes interim answers that undici treats as errors.
 */
import type { Socket } from 'node:net';

const CONTINUE = 'HTTP/1.1 100';

/** In bytes: what undici and Node accept of an answer's head. */
const MAX_HEAD = 16 * 1024;

export class Connection {
  static readonly #all = new WeakMap<Socket, Connection>();

  readonly #socket: Socket;
  #error: Error | undefined;
  /** Whether the next bytes start an answer. */
  #isAnswerStart = false;
  /** The start of an answer, until it is clear whether it is `100 Continue`. */
  #held = '';

  /** @param open contains the connection until it is closed */
  private constructor(socket: Socket, open: Set<Connection>) {
    this.#socket = socket;
    open.add(this);
    socket.once('close', () => open.delete(this));
    // undici reports the last error, such as "other side closed". The TLS alert before it is the cause.
    socket.once('error', (error) => {
      this.#error = error;
    });
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => this.#withoutContinue(read(size));
  }

  static of(socket: Socket, open: Set<Connection>): Connection {
    const connection = Connection.#all.get(socket) ?? new Connection(socket, open);
    Connection.#all.set(socket, connection);
    return connection;
  }

  get error(): Error | undefined {
    return this.#error;
  }

  /** Call this before a request is written. */
  expectAnswer(): void {
    this.#isAnswerStart = true;
  }

  /** Bytes of all requests so far, written or waiting. */
  get bytesQueued(): number {
    return this.#socket.bytesWritten;
  }

  /** Whether the first `bytes` bytes of all requests were handed to the system. */
  hasWritten(bytes: number): boolean {
    return !this.#socket.destroyed && this.#socket.bytesWritten - this.#socket.writableLength >= bytes;
  }

  /** Whether nothing is left to write. A destroyed socket may still write until it is closed. */
  get isIdle(): boolean {
    return this.#socket.writableLength === 0 && !this.#socket.destroyed;
  }

  /**
   * Removes each `100 Continue` before an answer. A client must accept one that it did not request (RFC 9110, 15.2), but
   * undici closes the connection.
   */
  #withoutContinue(chunk: Buffer | null): Buffer | null {
    if (chunk === null || !this.#isAnswerStart) return chunk;
    let text = this.#held + chunk.toString('latin1');
    while (text.startsWith(CONTINUE) && text.includes('\r\n\r\n')) text = text.slice(text.indexOf('\r\n\r\n') + 4);
    // undici judges a head that is too long.
    const isIncomplete = (text.startsWith(CONTINUE) || CONTINUE.startsWith(text)) && text.length <= MAX_HEAD;
    this.#held = isIncomplete ? text : '';
    this.#isAnswerStart = isIncomplete;
    if (isIncomplete) return null;
    return text.length === chunk.length ? chunk : Buffer.from(text, 'latin1');
  }
}
