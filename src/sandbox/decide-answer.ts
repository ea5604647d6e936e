/** Decides the answer to one request: checks it, ingests its batch, and applies the fault that is injected. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { contracts, recordTypes } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';
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
import { createIngests } from './ingest.ts';
import { type IncomingBatch, type InjectedFault, preventsProcessing, type StatusFault } from './injected-fault.ts';
import type { LoggedRequest } from './logged-request.ts';
import { createRequestLimiter } from './request-limiter.ts';
import type { Store } from './store.ts';
import type { StoredRecord } from './stored-record.ts';

export interface AnswerOptions {
  /** The only key that is accepted. Visible ASCII characters. */
  readonly key: string;
  /** Called for each batch that would be processed next; undefined means no fault. */
  readonly injectFault?: ((incoming: IncomingBatch) => InjectedFault | undefined) | undefined;
  /** Overrides of {@link DEFAULT_BEHAVIOUR}. */
  readonly behaviour?: Partial<BehaviourOptions> | undefined;
}

/** A request of the service. */
export interface ServiceRequest {
  readonly n: number;
  readonly method: string;
  /** Undefined if the path is not one of the service's. */
  readonly type: RecordType | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if it was too large. */
  readonly body: Buffer | undefined;
}

export interface Decision {
  readonly logged: Pick<
    LoggedRequest,
    'records' | 'processed' | 'batchId' | 'accepted' | 'deduplicated' | 'rejected' | 'promoted'
  >;
  readonly answer: Answer;
  readonly fault?: InjectedFault | undefined;
  readonly records: () => readonly StoredRecord[];
  /** Keys of the signals that were not seen before. */
  readonly newKeys: readonly string[];
}

/** The record type of each path. */
export const TYPE_BY_PATH: ReadonlyMap<string, RecordType> = new Map(
  recordTypes.map((type) => [contracts[type].path, type]),
);

export function createDecide(options: AnswerOptions, store: Store): (request: ServiceRequest) => Decision {
  const isAuthorized = createKeyCheck(options.key);
  const behaviour = { ...DEFAULT_BEHAVIOUR, ...options.behaviour };
  const { maxEvents, maxBody, overLimit, retryAfter, rateLimit } = behaviour;
  const maxRecords = { signals: contracts.signals.limit, social: maxEvents };
  const ingests = createIngests(store.keys, store.effects, store.keepsRecords, behaviour);
  const limiter = rateLimit === undefined ? undefined : createRequestLimiter(rateLimit);
  const checkRate = (): Answer | undefined => {
    const waitMs = limiter?.(performance.now()) ?? 0;
    return waitMs > 0 ? tooManyRequests(waitMs, retryAfter, Date.now()) : undefined;
  };

  return ({ n, method, type, headers, body }) => {
    if (type === undefined) {
      const paths = [...TYPE_BY_PATH.keys()].join(' and ');
      return unprocessed(0, errorAnswer(404, 'not_found', `Unknown path. The operations are ${paths}.`));
    }
    const limits = { records: maxRecords[type], body: maxBody, overLimit };
    const parts = {
      method,
      authorization: headers.authorization,
      contentType: headers['content-type'],
      contentEncoding: headers['content-encoding'],
      body,
    };
    const batch = readBatch(contracts[type], limits, isAuthorized, checkRate, parts);
    if (isAnswer(batch)) return unprocessed(0, batch);

    const { elements } = batch;
    const records = elements.length + batch.excess;
    const fault = options.injectFault?.({ n, type, records, bytes: body?.byteLength ?? 0, elements });
    if (fault !== undefined && preventsProcessing(fault)) {
      return unprocessed(records, 'status' in fault ? statusAnswer(fault) : jsonAnswer(200, {}), fault);
    }
    const batchId = `batch_${randomUUID()}`;
    const ingested = ingests[type](n, batch);
    if (isAnswer(ingested)) return unprocessed(records, ingested, fault);
    return {
      logged: { records, processed: true, batchId, ...ingested.counts },
      answer:
        fault !== undefined && 'status' in fault
          ? statusAnswer(fault)
          : jsonAnswer(200, { success: true, batchId, ...ingested.result }),
      fault,
      records: ingested.records,
      newKeys: ingested.newKeys,
    };
  };
}

function unprocessed(records: number, answer: Answer, fault?: InjectedFault): Decision {
  return { logged: { records, processed: false }, answer, fault, records: () => [], newKeys: [] };
}

function statusAnswer({ status, headers = {}, body }: StatusFault): Answer {
  // In lower case, so that a given Content-Type replaces the sandbox's.
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const answer = errorAnswer(status, 'scripted', `Injected fault: status ${status}.`, Object.fromEntries(given));
  return body === undefined ? answer : { status, headers: answer.headers, body };
}
