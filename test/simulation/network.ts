/**
 * A simulated network with one service behind it, as `undici` for each process. It notes what arrived, what it did with it,
 * and which answers came back whole: the judge believes nothing else.
 */
import { EventEmitter } from 'node:events';
import { errors } from 'undici';
import { systemError } from './disk.ts';
import type { Owner, Random, Schedule } from './schedule.ts';

/** What the service does with requests that begin in a stretch of time. */
export interface Phase {
  /** Simulated milliseconds. */
  readonly until: number;
  readonly mode: 'well' | 'down' | 'busy' | 'broken' | 'limited' | 'locked';
}

/** Of each request, the part that goes wrong in this way. */
export interface NetworkFaults {
  /** The connection breaks before the request arrives. */
  lost: number;
  /** It breaks after the service has processed the request. */
  cut: number;
  /** The answer ends early. */
  torn: number;
  /** 200 with something that is no receipt. */
  garbage: number;
  /** 500, 502, 504, 408; processed or not. */
  error: number;
  /** 429. */
  limit: number;
  /** No answer before any time-out. */
  silent: number;
  /** 413 above this many bytes. */
  largest: number;
  /** Of requests with a record that the service refuses, the part in which it processes that record. */
  overlooked: number;
}

export interface Request {
  readonly process: string;
  readonly run: string;
  /** When the program handed it to the network, in simulated milliseconds. Its process may stand still before it leaves. */
  readonly handed: number;
  /** When it left. */
  readonly left: number;
  /** When it arrived; undefined if it was lost. */
  arrived?: number;
  readonly key: string;
  readonly path: string;
  readonly body: string;
  /** What identifies each record in it. */
  readonly names: readonly string[];
  /** Whether the service has put its records into the pipeline. */
  processed: boolean;
  /** Of what was processed: records that failed validation. */
  rejected: number;
  status: number | undefined;
  /** A valid receipt reached the client whole. */
  receipt: boolean;
  /** Whether the answer certainly says that nothing was processed, or nothing has left. */
  answered: boolean;
}

export interface Client extends Owner {
  readonly name: string;
  /** The run that it sends. */
  readonly run: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly fate: 'whole' | 'torn' | 'cut' | 'silent' | 'garbage';
}

interface Handler {
  onRequestStart?(controller: object, context: object): void;
  onResponseStart?(controller: object, status: number, headers: Record<string, string>, message: string): void;
  onResponseData?(controller: object, chunk: Buffer): void;
  onResponseEnd?(controller: object, trailers: object): void;
  onResponseError?(controller: object, error: Error): void;
}

interface Dispatch {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** None, except the limit of a request. */
export const NO_FAULTS: Omit<NetworkFaults, 'largest'> = {
  lost: 0,
  cut: 0,
  torn: 0,
  garbage: 0,
  error: 0,
  limit: 0,
  silent: 0,
  overlooked: 0,
};

export class Network {
  readonly requests: Request[] = [];
  phases: readonly Phase[] = [];
  readonly faults: NetworkFaults = { ...NO_FAULTS, largest: Number.POSITIVE_INFINITY };
  key = 'first-key';
  /** Usual time of an answer, in milliseconds. */
  latency = 20;
  readonly #schedule: Schedule;
  readonly #random: Random;
  readonly #seen = new Set<string>();

  constructor(schedule: Schedule, random: Random) {
    this.#schedule = schedule;
    this.#random = random;
  }

  /** The module `undici` of a process, and where it announces what it writes. */
  modulesFor(client: Client): { readonly undici: object; readonly channels: object } {
    const listeners = new Map<string, Set<(message: unknown) => void>>();
    const channels = {
      subscribe: (name: string, listener: (message: unknown) => void) => {
        listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
      },
      unsubscribe: (name: string, listener: (message: unknown) => void) => listeners.get(name)?.delete(listener),
      channel: () => ({ hasSubscribers: false, publish: () => undefined }),
    };
    const network = this;
    class Pool {
      dispatch(request: Dispatch, handler: Handler): boolean {
        network.#send(client, request, handler, (message) => {
          for (const listener of listeners.get('undici:client:sendHeaders') ?? []) listener(message);
        });
        return true;
      }
      close = async (): Promise<void> => undefined;
      destroy = async (): Promise<void> => undefined;
    }
    return { undici: { Pool, EnvHttpProxyAgent: Pool, errors }, channels };
  }

  #send(client: Client, request: Dispatch, handler: Handler, announce: (message: unknown) => void): void {
    const connection = new Connection(this.#schedule, client, handler);
    const handed = this.#schedule.now;
    if (request.origin.startsWith('https:')) connection.fail(1, 'ECONNRESET');
    else if (this.#mode() === 'down') connection.fail(this.#random.next() * 5, 'ECONNREFUSED');
    else {
      connection.later(this.#random.next() * 2, () => {
        handler.onRequestStart?.(connection, {});
        if (!connection.isOver) this.#leave(client, request, connection, handed, announce);
      });
    }
  }

  /** From here on a request may arrive, whatever becomes of the process. */
  #leave(
    client: Client,
    request: Dispatch,
    connection: Connection,
    handed: number,
    announce: (message: unknown) => void,
  ): void {
    const random = this.#random;
    const { body = new Uint8Array() } = request;
    const state = { bytesWritten: 0, writableLength: 0, destroyed: false, read: () => null };
    const socket = Object.assign(new EventEmitter(), state);
    announce({ socket });
    socket.bytesWritten += body.byteLength;
    const sent: Request = {
      process: client.name,
      run: client.run,
      handed,
      left: this.#schedule.now,
      key: request.headers?.['authorization'] ?? '',
      path: request.path,
      body: Buffer.from(body).toString(),
      names: namesIn(body),
      processed: false,
      rejected: 0,
      status: undefined,
      receipt: false,
      answered: false,
    };
    this.requests.push(sent);
    if (random.chance(this.faults.lost)) {
      connection.fail(random.next() * this.latency, 'ECONNRESET');
      return;
    }
    this.#schedule.in(random.next() * this.latency, undefined, () => {
      sent.arrived = this.#schedule.now;
      const answer = this.#answer(sent, body.byteLength);
      sent.status = answer.status;
      const wait = random.next() * this.latency;
      if (answer.fate === 'cut') connection.fail(wait, 'ECONNRESET');
      else if (answer.fate !== 'silent') connection.later(wait, () => connection.answer(sent, answer, random));
    });
  }

  #mode(): Phase['mode'] {
    return this.phases.find(({ until }) => this.#schedule.now < until)?.mode ?? 'well';
  }

  #answer(sent: Request, bytes: number): Answer {
    const random = this.#random;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    const refuse = (status: number, extra: Record<string, string> = {}) => ({
      status,
      headers: { ...headers, ...extra },
      body: '{"error":"simulated: größer"}',
      fate: 'whole' as const,
    });
    const mode = this.#mode();
    if (mode === 'locked' || sent.key !== `Bearer ${this.key}`) return refuse(401);
    if (mode === 'busy') return refuse(503, { 'retry-after': String(random.integer(1, 5)) });
    if (mode === 'limited' || random.chance(this.faults.limit))
      return refuse(429, random.chance(0.5) ? { 'retry-after': '1' } : {});
    if (bytes > this.faults.largest && sent.names.length > 1) return refuse(413);
    if (mode === 'broken' || random.chance(this.faults.error)) {
      if (random.chance(0.5)) this.#process(sent);
      return refuse(random.pick([500, 502, 504, 408]));
    }
    const poison = sent.names.find((name) => name.startsWith('poison'));
    if (poison !== undefined && !random.chance(this.faults.overlooked)) {
      // Before a delivery, 403 is about the key.
      const isKnown = this.requests.some(
        ({ run, path, receipt }) => receipt && run === sent.run && !path.includes('social'),
      );
      return refuse(isKnown && poison.endsWith('2') ? 403 : 422);
    }
    const receipt = this.#process(sent);
    if (random.chance(this.faults.silent)) return { ...refuse(200), body: receipt, fate: 'silent' as const };
    if (random.chance(this.faults.cut)) return { ...refuse(200), body: receipt, fate: 'cut' as const };
    if (random.chance(this.faults.torn)) return { ...refuse(200), body: receipt, fate: 'torn' as const };
    if (random.chance(this.faults.garbage)) {
      const body = random.pick([
        '<html>gateway</html>',
        '{"success":true}',
        '{"success":false}',
        '',
        receipt.slice(0, -1),
      ]);
      return { ...refuse(200), body, fate: 'garbage' as const };
    }
    return { ...refuse(200), body: receipt, fate: 'whole' as const };
  }

  #process(sent: Request): string {
    sent.processed = true;
    const batchId = `batch-${this.requests.indexOf(sent)}`;
    if (sent.path.includes('social'))
      return JSON.stringify({ success: true, batchId, promotedToPipeline: sent.names.length >> 2 });
    let deduplicated = 0;
    for (const name of sent.names) {
      if (name.startsWith('rejected')) sent.rejected += 1;
      else if (this.#seen.has(name)) deduplicated += 1;
      else this.#seen.add(name);
    }
    const accepted = sent.names.length - sent.rejected - deduplicated;
    return JSON.stringify({ success: true, batchId, stats: { accepted, deduplicated, rejected: sent.rejected } });
  }
}

/** A request as its process sees it; `undici` calls this a controller. */
class Connection {
  isOver = false;
  readonly #schedule: Schedule;
  readonly #client: Client;
  readonly #handler: Handler;

  constructor(schedule: Schedule, client: Client, handler: Handler) {
    this.#schedule = schedule;
    this.#client = client;
    this.#handler = handler;
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    // What has not left by now never leaves.
    this.isOver = true;
    this.#schedule.in(0, this.#client, () => this.#handler.onResponseError?.(this, reason));
  }

  /** Does something later, unless it is over by then. */
  later(delay: number, run: () => void): void {
    this.#schedule.in(delay, this.#client, () => {
      if (!this.isOver) run();
    });
  }

  fail(delay: number, code: string): void {
    this.later(delay, () => {
      this.isOver = true;
      this.#handler.onResponseError?.(this, systemError(code, 'connect', 'the service'));
    });
  }

  answer(sent: Request, { status, headers, body, fate }: Answer, random: Random): void {
    this.isOver = true;
    const bytes = Buffer.from(body);
    const arrived = fate === 'torn' ? bytes.subarray(0, random.integer(0, Math.max(0, bytes.length - 1))) : bytes;
    this.#handler.onResponseStart?.(this, status, headers, '');
    if (arrived.length > 0) this.#handler.onResponseData?.(this, arrived);
    if (fate === 'torn') this.#handler.onResponseError?.(this, systemError('ECONNRESET', 'read', 'the service'));
    else {
      sent.answered = true;
      sent.receipt = status === 200 && fate === 'whole';
      this.#handler.onResponseEnd?.(this, {});
    }
  }
}

/** The name of each record in a body: the rows of a simulation differ in it. */
function namesIn(body: Uint8Array | undefined): readonly string[] {
  if (body === undefined) return [];
  const lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = JSON.parse(
    Buffer.from(body).toString(),
  );
  return Object.values(lists).flatMap((records) =>
    records.map((record) => String(record['signal_title'] ?? record['signal_name'] ?? record['engager_name'])),
  );
}
