/**
 * A request to one of the two operations: checks it, ingests its batch, and applies the injected fault. Behaviour that the API
 * leaves open is an option; docs/sandbox.md lists them beside the sentences of the API.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Contract, contracts, recordTypes } from '../contract/index.ts';
import { attempt, isObject } from '../lib/text.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, wrongMethod } from './answer.ts';
import { effectOf, type IncomingBatch, type InjectedFault, type StatusFault } from './fault.ts';
import { createIngest, type IngestOptions, type IngestResult } from './ingest.ts';
import type { LoggedRequest, Store, StoredRecord } from './store.ts';

/** Maximum events per social batch, and size of a request body in bytes: this sandbox's choices. */
const MAX_EVENTS = 100;
export const MAX_BODY = 10 * 1024 * 1024;

export interface ServiceOptions {
  /** The only key that is accepted. Visible ASCII characters. */
  readonly key: string;
  /** Called for each batch that would be processed next; undefined means no fault. */
  readonly injectFault?: ((incoming: IncomingBatch) => InjectedFault | undefined) | undefined;
  readonly behaviour?: IngestOptions | undefined;
}

interface ServiceRequest {
  readonly n: number;
  readonly method: string;
  /** Undefined if the path is not one of the service's. */
  readonly type: RecordType | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if it was too large. */
  readonly body: Buffer | undefined;
}

interface ServedRequest {
  readonly logged: Pick<LoggedRequest, 'records' | 'processed' | 'batchId'> & IngestResult['counts'];
  readonly answer: Answer;
  readonly fault?: InjectedFault | undefined;
  readonly records: readonly StoredRecord[];
}

export const TYPE_BY_PATH: ReadonlyMap<string, RecordType> = new Map(
  recordTypes.map((type) => [contracts[type].path, type]),
);

export function createService(options: ServiceOptions, store: Store): (request: ServiceRequest) => ServedRequest {
  const ingest = createIngest(store, options.behaviour);

  /** The elements of the request, or an error: 405, 401, 415, 413, 400, 422, in this order. */
  const readElements = (contract: Contract, { method, headers, body }: ServiceRequest): readonly unknown[] | Answer => {
    if (method !== 'POST') return wrongMethod('POST');
    // interface.md, "Authentication"
    if (headers.authorization !== `Bearer ${options.key}`) {
      // RFC 9110, 11.6.1: a 401 names the expected scheme.
      return errorAnswer(401, 'unauthorized', 'Authorization must be "Bearer <API_KEY>" with a valid key.', {
        'www-authenticate': 'Bearer',
      });
    }
    if (!isJson(headers)) {
      return errorAnswer(415, 'unsupported_media_type', 'Content-Type must be application/json, not compressed.');
    }
    if (body === undefined) {
      return errorAnswer(413, 'body_too_large', `The body must not be larger than ${MAX_BODY} bytes.`);
    }
    return parseElements(contract, body);
  };

  return (request) => {
    const { n, type, body } = request;
    if (type === undefined) {
      const paths = [...TYPE_BY_PATH.keys()].join(' and ');
      return unprocessed(0, errorAnswer(404, 'not_found', `Unknown path. The operations are ${paths}.`));
    }
    const elements = readElements(contracts[type], request);
    if (isAnswer(elements)) return unprocessed(0, elements);

    const records = elements.length;
    const fault = options.injectFault?.({ n, type, records, bytes: body?.byteLength ?? 0, elements });
    if (fault !== undefined && !effectOf(fault).isProcessed) {
      return unprocessed(records, 'status' in fault ? statusAnswer(fault) : jsonAnswer(200, {}), fault);
    }
    const batchId = `batch_${randomUUID()}`;
    const ingested = ingest(n, type, elements);
    return {
      logged: { records, processed: true, batchId, ...ingested.counts },
      answer:
        fault !== undefined && 'status' in fault
          ? statusAnswer(fault)
          : jsonAnswer(200, { success: true, batchId, ...ingested.result }),
      fault,
      records: ingested.records,
    };
  };
}

function unprocessed(records: number, answer: Answer, fault?: InjectedFault): ServedRequest {
  return { logged: { records, processed: false }, answer, fault, records: [] };
}

// A BOM is kept, so that JSON.parse rejects it: RFC 8259, 8.1, forbids senders to add one.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** An empty array is valid: it has "at most 100 elements" (interface.md, "POST /v1/signals/ingest"). */
function parseElements({ envelope, limit, documentsLimit }: Contract, body: Buffer): readonly unknown[] | Answer {
  const max = documentsLimit ? limit : MAX_EVENTS;
  const value: unknown = attempt(() => JSON.parse(utf8.decode(body)));
  if (value === undefined) return errorAnswer(400, 'invalid_json', 'The body must be JSON in UTF-8.');
  const elements = isObject(value) && Object.hasOwn(value, envelope) ? value[envelope] : undefined;
  if (!Array.isArray(elements)) {
    return errorAnswer(400, 'invalid_body', `The body must be an object whose "${envelope}" is an array.`);
  }
  if (elements.length > max) {
    const message = `"${envelope}" holds ${elements.length} records; at most ${max}.`;
    return errorAnswer(422, 'too_many_records', message);
  }
  return elements;
}

function statusAnswer({ status, headers = {}, body }: StatusFault): Answer {
  // In lower case, so that a given Content-Type replaces the sandbox's.
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const answer = errorAnswer(status, 'scripted', `Injected fault: status ${status}.`, Object.fromEntries(given));
  return body === undefined ? answer : { status, headers: answer.headers, body };
}

/** Parameters are ignored, except a charset other than UTF-8. A compressed body is not JSON. */
function isJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': contentType = '', 'content-encoding': contentEncoding = 'identity' } = headers;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json' || contentEncoding.toLowerCase() !== 'identity') return false;
  return parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter));
}
