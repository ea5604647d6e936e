/** The HTTP client. It retries nothing, follows no redirect, and sends the key in one header to one origin. */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { type Dispatcher, errors } from 'undici';
import { attempt } from '../lib/text.ts';
import { type AnswerHeaders, type AttemptResult, answerHeaders, type FailedAttempt } from '../model/outcome.ts';
import { createDispatcher, ProxyConnectError, type Route } from './dispatcher.ts';
import { createKeyRedactor, type KeyRedactor, redacted } from './mask-key.ts';

export interface TransportOptions extends Route {
  readonly baseUrl: string;
  readonly key: string;
  readonly agent: string;
  /** Maximum requests in flight; each has its own keep-alive connection. */
  readonly connections: number;
  /** For a whole attempt, from connecting to the last byte of the answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly onClose?: () => Promise<void> | undefined;
}

export interface Transport {
  /**
   * Posts one body. Never rejects.
   * @param onLeave called when the request starts to leave: from then on the service may process it
   */
  post(path: string, body: Uint8Array, onLeave: () => void): Promise<AttemptResult>;
  /** Ends all requests: the run no longer waits for answers. */
  abandon(): void;
  close(): Promise<void>;
}

/** Maximum bytes of an answer, before and after decompression: a receipt has about a hundred. */
const ANSWER_LIMIT = 1024 * 1024;

/** A later timer means that the process was suspended. Also the extra wait for the answer then. */
const LATE_MS = 1000;

/** Can also be asked for the base URL, for `signals doctor`. */
export class HttpTransport implements Transport {
  readonly #base: URL;
  readonly #options: TransportOptions;
  readonly #dispatcher: Dispatcher;
  readonly #redact: KeyRedactor;
  // Not a Set: V8 links each table that a Set outgrows to the next one, which keeps old requests in memory.
  readonly #inFlight: Exchange[] = [];
  #isAbandoned = false;
  #hasAnswered = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#dispatcher = createDispatcher({ ...options, base: this.#base });
    this.#redact = createKeyRedactor(options.key);
  }

  post(path: string, body: Uint8Array, onLeave: () => void): Promise<AttemptResult> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${this.#options.key}`,
      'user-agent': this.#options.agent,
    };
    return this.#exchange({ path, method: 'POST', headers, body }, onLeave);
  }

  /** Sends a HEAD request to the base URL, without key and without a record. Never rejects. */
  probe(): Promise<AttemptResult> {
    const headers = { 'user-agent': this.#options.agent };
    return this.#exchange({ path: '/', method: 'HEAD', headers }, () => undefined);
  }

  abandon(): void {
    this.#isAbandoned = true;
    for (const exchange of [...this.#inFlight]) exchange.interrupt();
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
    await this.#options.onClose?.();
  }

  #exchange(request: Dispatcher.DispatchOptions, onLeave: () => void): Promise<AttemptResult> {
    const { method, headers = null, body = null } = request;
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#options.timeoutMs, onLeave, async (result) => {
        this.#inFlight.splice(this.#inFlight.indexOf(exchange), 1);
        this.#hasAnswered ||= result.kind === 'answered';
        resolve(redacted(result.kind === 'failed' ? await this.#explain(result) : result, this.#redact));
      });
      this.#inFlight.push(exchange);
      if (this.#isAbandoned) return exchange.interrupt();
      const path = this.#base.pathname.replace(/\/+$/, '') + request.path;
      // A copy by spread has a new hidden class for each request, which slows undici down.
      this.#dispatcher.dispatch({ origin: this.#base.origin, path, method, headers, body }, exchange);
    });
  }

  async #explain(result: FailedAttempt): Promise<FailedAttempt> {
    const isPlain = this.#options.proxy === undefined && this.#base.protocol === 'http:';
    const isSuspect = isPlain && !this.#hasAnswered && result.left && result.cause !== 'timeout';
    return isSuspect && (await speaksTls(this.#base, this.#options)) ? TLS_PORT : result;
  }
}

/** An unencrypted request to a port that speaks TLS. The service did not read it. */
const TLS_PORT: FailedAttempt = {
  kind: 'failed',
  left: false,
  cause: 'scheme',
  code: 'TLS_PORT',
  message: 'the port speaks TLS',
};

const HANDSHAKE_MS = 2000;

/** Also if the port refuses the handshake: it may want a client certificate. */
async function speaksTls({ hostname, port }: URL, { agent, address }: TransportOptions): Promise<boolean> {
  const baseUrl = `https://${hostname}:${port || 80}`;
  const transport = new HttpTransport({ baseUrl, key: '', agent, address, connections: 1, timeoutMs: HANDSHAKE_MS });
  const result = await transport.probe();
  await transport.close();
  return result.kind === 'answered' || /^(tls|handshake)$/.test(result.cause);
}

/** Right after `onRequestStart`, undici shows the socket of the request on this channel. */
let starting: Exchange | undefined;
subscribe('undici:client:sendHeaders', (message) => {
  starting?.onConnection((message as { readonly socket: Socket }).socket);
  starting = undefined;
});

class Exchange implements Dispatcher.DispatchHandler {
  readonly #timeoutMs: number;
  readonly #onLeave: () => void;
  readonly #onResult: (result: AttemptResult) => void;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #connection: Connection | undefined;
  /** Bytes that the connection has written once this request is written. */
  #end = 0;
  #isFinished = false;
  #left = false;
  #status = 0;
  #encoding = '';
  readonly #headers: { -readonly [H in keyof AnswerHeaders]: AnswerHeaders[H] } = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(timeoutMs: number, onLeave: () => void, onResult: (result: AttemptResult) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onLeave = onLeave;
    this.#onResult = onResult;
    this.#timer = setTimeout(() => this.#onTimeout(), timeoutMs);
  }

  interrupt(): void {
    this.#abandon('INTERRUPTED', 'the run stopped waiting for an answer');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isFinished) {
      controller.abort(new Error('nothing waits for the answer'));
      return;
    }
    this.#controller = controller;
    this.#left = true;
    starting = this;
    this.#onLeave();
  }

  onConnection(socket: Socket): void {
    this.#connection = Connection.of(socket);
    this.#connection.expectAnswer();
    // The request is written in this tick.
    queueMicrotask(() => {
      this.#end = socket.bytesWritten;
    });
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    received: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#encoding = String(received['content-encoding'] ?? '');
    for (const name of answerHeaders) {
      const value = received[name];
      if (value !== undefined) this.#headers[name] = String(value);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > ANSWER_LIMIT) controller.abort(new Error('the answer is too long to be a receipt'));
  }

  onResponseEnd(): void {
    // A TLS socket learns a turn later that its bytes are written.
    if (this.#isWritten()) this.#finishAnswered(true);
    else setImmediate(() => this.#finishAnswered(true));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // Once a status has arrived, the request is answered, even if the body is incomplete.
    if (this.#status >= 200) this.#finishAnswered(false);
    else this.#finish(failedAttempt(this.#connection?.error ?? error, this.#left));
  }

  #onTimeout(): void {
    const timeOut = () => this.#abandon('TIMEOUT', `no answer within ${this.#timeoutMs / 1000} s`);
    // A suspended process may have received the answer: read it first.
    const isLate = performance.now() - this.#startedAt > this.#timeoutMs + LATE_MS;
    if (isLate) this.#timer = setTimeout(timeOut, LATE_MS);
    else timeOut();
  }

  /** A request that has not left by now never leaves: see onRequestStart. */
  #abandon(code: string, message: string): void {
    this.#finish({ kind: 'failed', left: this.#left, cause: 'timeout', code, message });
    this.#controller?.abort(new Error(message));
  }

  #finishAnswered(isComplete: boolean): void {
    const packed = Buffer.concat(this.#chunks);
    const body = isComplete ? decompress(packed, this.#encoding) : undefined;
    const readable = body ?? (this.#encoding === '' ? packed : NO_BYTES);
    this.#finish({
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: readable.toString('utf8'),
      whole: body !== undefined,
      written: this.#isWritten(),
    });
  }

  #isWritten(): boolean {
    return this.#connection?.hasWritten(this.#end) !== false;
  }

  /** Only the first result counts: what is aborted fails later. */
  #finish(result: AttemptResult): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    clearTimeout(this.#timer);
    this.#onResult(result);
  }
}

const NO_BYTES = Buffer.alloc(0);

/** Some proxies compress although we ask for `identity`. Undefined if the body is damaged or too long. */
function decompress(body: Buffer, encoding: string): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  // unzip tells gzip and deflate apart by their first bytes.
  const unpack = name === 'br' ? brotliDecompressSync : unzipSync;
  return attempt(() => unpack(body, { maxOutputLength: ANSWER_LIMIT }));
}

/** TLS alerts with which a server ends the handshake. With TLS 1.3 they arrive after the request has left. */
const HANDSHAKE_ALERT =
  /ALERT_(?:CERTIFICATE_|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED)/;

export function failedAttempt(error: Error, left: boolean): FailedAttempt {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (HANDSHAKE_ALERT.test(code)) {
    return { kind: 'failed', left: false, cause: 'handshake', code, message: 'the service ended the TLS handshake' };
  }
  return { kind: 'failed', left, cause: causeOf(error, code), code, message: error.message || code };
}

function causeOf(error: Error, code: string): FailedAttempt['cause'] {
  if (error instanceof errors.InvalidArgumentError) return 'url';
  // It could not reach the service.
  if (/^Proxy response \(5/.test(error.message)) return 'connect';
  if (/^Proxy response/.test(error.message)) return 'proxy';
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code)) return 'plain';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return 'tls';
  if (/^(EMFILE|ENFILE)$/.test(code)) return 'files';
  if (error instanceof ProxyConnectError) return 'proxy_connect';
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'dns';
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/.test(code)) return 'connect';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) return 'reset';
  return 'other';
}

const CONTINUE = 'HTTP/1.1 100';

/** In bytes: what undici and Node accept of an answer's head. */
const MAX_HEAD = 16 * 1024;

/** What undici does not expose of a connection: how much of a request was written, and the first error. */
class Connection {
  static readonly #all = new WeakMap<Socket, Connection>();

  readonly #socket: Socket;
  error: Error | undefined;
  #isAnswerStart = false;
  /** The start of an answer, until it is clear whether it is `100 Continue`. */
  #held = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    // undici reports the last error, such as "other side closed". The TLS alert before it is the cause.
    socket.once('error', (error) => {
      this.error = error;
    });
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => this.#withoutContinue(read(size));
  }

  static of(socket: Socket): Connection {
    const connection = Connection.#all.get(socket) ?? new Connection(socket);
    Connection.#all.set(socket, connection);
    return connection;
  }

  expectAnswer(): void {
    this.#isAnswerStart = true;
  }

  hasWritten(bytes: number): boolean {
    return !this.#socket.destroyed && this.#socket.bytesWritten - this.#socket.writableLength >= bytes;
  }

  /** A client must accept `100 Continue` without a request for it (RFC 9110, 15.2), but undici closes the connection. */
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
