/**
 * `undelivered.ndjson`: one line a batch that ended refused, exhausted or unknown, with its payload as it is. Whoever
 * sends it again must send the same bytes, so that a payload is spliced in and cut out, and never written anew.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Batch } from '../model/batch.ts';
import type { Outcome } from '../model/outcome.ts';
import { linesOf } from './lines.ts';

const range = z.object({
  source: z.int(),
  firstRow: z.int(),
  lastRow: z.int(),
  firstLine: z.int(),
  lastLine: z.int(),
  start: z.int(),
  end: z.int(),
  spans: z.array(z.tuple([z.int(), z.int(), z.int()])).optional(),
});

const head = z.object({
  batch: z.string(),
  outcome: z.enum(['refused', 'exhausted', 'unknown']),
  digest: z.string(),
  records: z.int(),
  ranges: z.array(range),
});

/** A batch that was not delivered. */
export interface KeptBatch extends Batch {
  readonly outcome: Exclude<Outcome, 'delivered'>;
  /** Whether the payload is the one that was sealed. If not, the file was changed. */
  readonly whole: boolean;
}

const PAYLOAD = ',"payload":';

/** The line of a batch, its line feed included. */
export function encodeKept(batch: Batch, outcome: Outcome): string {
  const { id, digest, records, ranges, payload } = batch;
  const facts = JSON.stringify({ batch: id, outcome, digest, records, ranges });
  return `${facts.slice(0, -1)}${PAYLOAD}${Buffer.from(payload).toString('utf8')}}\n`;
}

/**
 * The batches of a file, in its order; none where there is no such file. A batch may stand there more than once, and
 * one that the journal knows better: the file is written before the journal. Lines that are not whole are passed over.
 */
export async function* readKept(file: string): AsyncGenerator<KeptBatch> {
  try {
    for await (const { text, whole } of linesOf(file)) {
      const batch = whole ? decodeKept(text) : undefined;
      if (batch !== undefined) yield batch;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

function decodeKept(line: string): KeptBatch | undefined {
  // Nothing in front of it was written by anybody else, so that the first one is ours.
  const at = line.indexOf(PAYLOAD);
  if (at < 0) return undefined;
  const parsed = parse(`${line.slice(0, at)}}`);
  if (parsed === undefined) return undefined;
  const { batch: id, outcome, digest, records } = parsed;
  const payload = Buffer.from(line.slice(at + PAYLOAD.length, -1));
  const ranges = parsed.ranges.map(({ spans, ...rest }) => (spans === undefined ? rest : { ...rest, spans }));
  const whole = createHash('sha256').update(payload).digest('hex') === digest;
  return { id, outcome, digest, records, ranges, payload, whole };
}

function parse(text: string): z.infer<typeof head> | undefined {
  try {
    return head.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
