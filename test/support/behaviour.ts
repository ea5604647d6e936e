/** What a service does, and what is uploaded to it, as data: fixtures/delivery. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RecordType } from '../../src/model/record.ts';
import type { InjectedFault, SandboxServerOptions } from '../../src/sandbox/index.ts';
import { csvOf, root, socialCsv } from './program.ts';

export type Incoming = Parameters<NonNullable<SandboxServerOptions['injectFault']>>[0];
export type Behaviour = (incoming: Incoming) => InjectedFault | undefined;

/** Which requests get which answer. */
export interface Rule {
  /** Numbers of the first and the last of these requests. */
  readonly from?: number;
  readonly to?: number;
  readonly every?: number;
  /** A text in one of the records. */
  readonly has?: string;
  /** They have more records than this. */
  readonly above?: number;
  readonly fault?: InjectedFault;
  /** Counts of accepted and rejected records in a receipt. */
  readonly receipt?: readonly [accepted: number, rejected?: number];
}

/** The first rule decides that applies to a request. */
export function behaviourOf(rules: readonly Rule[] = []): Behaviour {
  return (incoming) => {
    const { n, type, records, elements } = incoming;
    const rule = rules.find(
      ({ from = 1, to = Number.POSITIVE_INFINITY, every = 1, has = '', above = 0 }) =>
        n >= from && n <= to && n % every === 0 && records > above && JSON.stringify(elements).includes(has),
    );
    return rule?.receipt === undefined ? rule?.fault : { status: 200, body: receiptOf(type, ...rule.receipt) };
  };
}

export function receiptOf(type: RecordType, accepted: number, rejected = 0): string {
  const counts = type === 'signals' ? { stats: { accepted, deduplicated: 0, rejected } } : { promotedToPipeline: 0 };
  return JSON.stringify({ success: true, batchId: 'b1', ...counts });
}

/** An input of valid signals or events. */
export interface Rows {
  readonly rows?: number;
  readonly events?: number;
  /** The text after them. */
  readonly more?: string;
}

export function inputOf({ rows = 12, events, more = '' }: Rows): string {
  return (events === undefined ? csvOf(rows) : socialCsv(events)) + more;
}

/** The lines of a file of fixtures/delivery. */
export function casesIn<T>(name: string): readonly T[] {
  const text = readFileSync(path.join(root, 'fixtures', 'delivery', name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
