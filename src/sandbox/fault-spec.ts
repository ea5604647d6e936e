/**
 * Faults that somebody asks for in one line: `status=503,rate=0.1`. Which batches meet them is decided by a seeded
 * generator, so that the same requests in the same order meet the same faults again. Pure.
 */
import { recordTypes } from '../contract/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import { htmlPage } from './error-body.ts';
import type { IncomingBatch, InjectedFault } from './logged-request.ts';

export interface FaultSpec {
  readonly behaviour: InjectedFault;
  /** Chance of each batch that the rest applies to, 0 to 1. */
  readonly rate: number;
  /** Only batches of this type. */
  readonly type?: RecordType;
  /** So many batches of that type pass untouched before. */
  readonly after: number;
  /** Only so many batches behind those; the rest pass. */
  readonly first: number;
}

/** Longest latency in milliseconds: an answer that comes later is an answer that does not come. */
export const LATENCY_LIMIT = 600_000;

const EXPECTED =
  'status=N, html, hang, reset, cut or latency=MS, and behind it, with commas, any of rate=0.1, type=signals, ' +
  'after=N, first=N, taken, retry-after=TEXT';

/**
 * Reads one fault: a kind, and conditions, with commas between them.
 *
 * - `status=N`: that status with an error body; `html[=N]`: a page, with status 200 unless another is named. With
 *   `taken` the batch is taken in first; `retry-after=TEXT` adds that header.
 * - `hang[=after-headers]`, `reset[=after-headers]`, `cut`, `latency=MS`: see {@link InjectedFault}.
 *
 * @throws ProblemError `sandbox.fault`
 */
export function parseFault(text: string): FaultSpec {
  const refuse = (why: string): never => {
    throw new ProblemError({
      code: 'sandbox.fault',
      message: `--fault is ${JSON.stringify(text.slice(0, 80))}: ${why}.`,
      hint: `Expected ${EXPECTED}; for instance --fault 'status=503,rate=0.1,retry-after=2'.`,
    });
  };
  const parts = text.split(',').map((part) => {
    const [name = '', ...rest] = part.split('=');
    return [name.trim(), rest.length === 0 ? undefined : rest.join('=').trim()] as const;
  });
  const given = new Map(parts);
  if (given.size < parts.length) refuse('something stands in it twice');
  const unknown = parts.find(([name]) => !KINDS.has(name) && !CONDITIONS.has(name));
  if (unknown !== undefined) refuse(`${JSON.stringify(unknown[0].slice(0, 40))} is not known`);
  const kinds = parts.filter(([name]) => KINDS.has(name));
  const [kind, second] = kinds;
  if (kind === undefined || second !== undefined) return refuse('it must name one kind of fault');

  const number = (name: string, least: number, most: number, otherwise: number): number => {
    if (!given.has(name)) return otherwise;
    const value = Number(given.get(name) || Number.NaN);
    return value >= least && value <= most
      ? value
      : refuse(`${name} must be a number from ${least} to ${most}`);
  };
  const whole = (name: string, least: number, most: number, otherwise: number): number => {
    const value = number(name, least, most, otherwise);
    return Number.isInteger(value) || value === otherwise ? value : refuse(`${name} must be a whole number`);
  };
  const behaviour = (): InjectedFault => {
    const [name, value] = kind;
    if (name === 'latency') return { latencyMs: whole('latency', 0, LATENCY_LIMIT, 0) };
    if (name === 'cut') return value === undefined ? { cut: true } : refuse('cut has no value');
    if (name === 'hang' || name === 'reset') {
      const when = value ?? 'before';
      if (when !== 'before' && when !== 'after-headers') return refuse(`${name} is before or after-headers`);
      return name === 'hang' ? { hang: when } : { reset: when };
    }
    const wait = given.get('retry-after');
    // A status below 200 is no answer yet, and 101 would end HTTP on this connection.
    const status = name === 'html' && value === undefined ? 200 : whole(name, 200, 599, 0);
    if (wait !== undefined && !/^[\x20-\x7e]{1,80}$/.test(wait))
      refuse('retry-after has no text for a header');
    const headers = {
      ...(wait === undefined ? {} : { 'retry-after': wait }),
      ...(name === 'html' ? { 'content-type': 'text/html; charset=utf-8' } : {}),
    };
    return {
      status,
      headers,
      ...(name === 'html'
        ? { body: htmlPage('Please stand by', 'This page was sent in place of an answer.') }
        : {}),
      ...(given.has('taken') ? { taken: true } : {}),
    };
  };
  if (kind[0] !== 'status' && kind[0] !== 'html' && (given.has('taken') || given.has('retry-after'))) {
    refuse('taken and retry-after belong to status and html');
  }
  const type = recordTypes.find((known) => known === given.get('type'));
  if (given.has('type') && type === undefined) refuse(`type must be ${recordTypes.join(' or ')}`);
  return {
    behaviour: behaviour(),
    rate: number('rate', 0, 1, 1),
    ...(type === undefined ? {} : { type }),
    after: whole('after', 0, 1e9, 0),
    first: whole('first', 1, 1e9, Number.POSITIVE_INFINITY),
  };
}

const KINDS: ReadonlySet<string> = new Set(['status', 'html', 'hang', 'reset', 'cut', 'latency']);
const CONDITIONS: ReadonlySet<string> = new Set(['rate', 'type', 'after', 'first', 'taken', 'retry-after']);

/** Least and most milliseconds by which every batch is answered late. */
export type Latency = readonly [least: number, most: number];

/**
 * What happens to each batch: the first fault that applies and whose chance comes up, and the latency on top.
 * Batches are counted in the order in which they are asked for.
 */
export function createFaults(
  specs: readonly FaultSpec[],
  seed: number,
  latency?: Latency,
): (incoming: Pick<IncomingBatch, 'type'>) => InjectedFault | undefined {
  const random = generator(seed);
  const seen = specs.map(() => 0);
  return ({ type }) => {
    let chosen: InjectedFault | undefined;
    for (const [index, spec] of specs.entries()) {
      if (spec.type !== undefined && spec.type !== type) continue;
      const number = seen[index] ?? 0;
      seen[index] = number + 1;
      const applies = number >= spec.after && number < spec.after + spec.first;
      // Drawn even where another fault came first: one fault more must not move the others.
      const comesUp = spec.rate >= 1 || random() < spec.rate;
      if (applies && comesUp) chosen ??= spec.behaviour;
    }
    if (latency === undefined) return chosen;
    const [least, most] = latency;
    const latencyMs = Math.round(least + (most > least ? random() * (most - least) : 0));
    return { latencyMs, ...chosen };
  };
}

/** Numbers from 0 to 1, without 1, the same for the same seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
