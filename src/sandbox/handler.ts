/** One request from its arrival to its answer: read, decided, logged, answered, in this order. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contracts, recordTypes } from '../contract/index.ts';
import type { DigestOf } from '../lib/digest.ts';
import { messageOf } from '../lib/text.ts';
import { type Answer, answer, bearer, isAnswer, readBatch, refusal, tooManyRequests } from './answer.ts';
import { control, isControl } from './control.ts';
import { shaped } from './error-body.ts';
import { createIngests } from './ingest.ts';
import { receive } from './receive.ts';
import { type Behaviour, type Fault, type Incoming, PATH_LIMIT, type RequestFact } from './request-facts.ts';
import { createLimiter } from './request-limiter.ts';
import { respond, send } from './respond.ts';
import type { Book } from './store.ts';
import type { Entry } from './stored-record.ts';
import { DEFAULTS, type Switches } from './switches.ts';

export interface HandlerOptions {
  /** The only key that is accepted. Visible ASCII characters. */
  readonly key: string;
  /** Asked for each batch that would be taken in next; undefined means the plain answer. */
  readonly behave?: (incoming: Incoming) => Behaviour | undefined;
  /** What differs from {@link DEFAULTS}. */
  readonly switches?: Partial<Switches>;
}

export interface Handler {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** From now on nothing is logged or answered: the connections are about to be ended. */
  stop(): void;
}

/** A request and what is known of it before its body is read. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrival: Pick<RequestFact, 'n' | 'time' | 'at' | 'method' | 'path' | 'type'>;
}

/** What is decided about a request: a part of its fact, the plain answer, and how it is departed from. */
interface Decision {
  readonly fact: Omit<RequestFact, keyof Exchange['arrival'] | 'bytes' | 'status' | 'digest' | 'fault'>;
  readonly answer: Answer;
  readonly behaviour?: Behaviour;
  readonly entries?: () => readonly Entry[];
  readonly keys?: readonly string[];
}

export function createHandler(options: HandlerOptions, book: Book, digestOf: DigestOf): Handler {
  const authorised = bearer(options.key);
  const switches = { ...DEFAULTS, ...options.switches };
  const { maxEvents, maxBody, overLimit, retryAfter, rateLimit } = switches;
  const mostRecords = { signals: contracts.signals.limit, social: maxEvents };
  const ingests = createIngests(book.keys, book.effects, book.keeps, switches);
  const limiter = rateLimit === undefined ? undefined : createLimiter(rateLimit);
  const types = new Map(recordTypes.map((type) => [contracts[type].path, type]));
  let arrived = book.lastNumber;
  let stopped = false;

  const tooOften = (): Answer | undefined => {
    const waitMs = limiter?.(performance.now()) ?? 0;
    return waitMs > 0 ? tooManyRequests(waitMs, retryAfter, Date.now()) : undefined;
  };

  const decide = ({ request, arrival }: Exchange, body: Buffer | undefined): Decision => {
    const { n, type } = arrival;
    const nothing = { records: 0, processed: false };
    if (type === undefined) {
      const paths = [...types.keys()].join(' and ');
      return {
        fact: nothing,
        answer: refusal(404, 'not_found', `There is nothing here. There is ${paths}.`),
      };
    }
    const {
      authorization,
      'content-type': contentType,
      'content-encoding': contentEncoding,
    } = request.headers;
    const limits = { records: mostRecords[type], body: maxBody, overLimit };
    const question = { method: arrival.method, authorization, contentType, contentEncoding, body };
    const batch = readBatch(contracts[type], limits, authorised, tooOften, question);
    if (isAnswer(batch)) return { fact: nothing, answer: batch };

    const records = batch.elements.length + batch.over;
    const behaviour = options.behave?.({
      n,
      type,
      records,
      bytes: body?.byteLength ?? 0,
      elements: batch.elements,
    });
    const departure = behaviour === undefined ? {} : { behaviour };
    if (behaviour !== undefined && isInstead(behaviour)) {
      const instead = 'status' in behaviour ? scripted(behaviour) : answer(200, {});
      return { fact: { records, processed: false }, answer: instead, ...departure };
    }
    const batchId = `batch_${randomUUID()}`;
    const taken = ingests[type](n, batch);
    if ('status' in taken) return { fact: { records, processed: false }, answer: taken, ...departure };
    const plain = answer(200, { success: true, batchId, ...taken.result });
    return {
      fact: { records, processed: true, batchId, ...taken.counts },
      answer: behaviour !== undefined && 'status' in behaviour ? scripted(behaviour) : plain,
      ...departure,
      entries: taken.entries,
      keys: taken.keys,
    };
  };

  const serve = async (exchange: Exchange): Promise<void> => {
    const { request, response, arrival } = exchange;
    const received = await receive(request, maxBody);
    if (stopped) return;
    const { bytes } = received;
    if (received.kind === 'lost') {
      book.add({ ...arrival, status: null, records: 0, bytes, processed: false }, none, []);
      return;
    }
    const body = received.kind === 'whole' ? received.body : undefined;
    const { fact, answer: plain, behaviour, entries = none, keys = [] } = decide(exchange, body);
    const answer = shaped(plain, switches.errors);
    const whole: RequestFact = {
      ...arrival,
      status: isUnanswered(behaviour) ? null : answer.status,
      bytes,
      ...fact,
      ...(body === undefined ? {} : { digest: digestOf(body) }),
      ...(behaviour === undefined ? {} : { fault: faultOf(behaviour) }),
    };
    book.add(whole, entries, keys);
    if (received.kind === 'endless') {
      // What is left of the body would be read as the next request.
      response.once('finish', () => request.destroy());
      send(response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
    } else {
      respond(response, answer, behaviour);
    }
  };

  /** A fault of the sandbox itself, or a file that cannot be written: the client is told, and its tests fail. */
  const fail = (response: ServerResponse, error: unknown): void => {
    send(response, refusal(500, 'internal', `The sandbox failed: ${messageOf(error)}.`));
  };

  return {
    handle(request, response) {
      const method = request.method ?? '';
      const [path = '', query = ''] = targetOf(request).split('?', 2);
      if (isControl(method, path)) {
        request.resume();
        const filters = new URLSearchParams(query);
        control(request, response, path, filters, book).catch((error: unknown) => fail(response, error));
        return;
      }
      const type = types.get(path);
      const arrival = {
        n: ++arrived,
        time: new Date().toISOString(),
        at: performance.now(),
        method,
        path: path.slice(0, PATH_LIMIT),
        ...(type === undefined ? {} : { type }),
      };
      serve({ request, response, arrival }).catch((error: unknown) => fail(response, error));
    },
    stop() {
      stopped = true;
    },
  };
}

/** Path and query. RFC 9112, 3.2.2: a server takes the whole address in their place, as proxies get it. */
function targetOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '');
}

const none = (): readonly Entry[] => [];

function isResetBefore(behaviour: Behaviour): boolean {
  return 'reset' in behaviour && behaviour.reset === 'before';
}

/** Whether the batch is not taken in at all. */
function isInstead(behaviour: Behaviour): boolean {
  return 'status' in behaviour ? behaviour.taken !== true : isResetBefore(behaviour);
}

function isUnanswered(behaviour: Behaviour | undefined): boolean {
  if (behaviour === undefined) return false;
  return isResetBefore(behaviour) || ('hang' in behaviour && behaviour.hang === 'before');
}

function scripted({ status, headers, body }: Extract<Behaviour, { status: number }>): Answer {
  // In lower case, so that a given Content-Type replaces the sandbox's own.
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const plain = refusal(
    status,
    'scripted',
    `The sandbox was asked to answer ${status}.`,
    Object.fromEntries(given),
  );
  if (body === undefined) return plain;
  return { status, headers: plain.headers, body };
}

function faultOf(behaviour: Behaviour): Fault {
  if ('status' in behaviour) return 'status';
  if ('hang' in behaviour) return 'hang';
  if ('reset' in behaviour) return 'reset';
  return 'cut' in behaviour ? 'cut' : 'latency';
}
