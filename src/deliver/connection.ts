/**
 * What delivery must know about a connection and undici does not show: how much of a request was written, and the first
 * error. It also removes answers that undici takes for errors.
 */
import type { Socket } from 'node:net';

const CONTINUE = 'HTTP/1.1 100';

export class Connection {
  static readonly #all = new WeakMap<Socket, Connection>();

  readonly #socket: Socket;
  #error: Error | undefined;
  /** The next bytes are the start of an answer. */
  #isAnswerStart = false;
  /** The start of an answer that is too short to be judged. */
  #held = '';

  /** @param open gets the connection until it is closed */
  private constructor(socket: Socket, open: Set<Connection>) {
    this.#socket = socket;
    open.add(this);
    socket.once('close', () => open.delete(this));
    // undici reports the last error: "other side closed" after the TLS alert that says why.
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

  /** To be called before a request is written. */
  expectAnswer(): void {
    this.#isAnswerStart = true;
  }

  /** Bytes of all requests so far. */
  get bytesQueued(): number {
    return this.#socket.bytesWritten;
  }

  /** Whether the system has the first `bytes` bytes of all requests. */
  hasWritten(bytes: number): boolean {
    return !this.#socket.destroyed && this.#socket.bytesWritten - this.#socket.writableLength >= bytes;
  }

  /** Whether nothing is left to be written. A destroyed socket may write until it is closed. */
  get isIdle(): boolean {
    return this.#socket.writableLength === 0 && !this.#socket.destroyed;
  }

  /**
   * Removes each `100 Continue` before an answer. A client must accept it also if it did not ask for it (RFC 9110, 15.2),
   * but undici closes the connection.
   */
  #withoutContinue(chunk: Buffer | null): Buffer | null {
    if (chunk === null || !this.#isAnswerStart) return chunk;
    let text = this.#held + chunk.toString('latin1');
    while (text.startsWith(CONTINUE) && text.includes('\r\n\r\n')) text = text.slice(text.indexOf('\r\n\r\n') + 4);
    const isIncomplete = text.startsWith(CONTINUE) || CONTINUE.startsWith(text);
    this.#held = isIncomplete ? text : '';
    this.#isAnswerStart = isIncomplete;
    if (isIncomplete) return null;
    return text.length === chunk.length ? chunk : Buffer.from(text, 'latin1');
  }
}
