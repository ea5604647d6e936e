/**
 * Answers, and the checks of a request before its batch is processed. Pure.
 *
 * The interface shows no error status and no error body (interface.md, "Errors"). The statuses here are those of
 * RFC 9110; the body `{"success":false,"error":{"code":"…","message":"…"}}` is the sandbox's own, and `--errors`
 * selects another (error-body.ts).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Contract } from '../contract/index.ts';
import type { OverLimit, RetryAfter } from './behaviour-options.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of an error, whatever the shape of its body. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** The parts of a request that are checked. */
export interface RequestParts {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Undefined if it was larger than {@link Limits.body}. */
  readonly body: Buffer | undefined;
}

export interface Limits {
  readonly records: number;
  /** In bytes. */
  readonly body: number;
  readonly overLimit: OverLimit;
}

/** The elements of a batch to process, in order. */
export interface BatchElements {
  readonly elements: readonly unknown[];
  /** Further elements, which are not processed. */
  readonly excess: number;
  /**
   * Parses the elements again. Holding this instead of the elements keeps only the body in memory, which is smaller and
   * costs the garbage collector nothing.
   */
  readonly reread: () => readonly unknown[];
}

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function errorAnswer(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const error = { code, message };
  return { ...jsonAnswer(status, { success: false, error }, headers), error };
}

/**
 * The elements of the request's array, or an error: 405, 401, 429, 415, 413, 400, 422, in this order. An empty array is
 * valid: it has "at most 100 elements" (interface.md, "POST /v1/signals/ingest").
 */
export function readBatch(
  contract: Contract,
  limits: Limits,
  isAuthorized: (header: string | undefined) => boolean,
  checkRate: () => Answer | undefined,
  request: RequestParts,
): BatchElements | Answer {
  if (request.method !== 'POST') return wrongMethod(['POST']);
  if (!isAuthorized(request.authorization)) {
    // RFC 9110, 11.6.1: a 401 names the expected scheme.
    return errorAnswer(401, 'unauthorized', 'Authorization must be "Bearer <API_KEY>" with a valid key.', {
      'www-authenticate': 'Bearer',
    });
  }
  const tooMany = checkRate();
  if (tooMany !== undefined) return tooMany;
  if (!isJson(request)) {
    return errorAnswer(415, 'unsupported_media_type', 'Content-Type must be application/json, not compressed.');
  }
  const { body } = request;
  if (body === undefined) {
    return errorAnswer(413, 'body_too_large', `The body must not be larger than ${limits.body} bytes.`);
  }
  const parsed = parse(body);
  if (parsed === undefined) return errorAnswer(400, 'invalid_json', 'The body must be JSON in UTF-8.');

  const { envelope } = contract;
  const elements = ownValue(parsed.value, envelope);
  if (!Array.isArray(elements)) {
    return errorAnswer(400, 'invalid_body', `The body must be an object whose "${envelope}" is an array.`);
  }
  const { records, overLimit } = limits;
  const excess = Math.max(0, elements.length - records);
  if (excess === 0 || overLimit === 'rest') {
    const accepted = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, records) : []);
    return {
      elements: accepted(elements),
      excess,
      reread: () => accepted(ownValue(parse(body)?.value, envelope)),
    };
  }
  return errorAnswer(
    Number(overLimit),
    'too_many_records',
    `"${envelope}" holds ${elements.length} records; at most ${records}.`,
  );
}

export function isAnswer<T extends object>(value: T | Answer): value is Answer {
  return 'body' in value;
}

/** RFC 6585, 4. Retry-After in both forms of RFC 9110, 10.2.3. */
export function tooManyRequests(waitMs: number, form: RetryAfter, now: number): Answer {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  const headers = {
    seconds: { 'retry-after': seconds },
    // A date has whole seconds: rounded up, so that a client that waits until then is not too early.
    date: { 'retry-after': new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString() },
    reset: { 'ratelimit-reset': seconds },
    none: {},
  };
  return errorAnswer(429, 'too_many_requests', 'The request rate is above the limit of this sandbox.', headers[form]);
}

export function wrongMethod(allowed: readonly string[]): Answer {
  const allow = allowed.join(', ');
  return errorAnswer(405, 'method_not_allowed', `The method must be ${allow}.`, { allow });
}

/**
 * Checks the header `Authorization: Bearer <API_KEY>` (interface.md, "Authentication") exactly. Digests are compared, so
 * that the time taken reveals neither the key nor its length.
 */
export function createKeyCheck(key: string): (header: string | undefined) => boolean {
  const expected = sha256(`Bearer ${key}`);
  return (header) => header !== undefined && timingSafeEqual(sha256(header), expected);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Parameters are ignored, except a charset other than UTF-8. A compressed body is not JSON. */
function isJson({ contentType = '', contentEncoding = 'identity' }: RequestParts): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json' || contentEncoding.toLowerCase() !== 'identity') return false;
  return parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter));
}

// A BOM is kept, so that JSON.parse rejects it: RFC 8259, 8.1, forbids senders to add one.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    // Not UTF-8, or not JSON.
    return undefined;
  }
}

function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
