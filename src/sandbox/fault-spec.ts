/**
 * Faults of `--fault`, such as `status=503,rate=0.1`. A seeded generator decides which batches get them, so that the same
 * requests in the same order get the same faults again. Pure.
 */
import { recordTypes } from '../contract/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import { htmlPage } from './error-body.ts';
import type { AnswerFault, IncomingBatch, InjectedFault, StatusFault } from './injected-fault.ts';

export interface FaultSpec {
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
  const [name, value] = spec.kind();
  const type = recordTypes.find((known) => known === spec.value('type'));
  if (spec.has('type') && type === undefined) spec.fail(`type must be ${recordTypes.join(' or ')}`);
  const isStatus = name === 'status' || name === 'html';
  if (!isStatus && (spec.has('taken') || spec.has('retry-after'))) {
    spec.fail('taken and retry-after apply only to status and html');
  }
  return {
    fault: isStatus ? statusFault(spec, name, value) : otherFault(spec, name, value),
    rate: spec.number('rate', 0, 1, 1),
    type,
    after: spec.integer('after', 0, 1e9, 0),
    first: spec.integer('first', 1, 1e9, Number.POSITIVE_INFINITY),
  };
}

function statusFault(spec: SpecText, name: 'status' | 'html', value: string | undefined): StatusFault {
  const retryAfter = spec.value('retry-after');
  // A status below 200 is not a final answer, and 101 would end HTTP on the connection.
  const status = name === 'html' && value === undefined ? 200 : spec.integer(name, 200, 599, 0);
  if (retryAfter !== undefined && !/^[\x20-\x7e]{1,80}$/.test(retryAfter)) {
    spec.fail('retry-after is not a valid header value');
  }
  const isHtml = name === 'html';
  return {
    status,
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(isHtml && { 'content-type': 'text/html; charset=utf-8' }),
    },
    ...(isHtml && { body: htmlPage('Please stand by', 'This page was sent instead of an answer.') }),
    ...(spec.has('taken') && { taken: true as const }),
  };
}

function otherFault(
  spec: SpecText,
  name: Exclude<Kind, 'status' | 'html'>,
  value: string | undefined,
): AnswerFault | { readonly latencyMs: number } {
  if (name === 'latency') return { latencyMs: spec.integer('latency', 0, LATENCY_LIMIT, 0) };
  if (name === 'cut') return value === undefined ? { cut: true } : spec.fail('cut takes no value');
  const when = value ?? 'before';
  if (when !== 'before' && when !== 'after-headers') return spec.fail(`${name} is before or after-headers`);
  return name === 'hang' ? { hang: when } : { reset: when };
}

const KINDS = ['status', 'html', 'hang', 'reset', 'cut', 'latency'] as const;
const CONDITIONS: readonly string[] = ['rate', 'type', 'after', 'first', 'taken', 'retry-after'];

type Kind = (typeof KINDS)[number];

/** The names and values of a fault's text. */
class SpecText {
  readonly #text: string;
  readonly #values: ReadonlyMap<string, string | undefined>;

  constructor(text: string) {
    this.#text = text;
    const parts = text.split(',').map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name.trim(), rest.length === 0 ? undefined : rest.join('=').trim()] as const;
    });
    this.#values = new Map(parts);
    if (this.#values.size < parts.length) this.fail('a name is given twice');
    const known: readonly string[] = [...KINDS, ...CONDITIONS];
    const unknown = parts.find(([name]) => !known.includes(name));
    if (unknown !== undefined) this.fail(`${JSON.stringify(unknown[0].slice(0, 40))} is unknown`);
  }

  kind(): readonly [Kind, string | undefined] {
    const [kind, second] = KINDS.filter((name) => this.has(name));
    return kind === undefined || second !== undefined
      ? this.fail('it must name one kind of fault')
      : [kind, this.value(kind)];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  number(name: string, min: number, max: number, otherwise: number): number {
    if (!this.has(name)) return otherwise;
    const value = Number(this.value(name) || Number.NaN);
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
