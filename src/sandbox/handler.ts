/** One request from its arrival to its answer: read, decided, logged, answered, in this order. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contracts, recordTypes } from '../contract/index.ts';
import type { DigestOf } from '../lib/digest.ts';
import { messageOf } from '../lib/text.ts';
import {
  type Answer,
  createKeyCheck,
  errorAnswer,
  isAnswer,
  jsonAnswer,
  readBatch,
  tooManyRequests,
} from './answer.ts';
import { type BehaviourOptions, DEFAULT_BEHAVIOUR } from './behaviour-options.ts';
import { control, isControl } from './control.ts';
import { withErrorShape } from './error-body.ts';
import { createIngests } from './ingest.ts';
import {
  type FaultKind,
  type IncomingBatch,
  type InjectedFault,
  type LoggedRequest,
  PATH_LIMIT,
} from './logged-request.ts';
import { readBody } from './read-body.ts';
import { createRequestLimiter } from './request-limiter.ts';
import { respond, send } from './respond.ts';
import type { Store } from './store.ts';
import type { StoredRecord } from './stored-record.ts';

export interface HandlerOptions {
  /** The only key that is accepted. Visible ASCII characters. */
  readonly key: string;
  /** Asked for each batch that would be taken in next; undefined means the plain answer. */
  readonly injectFault?: (incoming: IncomingBatch) => InjectedFault | undefined;
  /** What differs from {@link DEFAULT_BEHAVIOUR}. */
  readonly behaviour?: Partial<BehaviourOptions>;
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
  readonly arrival: Pick<LoggedRequest, 'n' | 'time' | 'at' | 'method' | 'path' | 'type'>;
}

/** What is decided about a request: a part of its fact, the plain answer, and how it is departed from. */
interface Decision {
  readonly fact: Omit<LoggedRequest, keyof Exchange['arrival'] | 'bytes' | 'status' | 'digest' | 'fault'>;
  readonly answer: Answer;
  readonly behaviour?: InjectedFault;
  readonly entries?: () => readonly StoredRecord[];
  readonly keys?: readonly string[];
}

export function createHandler(options: HandlerOptions, book: Store, digestOf: DigestOf): Handler {
  const authorised = createKeyCheck(options.key);
  const switches = { ...DEFAULT_BEHAVIOUR, ...options.behaviour };
  const { maxEvents, maxBody, overLimit, retryAfter, rateLimit } = switches;
  const mostRecords = { signals: contracts.signals.limit, social: maxEvents };
  const ingests = createIngests(book.keys, book.effects, book.keeps, switches);
  const limiter = rateLimit === undefined ? undefined : createRequestLimiter(rateLimit);
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
        answer: errorAnswer(404, 'not_found', `There is nothing here. There is ${paths}.`),
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

    const records = batch.elements.length + batch.excess;
    const behaviour = options.injectFault?.({
      n,
      type,
      records,
      bytes: body?.byteLength ?? 0,
      elements: batch.elements,
    });
    const departure = behaviour === undefined ? {} : { behaviour };
    if (behaviour !== undefined && isInstead(behaviour)) {
      const instead = 'status' in behaviour ? scripted(behaviour) : jsonAnswer(200, {});
      return { fact: { records, processed: false }, answer: instead, ...departure };
    }
    const batchId = `batch_${randomUUID()}`;
    const taken = ingests[type](n, batch);
    if ('status' in taken) return { fact: { records, processed: false }, answer: taken, ...departure };
    const plain = jsonAnswer(200, { success: true, batchId, ...taken.result });
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
    const received = await readBody(request, maxBody);
    if (stopped) return;
    const { bytes } = received;
    if (received.kind === 'lost') {
      book.add({ ...arrival, status: null, records: 0, bytes, processed: false }, none, []);
      return;
    }
    const body = received.kind === 'whole' ? received.body : undefined;
    const { fact, answer: plain, behaviour, entries = none, keys = [] } = decide(exchange, body);
    const answer = withErrorShape(plain, switches.errors);
    const whole: LoggedRequest = {
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
    send(response, errorAnswer(500, 'internal', `The sandbox failed: ${messageOf(error)}.`));
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

const none = (): readonly StoredRecord[] => [];

function isResetBefore(behaviour: InjectedFault): boolean {
  return 'reset' in behaviour && behaviour.reset === 'before';
}

/** Whether the batch is not taken in at all. */
function isInstead(behaviour: InjectedFault): boolean {
  return 'status' in behaviour ? behaviour.taken !== true : isResetBefore(behaviour);
}

function isUnanswered(behaviour: InjectedFault | undefined): boolean {
  if (behaviour === undefined) return false;
  return isResetBefore(behaviour) || ('hang' in behaviour && behaviour.hang === 'before');
}

function scripted({ status, headers, body }: Extract<InjectedFault, { status: number }>): Answer {
  // In lower case, so that a given Content-Type replaces the sandbox's own.
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const plain = errorAnswer(
    status,
    'scripted',
    `The sandbox was asked to answer ${status}.`,
    Object.fromEntries(given),
  );
  if (body === undefined) return plain;
  return { status, headers: plain.headers, body };
}

function faultOf(behaviour: InjectedFault): FaultKind {
  if ('status' in behaviour) return 'status';
  if ('hang' in behaviour) return 'hang';
  if ('reset' in behaviour) return 'reset';
  return 'cut' in behaviour ? 'cut' : 'latency';
}
