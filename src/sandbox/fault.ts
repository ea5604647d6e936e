/**
 * Faults that replace or delay the answer to a batch, and the texts of `--fault`. A new kind begins in {@link AnswerFault}; the
 * compiler leads to the rest of this file, and a test to docs/sandbox.md.
 */
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { recordTypes } from '../contract/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, sendAnswer, sendHeaders } from './answer.ts';

/** A batch that passed every check and would be processed next. */
export interface IncomingBatch {
  readonly n: number;
  readonly type: RecordType;
  readonly records: number;
  readonly bytes: number;
  readonly elements: readonly unknown[];
}

/**
 * How one batch is answered, and whether it is processed first:
 *
 * - `status`: not processed, unless `processed` is set. The body is the sandbox's error body, unless one is given.
 * - `latencyMs`: processed immediately, answered after this many milliseconds, or when a promise resolves. Can be combined
 *   with the others.
 * - `hang`: processed. Nothing more is sent, before or after the headers, until the client closes the connection.
 * - `reset`: `before` not processed, `after-headers` processed. The connection is reset (TCP RST).
 * - `cut`: processed. The connection is closed normally in the middle of the body.
 */
export type InjectedFault = LatencyFault | (AnswerFault & Partial<LatencyFault>);

/** Checked last, so that a new kind of fault does not compile there. */
export interface LatencyFault {
  readonly latencyMs: number | Promise<void>;
}

type AnswerFault =
  | StatusFault
  | { readonly hang: 'before' | 'after-headers' }
  | { readonly reset: 'before' | 'after-headers' }
  | { readonly cut: true };

export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly processed?: true | undefined;
}

/** Its name in the log, whether the batch is processed, and whether at least a status is sent. */
export function effectOf(fault: InjectedFault) {
  if ('status' in fault) return { kind: 'status', isProcessed: fault.processed === true, isAnswered: true } as const;
  if ('hang' in fault) return { kind: 'hang', isProcessed: true, isAnswered: fault.hang !== 'before' } as const;
  if ('reset' in fault) {
    const isLate = fault.reset !== 'before';
    return { kind: 'reset', isProcessed: isLate, isAnswered: isLate } as const;
  }
  if ('cut' in fault) return { kind: 'cut', isProcessed: true, isAnswered: true } as const;
  fault satisfies LatencyFault;
  return { kind: 'latency', isProcessed: true, isAnswered: true } as const;
}

interface FaultSpec {
  readonly fault: InjectedFault;
  /** Probability for each batch that meets the conditions, 0 to 1. */
  readonly rate: number;
  readonly type: RecordType | undefined;
  /** The first N batches of the type get no fault. */
  readonly after: number;
  /** Only the N batches after those get it. */
  readonly first: number;
}

function number(min: number, max: number, unit = '') {
  return z
    .string()
    .refine(
      (text) => text !== '' && Number(text) >= min && Number(text) <= max,
      `expected a number${unit} from ${min} to ${max}`,
    )
    .transform(Number);
}

function integer(min: number, max: number, unit = '') {
  return number(min, max, unit).refine((value) => Number.isInteger(value), 'expected a whole number');
}

const noValue = z.literal('', 'takes no value');
const beforeOrAfter = z
  .enum(['', 'before', 'after-headers'], 'expected before or after-headers')
  .transform((text) => text || 'before');
// A status below 200 is not a final answer, and 101 would end HTTP on the connection.
const status = integer(200, 599);

/** The kinds of `--fault`: the fault that a value means, and the form in the help. */
const KINDS = {
  status: status.transform((status): InjectedFault => ({ status })).describe('status=N'),
  hang: beforeOrAfter.transform((hang): InjectedFault => ({ hang })).describe('hang[=after-headers]'),
  reset: beforeOrAfter.transform((reset): InjectedFault => ({ reset })).describe('reset[=after-headers]'),
  cut: noValue.transform((): InjectedFault => ({ cut: true })).describe('cut'),
  latency: z
    .string()
    .transform((text) => text.replace(/ms$/, ''))
    .pipe(integer(0, 600_000, ' of milliseconds'))
    .transform((latencyMs): InjectedFault => ({ latencyMs }))
    .describe('latency=50ms'),
} satisfies Record<ReturnType<typeof effectOf>['kind'], z.ZodType<InjectedFault, string>>;

export const faultForms = Object.values(KINDS)
  .map(({ description }) => description)
  .join(', ');

const SPEC = z
  .strictObject({
    ...KINDS,
    rate: number(0, 1),
    type: z.enum(recordTypes, `expected ${recordTypes.join(' or ')}`),
    after: integer(0, 1e9),
    first: integer(1, 1e9),
    processed: noValue,
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
      hint: `Expected one of ${faultForms}, followed by any of rate=0.1, type=signals, after=N, first=N, processed, retry-after=TEXT, separated by commas; for instance --fault 'status=503,rate=0.1,retry-after=2'.`,
    });
  };
  const parts = text.split(',').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()] as const;
  });
  const given = Object.fromEntries(parts);
  if (Object.keys(given).length < parts.length) fail('a name is given twice');
  const { data, error } = SPEC.safeParse(given);
  if (data === undefined) {
    const issue = error.issues[0];
    return fail([...(issue?.path ?? []), issue?.message.slice(0, 80)].join(': '));
  }
  const {
    rate = 1,
    type,
    after = 0,
    first = Number.POSITIVE_INFINITY,
    processed,
    'retry-after': retryAfter,
    ...kinds
  } = data;
  const [fault, another] = Object.values(kinds);
  if (fault === undefined || another !== undefined) return fail('it must name one kind of fault');
  const conditions = { rate, type, after, first };
  if (!('status' in fault)) {
    if (processed !== undefined || retryAfter !== undefined) fail('processed and retry-after apply only to status');
    return { fault, ...conditions };
  }
  const headers: StatusFault['headers'] = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { fault: { ...fault, headers, ...(processed !== undefined && { processed: true }) }, ...conditions };
}

/** The fault of each batch: the first spec whose conditions and probability apply. Batches are counted in the order of the calls. */
export function createFaults(
  specs: readonly FaultSpec[],
  seed: number,
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
    return chosen;
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

/** Between the headers of an answer and a reset: on loopback, enough for the client to read them. */
const RESET_DELAY_MS = 20;

/** Sends the answer as it is, or with the fault. */
export function respond(response: ServerResponse, answer: Answer, fault: InjectedFault | undefined): void {
  const { latencyMs = 0 } = fault ?? {};
  const send = (): void => sendWithFault(response, answer, fault);
  if (latencyMs === 0) {
    send();
  } else if (typeof latencyMs !== 'number') {
    void latencyMs.then(send);
  } else {
    const timer = setTimeout(send, latencyMs);
    response.once('close', () => clearTimeout(timer));
  }
}

function sendWithFault(response: ServerResponse, answer: Answer, fault: InjectedFault = { latencyMs: 0 }): void {
  if (response.destroyed) return;
  if ('hang' in fault) {
    if (fault.hang === 'after-headers') sendHeaders(response, answer);
  } else if ('reset' in fault) {
    if (fault.reset === 'before') {
      response.socket?.resetAndDestroy();
    } else {
      sendHeaders(response, answer);
      setTimeout(() => response.socket?.resetAndDestroy(), RESET_DELAY_MS);
    }
  } else if ('cut' in fault) {
    sendHeaders(response, answer);
    const half = answer.body.slice(0, Math.floor(answer.body.length / 2));
    response.write(half, () => response.destroy());
  } else {
    fault satisfies StatusFault | LatencyFault;
    sendAnswer(response, answer);
  }
}
