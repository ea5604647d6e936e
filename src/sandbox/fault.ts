/**
 * Faults that replace or delay the answer to a batch, and the texts of `--fault`, such as `status=503,rate=0.1`. A seeded
 * generator decides which batches get them, so that the same requests in the same order get the same faults again. Pure.
 */
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
 * - `latencyMs`: processed at once, answered after so many milliseconds. May be combined with the others.
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
  'status=N, html, hang, reset, cut or latency=MS, followed by any of rate=0.1, type=signals, after=N, first=N, ' +
  'taken, retry-after=TEXT, separated by commas';

const KINDS = ['status', 'html', 'hang', 'reset', 'cut', 'latency'] as const;
const CONDITIONS = ['rate', 'type', 'after', 'first', 'taken', 'retry-after'] as const;

/**
 * Reads one fault: a kind and its conditions, separated by commas.
 *
 * - `status=N`: that status with an error body. `html[=N]`: an HTML page, with status 200 unless N is given. With `taken`
 *   the batch is processed first; `retry-after=TEXT` adds that header.
 * - `hang[=after-headers]`, `reset[=after-headers]`, `cut`, `latency=MS`: see {@link InjectedFault}.
 *
 * @throws ProblemError `sandbox.fault`
 */
export function parseFault(text: string): FaultSpec {
  const spec = new SpecText(text);
  const type = recordTypes.find((known) => known === spec.values.get('type'));
  if (spec.values.has('type') && type === undefined) spec.fail(`type must be ${recordTypes.join(' or ')}`);
  return {
    fault: faultOf(spec),
    rate: spec.number('rate', 0, 1, 1),
    type,
    after: spec.integer('after', 0, 1e9, 0),
    first: spec.integer('first', 1, 1e9, Number.POSITIVE_INFINITY),
  };
}

function faultOf(spec: SpecText): InjectedFault {
  const [kind, second] = KINDS.filter((name) => spec.values.has(name));
  if (kind === undefined || second !== undefined) return spec.fail('it must name one kind of fault');
  if (kind === 'status' || kind === 'html') return statusFault(spec, kind);
  if (spec.values.has('taken') || spec.values.has('retry-after')) {
    return spec.fail('taken and retry-after apply only to status and html');
  }
  const value = spec.values.get(kind);
  if (kind === 'latency') return { latencyMs: spec.integer('latency', 0, LATENCY_LIMIT, 0) };
  if (kind === 'cut') return value === undefined ? { cut: true } : spec.fail('cut takes no value');
  const when = value ?? 'before';
  if (when !== 'before' && when !== 'after-headers') return spec.fail(`${kind} is before or after-headers`);
  return kind === 'hang' ? { hang: when } : { reset: when };
}

function statusFault(spec: SpecText, kind: 'status' | 'html'): StatusFault {
  const retryAfter = spec.values.get('retry-after');
  const isHtml = kind === 'html';
  // A status below 200 is not a final answer, and 101 would end HTTP on the connection.
  const status = isHtml && spec.values.get('html') === undefined ? 200 : spec.integer(kind, 200, 599, 0);
  if (retryAfter !== undefined && !/^[\x20-\x7e]{1,80}$/.test(retryAfter)) {
    spec.fail('retry-after is not a valid header value');
  }
  return {
    status,
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(isHtml && { 'content-type': 'text/html; charset=utf-8' }),
    },
    ...(isHtml && { body: htmlPage('Please stand by', 'This page was sent instead of an answer.') }),
    ...(spec.values.has('taken') && { taken: true as const }),
  };
}

/** The names and values of a fault's text. */
class SpecText {
  readonly values: ReadonlyMap<string, string | undefined>;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    const parts = text.split(',').map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name.trim(), rest.length === 0 ? undefined : rest.join('=').trim()] as const;
    });
    this.values = new Map(parts);
    if (this.values.size < parts.length) this.fail('a name is given twice');
    const known: readonly string[] = [...KINDS, ...CONDITIONS];
    const unknown = parts.find(([name]) => !known.includes(name));
    if (unknown !== undefined) this.fail(`${JSON.stringify(unknown[0].slice(0, 40))} is unknown`);
  }

  number(name: string, min: number, max: number, otherwise: number): number {
    if (!this.values.has(name)) return otherwise;
    const value = Number(this.values.get(name) || Number.NaN);
    return value >= min && value <= max ? value : this.fail(`${name} must be a number from ${min} to ${max}`);
  }

  integer(name: string, min: number, max: number, otherwise: number): number {
    const value = this.number(name, min, max, otherwise);
    return Number.isInteger(value) || value === otherwise ? value : this.fail(`${name} must be a whole number`);
  }

  fail(why: string): never {
    throw new ProblemError({
      code: 'sandbox.fault',
      message: `--fault is ${JSON.stringify(this.#text.slice(0, 80))}: ${why}.`,
      hint: `Expected ${EXPECTED}; for instance --fault 'status=503,rate=0.1,retry-after=2'.`,
    });
  }
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
