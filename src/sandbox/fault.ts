/**
 * Faults that replace or delay the answer to a batch, and the texts of `--fault`, such as `status=503,rate=0.1`. A seeded
 * generator decides which batches get them, so that the same requests in the same order get the same faults again. Pure.
 */
import { z } from 'zod';
import { recordTypes } from '../contract/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import { htmlPage } from './answer.ts';
import type { LoggedRequest } from './logged-request.ts';

/** A batch that passed every check and would be processed next. */
export interface IncomingBatch {
  /** Number of the request. */
  readonly n: number;
  readonly type: RecordType;
  readonly records: number;
  /** Bytes of the request's body. */
  readonly bytes: number;
  /** The elements that would be processed. */
  readonly elements: readonly unknown[];
}

/**
 * How one batch is answered, and whether it is processed first:
 *
 * - `status`: not processed, unless `taken` is set. The body is the sandbox's error body, unless one is given.
 * - `latencyMs`: processed immediately, answered after this many milliseconds. Can be combined with the others.
 * - `hang`: processed. Nothing more is sent, before or after the headers, until the client closes the connection.
 * - `reset`: `before` not processed, `after-headers` processed. The connection is reset (TCP RST).
 * - `cut`: processed. The connection is closed normally in the middle of the body.
 */
export type InjectedFault = { readonly latencyMs: number } | (AnswerFault & { readonly latencyMs?: number });

type AnswerFault =
  | StatusFault
  | { readonly hang: 'before' | 'after-headers' }
  | { readonly reset: 'before' | 'after-headers' }
  | { readonly cut: true };

export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly taken?: true | undefined;
}

export function kindOf(fault: InjectedFault): LoggedRequest['fault'] {
  return (['status', 'hang', 'reset', 'cut'] as const).find((kind) => kind in fault) ?? 'latency';
}

/** Whether the batch is left unprocessed. */
export function preventsProcessing(fault: InjectedFault): boolean {
  return 'status' in fault ? fault.taken !== true : 'reset' in fault && fault.reset === 'before';
}

/** Whether not even a status is sent. */
export function preventsAnswer(fault: InjectedFault): boolean {
  return ('reset' in fault && fault.reset === 'before') || ('hang' in fault && fault.hang === 'before');
}

interface FaultSpec {
  readonly fault: InjectedFault;
  /** Probability for each batch that meets the conditions, 0 to 1. */
  readonly rate: number;
  /** Only batches of this type. */
  readonly type: RecordType | undefined;
  /** The first N batches of the type get no fault. */
  readonly after: number;
  /** Only the N batches after those get it. */
  readonly first: number;
}

/** Maximum latency in milliseconds. */
export const LATENCY_LIMIT = 600_000;

const EXPECTED =
  'status=N, html, hang, reset, cut or latency=50ms, followed by any of rate=0.1, type=signals, after=N, first=N, ' +
  'taken, retry-after=TEXT, separated by commas';

function number(min: number, max: number) {
  return z
    .string()
    .refine(
      (text) => text !== '' && Number(text) >= min && Number(text) <= max,
      `expected a number from ${min} to ${max}`,
    )
    .transform(Number);
}

function integer(min: number, max: number) {
  return number(min, max).refine((value) => Number.isInteger(value), 'expected a whole number');
}

const noValue = z.literal('', 'takes no value');
const beforeOrAfter = z
  .enum(['', 'before', 'after-headers'], 'expected before or after-headers')
  .transform((text) => text || 'before');
// A status below 200 is not a final answer, and 101 would end HTTP on the connection.
const status = integer(200, 599);

const KINDS = {
  status,
  html: z
    .string()
    .transform((text) => text || '200')
    .pipe(status),
  hang: beforeOrAfter,
  reset: beforeOrAfter,
  cut: noValue,
  latency: z
    .string()
    .transform((text) => text.replace(/ms$/i, '').replace(/^([\d.]+)s$/i, (_, seconds) => `${Number(seconds) * 1000}`))
    .pipe(integer(0, LATENCY_LIMIT)),
};

const SPEC = z
  .strictObject({
    ...KINDS,
    rate: number(0, 1),
    type: z.enum(recordTypes, `expected ${recordTypes.join(' or ')}`),
    after: integer(0, 1e9),
    first: integer(1, 1e9),
    taken: noValue,
    'retry-after': z.string().regex(/^[\x20-\x7e]{1,80}$/, 'expected a header value'),
  })
  .partial();

/**
 * Reads one fault: a kind and its conditions, separated by commas (docs/sandbox.md, "Fault injection").
 *
 * @throws ProblemError `sandbox.fault`
 */
export function parseFault(text: string): FaultSpec {
  const fail = (why: string): never => {
    throw new ProblemError({
      code: 'sandbox.fault',
      message: `--fault is ${JSON.stringify(text.slice(0, 80))}: ${why}.`,
      hint: `Expected ${EXPECTED}; for instance --fault 'status=503,rate=0.1,retry-after=2'.`,
    });
  };
  const parts = text.split(',').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()] as const;
  });
  const given = Object.fromEntries(parts);
  const names = Object.keys(given);
  if (names.length < parts.length) fail('a name is given twice');
  const { data, error } = SPEC.safeParse(given);
  if (data === undefined) {
    const issue = error.issues[0];
    return fail([...(issue?.path ?? []), issue?.message.slice(0, 80)].join(': '));
  }
  if (names.filter((name) => name in KINDS).length !== 1) fail('it must name one kind of fault');
  const { rate = 1, type, after = 0, first = Number.POSITIVE_INFINITY } = data;
  const isStatus = 'status' in data || 'html' in data;
  if (!isStatus && ('taken' in data || 'retry-after' in data)) {
    fail('taken and retry-after apply only to status and html');
  }
  return { fault: faultOf(data), rate, type, after, first };
}

function faultOf(spec: z.infer<typeof SPEC>): InjectedFault {
  const { hang, reset, cut, latency, html, status = html ?? 200, 'retry-after': retryAfter } = spec;
  if (hang !== undefined) return { hang };
  if (reset !== undefined) return { reset };
  if (cut !== undefined) return { cut: true };
  if (latency !== undefined) return { latencyMs: latency };
  return {
    status,
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(html !== undefined && { 'content-type': 'text/html; charset=utf-8' }),
    },
    ...(html !== undefined && { body: htmlPage('Please stand by', 'This page was sent instead of an answer.') }),
    ...('taken' in spec && { taken: true as const }),
  };
}

/** Minimum and maximum delay of every answer, in milliseconds. */
export type Latency = readonly [min: number, max: number];

/**
 * The fault of each batch: the first spec whose conditions and probability apply, plus the latency. Batches are counted in
 * the order of the calls.
 */
export function createFaults(
  specs: readonly FaultSpec[],
  seed: number,
  latency?: Latency,
): (incoming: Pick<IncomingBatch, 'type'>) => InjectedFault | undefined {
  const random = generator(seed);
  const counts = specs.map(() => 0);
  return ({ type }) => {
    let chosen: InjectedFault | undefined;
    for (const [index, spec] of specs.entries()) {
      if (spec.type !== undefined && spec.type !== type) continue;
      const number = counts[index] ?? 0;
      counts[index] = number + 1;
      const applies = number >= spec.after && number < spec.after + spec.first;
      // Drawn even if another fault was chosen: adding a fault must not move the others.
      const isDrawn = spec.rate >= 1 || random() < spec.rate;
      if (applies && isDrawn) chosen ??= spec.fault;
    }
    if (latency === undefined) return chosen;
    const [min, max] = latency;
    const latencyMs = Math.round(min + (max > min ? random() * (max - min) : 0));
    return { latencyMs, ...chosen };
  };
}

/** Numbers from 0 to 1, exclusive, the same for the same seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
