/**
 * Answers, and the checks that a request passes before its batch is taken in. Pure.
 *
 * interface.md shows no error status and no error body ("Errors"). The statuses here are those that RFC 9110
 * gives these faults, and the body is an invention of this sandbox:
 * `{"success":false,"error":{"code":"…","message":"…"}}`, unless another shape is asked for (shape.ts).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Contract } from '../contract/index.ts';
import type { OverLimit, RetryAfter } from './behaviour-options.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What a refusal says, whatever the shape of its body. */
  readonly refused?: { readonly code: string; readonly message: string };
}

/** What the checks look at. Header names are in lower case. */
export interface RequestParts {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Absent where it was larger than {@link Limits.body}. */
  readonly body: Buffer | undefined;
}

export interface Limits {
  readonly records: number;
  /** In bytes. */
  readonly body: number;
  readonly overLimit: OverLimit;
}

/** The elements to take in, in their order, and how many more there were that are not to be taken. */
export interface BatchElements {
  readonly elements: readonly unknown[];
  readonly excess: number;
  /**
   * Reads the elements from the body once more. Whoever wants them later keeps this and not the elements: a body
   * takes less memory than what is read from it, and none that the garbage collector looks through.
   */
  readonly reread: () => readonly unknown[];
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function errorAnswer(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const refused = { code, message };
  return { ...jsonAnswer(status, { success: false, error: refused }, headers), refused };
}

/**
 * The elements of the request's array, or why the request is refused: 405, 401, 429, 415, 413, 400, 422, in this
 * order. An empty array passes: it is "at most 100 elements" (interface.md, "POST /v1/signals/ingest").
 */
export function readBatch(
  contract: Contract,
  limits: Limits,
  authorised: (header: string | undefined) => boolean,
  tooOften: () => Answer | undefined,
  question: RequestParts,
): BatchElements | Answer {
  if (question.method !== 'POST') return wrongMethod(['POST']);
  if (!authorised(question.authorization)) {
    // RFC 9110, 11.6.1: a 401 names the scheme that is wanted.
    return errorAnswer(401, 'unauthorized', 'Authorization must be "Bearer <API_KEY>" with a valid key.', {
      'www-authenticate': 'Bearer',
    });
  }
  const slowDown = tooOften();
  if (slowDown !== undefined) return slowDown;
  if (!isJson(question)) {
    return errorAnswer(
      415,
      'unsupported_media_type',
      'Content-Type must be application/json, not compressed.',
    );
  }
  if (question.body === undefined) {
    return errorAnswer(413, 'body_too_large', `The body must not be larger than ${limits.body} bytes.`);
  }
  const parsed = parse(question.body);
  if (parsed === undefined) return errorAnswer(400, 'invalid_json', 'The body must be JSON in UTF-8.');

  const { envelope } = contract;
  const { body } = question;
  const elements = ownValue(parsed.value, envelope);
  if (!Array.isArray(elements)) {
    return errorAnswer(400, 'invalid_body', `The body must be an object whose "${envelope}" is an array.`);
  }
  const { records, overLimit } = limits;
  const over = Math.max(0, elements.length - records);
  if (over === 0 || overLimit === 'rest') {
    const taken = (read: unknown): readonly unknown[] => (Array.isArray(read) ? read.slice(0, records) : []);
    return {
      elements: taken(elements),
      excess: over,
      reread: () => taken(ownValue(parse(body)?.value, envelope)),
    };
  }
  return errorAnswer(
    Number(overLimit),
    'too_many_records',
    `"${envelope}" holds ${elements.length} records; at most ${records}.`,
  );
}

export function isAnswer(value: BatchElements | Answer): value is Answer {
  return 'status' in value;
}

/** RFC 6585, 4. Retry-After: RFC 9110, 10.2.3, both of its forms. */
export function tooManyRequests(waitMs: number, form: RetryAfter, now: number): Answer {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  const headers = {
    seconds: { 'retry-after': seconds },
    // A date has whole seconds: rounded up, so that whoever keeps to it is not too early.
    date: { 'retry-after': new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString() },
    reset: { 'ratelimit-reset': seconds },
    none: {},
  };
  return errorAnswer(
    429,
    'too_many_requests',
    'More requests came than this sandbox lets through.',
    headers[form],
  );
}

export function wrongMethod(allowed: readonly string[]): Answer {
  const allow = allowed.join(', ');
  return errorAnswer(405, 'method_not_allowed', `The method must be ${allow}.`, { allow });
}

/**
 * A check of the header `Authorization: Bearer <API_KEY>` (interface.md, "Authentication"). Exact: the word
 * "Bearer" and one blank, as the interface writes it. Digests are compared, so that the time taken says nothing
 * of the key, nor of its length.
 */
export function createKeyCheck(key: string): (header: string | undefined) => boolean {
  const wanted = sha256(`Bearer ${key}`);
  return (header) => header !== undefined && timingSafeEqual(sha256(header), wanted);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Parameters are let through, as long as they name no charset but UTF-8. A compressed body would not be JSON. */
function isJson({ contentType = '', contentEncoding = 'identity' }: RequestParts): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json' || contentEncoding.toLowerCase() !== 'identity') return false;
  return parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter),
  );
}

// A BOM stays in the text, and JSON.parse refuses it: RFC 8259, 8.1, forbids to send one.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    // Not UTF-8, or not JSON: both are the answer "400", and the caller gives it.
    return undefined;
  }
}

function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
