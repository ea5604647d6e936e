/**
 * The only place that speaks HTTP. It sends one request and reports facts; what they mean is decided elsewhere.
 * Nothing is retried, no redirect is followed, and the key leaves in one header to one origin.
 */

import type { Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import { isLoopback } from '../lib/loopback.ts';
import type { AttemptResult, FailedAttempt } from '../model/outcome.ts';

export interface TransportOptions {
  /** Without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** Sent as User-Agent. */
  readonly agent: string;
  /** Requests at once; each has a kept-alive connection of its own. */
  readonly connections: number;
  /** For a whole attempt, from the first byte sent to the last one received; and for connecting. Milliseconds. */
  readonly timeoutMs: number;
}

export interface Transport {
  /**
   * Posts one body. Never rejects.
   * @param onLeave called when the request begins to leave: from then on the service may process it
   * @param signal aborted when the program cannot wait for the answer any longer
   */
  post(path: string, body: Uint8Array, onLeave: () => void, signal: AbortSignal): Promise<AttemptResult>;
  /**
   * Whether all that was posted has left this process, or never will: an answer may come before the end of its request
   * was written. Only then may the memory of bodies be used again.
   */
  hasWritten(): boolean;
  close(): Promise<void>;
}

/** More of an answer is not read, packed or unpacked: a receipt has a hundred bytes. */
const ANSWER_LIMIT = 1024 * 1024;

/** A timer that is this late, in milliseconds, tells of a process that did not run. Nor does anybody wait longer for it. */
const LATE_MS = 1000;

const HEADERS_READ = ['retry-after', 'ratelimit', 'ratelimit-reset', 'location', 'content-type'];

export function createTransport(options: TransportOptions): Transport {
  const base = new URL(options.baseUrl);
  const { origin } = base;
  const prefix = base.pathname.replace(/\/+$/, '');
  const sockets = new Set<Socket>();
  const connector = buildConnector({ timeout: options.timeoutMs });
  const settings = {
    connections: options.connections,
    pipelining: 1,
    connect: watched(connector, sockets),
    // The attempt has one time-out of its own, below.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  // Loopback never goes through a proxy, whatever the environment says. Connections through one are its agent's own.
  const isDirect = isLoopback(base.hostname) || !namesProxy(process.env);
  const dispatcher: Dispatcher = isDirect
    ? new Pool(origin, settings)
    : new EnvHttpProxyAgent({ ...settings, connect: { timeout: options.timeoutMs } });
  const headers = {
    authorization: `Bearer ${options.key}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': options.agent,
  };

  const heed = createHeed();

  return {
    post: (path, body, onLeave, signal) =>
      new Promise((resolve) => {
        let left = false;
        let controller: Dispatcher.DispatchController | undefined;
        let gaveUp: FailedAttempt | undefined;
        let unheed: (() => void) | undefined;
        let status = 0;
        const answerHeaders: Record<string, string> = {};
        let encoding = '';
        let size = 0;
        const chunks: Buffer[] = [];

        const finish = (result: AttemptResult): void => {
          clearTimeout(timer);
          unheed?.();
          resolve(result);
        };
        const answered = (arrived: boolean): void => {
          const [only = NOTHING, ...more] = chunks;
          const packed = more.length === 0 ? only : Buffer.concat(chunks);
          const body = arrived ? unpacked(packed, encoding) : undefined;
          finish({
            kind: 'answered',
            status,
            headers: answerHeaders,
            // What is packed and cannot be unpacked has no words.
            body: (body ?? (encoding === '' ? packed : NOTHING)).toString('utf8'),
            whole: body !== undefined,
          });
        };
        /** Ends the wait now. A request that has not left by now never will: see onRequestStart. */
        const giveUp = (code: string, message: string): void => {
          gaveUp = { kind: 'failed', left, cause: 'timeout', code, message };
          finish(gaveUp);
          controller?.abort(new Error(message));
        };
        const onAbort = (): void => giveUp('INTERRUPTED', 'the wait for an answer was given up');
        const began = performance.now();
        let isLate = false;
        const onTimeout = (): void => {
          // A process that was stopped meanwhile finds the answer behind its timer, and should read it first.
          if (!isLate && performance.now() - began > options.timeoutMs + LATE_MS) {
            isLate = true;
            timer = setTimeout(onTimeout, LATE_MS);
          } else giveUp('TIMEOUT', `no answer within ${options.timeoutMs / 1000} s`);
        };
        let timer = setTimeout(onTimeout, options.timeoutMs);
        if (signal.aborted) return onAbort();
        unheed = heed(signal, onAbort);

        const handler: Dispatcher.DispatchHandler = {
          onRequestStart(started) {
            if (gaveUp !== undefined) return started.abort(new Error(gaveUp.message));
            controller = started;
            left = true;
            onLeave();
          },
          onResponseStart(_controller, statusCode, received) {
            status = statusCode;
            encoding = String(received['content-encoding'] ?? '');
            for (const name of HEADERS_READ) {
              const value = received[name];
              if (value !== undefined) answerHeaders[name] = String(value);
            }
          },
          onResponseData(reading, chunk) {
            chunks.push(chunk);
            size += chunk.length;
            if (size <= ANSWER_LIMIT) return;
            answered(false);
            reading.abort(new Error('the answer is too long to be a receipt'));
          },
          onResponseEnd: () => answered(true),
          onResponseError(_controller, error) {
            // An answer whose status arrived is an answer, even where its body did not arrive whole.
            if (status >= 200 && gaveUp === undefined) answered(false);
            else finish(failure(error, left));
          },
        };
        dispatcher.dispatch({ origin, path: `${prefix}${path}`, method: 'POST', headers, body }, handler);
      }),
    hasWritten() {
      for (const socket of sockets) if (!hasNothingToWrite(socket)) return false;
      return isDirect;
    },
    close: () => dispatcher.destroy(),
  };
}

/** Whether {@link EnvHttpProxyAgent} would find one there. */
function namesProxy(env: NodeJS.ProcessEnv): boolean {
  return ['http_proxy', 'https_proxy'].some((name) => Boolean(env[name] ?? env[name.toUpperCase()]));
}

/** Keeps the sockets that a connector makes, for as long as they may write. */
function watched(connect: buildConnector.connector, sockets: Set<Socket>): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      callback(null, socket);
    });
}

/** A socket that was destroyed may write until it is closed. */
function hasNothingToWrite(socket: Socket): boolean {
  return socket.writableLength === 0 && !socket.destroyed;
}

/** Calls back when a signal is aborted. One listener a signal, and not one a request: those cost more than the request's head. */
function createHeed(): (signal: AbortSignal, onAbort: () => void) => () => void {
  const bySignal = new WeakMap<AbortSignal, Set<() => void>>();
  return (signal, onAbort) => {
    const waiting = bySignal.get(signal) ?? new Set();
    if (!bySignal.has(signal)) {
      bySignal.set(signal, waiting);
      signal.addEventListener('abort', () => {
        for (const giveUp of waiting) giveUp();
      });
    }
    waiting.add(onAbort);
    return () => waiting.delete(onAbort);
  };
}

const NOTHING = Buffer.alloc(0);

const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * The body of an answer as it was before it was packed. We ask for plain answers, and proxies pack them all the
 * same. Undefined where it cannot be unpacked, or is longer than {@link ANSWER_LIMIT}.
 */
function unpacked(body: Buffer, encoding: string): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  const unpack = Object.hasOwn(UNPACK, name) ? UNPACK[name] : undefined;
  try {
    return unpack?.(body, { maxOutputLength: ANSWER_LIMIT });
  } catch {
    return undefined;
  }
}

function failure(error: Error, left: boolean): FailedAttempt {
  const code = codeOf(error);
  return { kind: 'failed', left, cause: causeOf(error, code), code, message: error.message || code };
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function causeOf(error: Error, code: string): FailedAttempt['cause'] {
  if (error instanceof errors.InvalidArgumentError) return 'url';
  if (/^Proxy response/.test(error.message)) return 'proxy';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return 'tls';
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'dns';
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return 'connect';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) return 'reset';
  return 'other';
}
