/**
 * `undelivered.ndjson`: one line for each batch that ended refused, exhausted or unknown, with its payload. A replay
 * must send the same bytes, so the payload is inserted and extracted as text and never serialized again.
 */

import { z } from 'zod';
import type { DigestOf } from '../lib/digest.ts';
import { loadDigests } from '../lib/digest.ts';
import { once } from '../lib/once.ts';
import type { Batch, BatchRow } from '../model/batch.ts';
import type { BatchState } from '../model/outcome.ts';
import { type RowRange, rowRange } from '../model/position.ts';
import { rowsOf } from '../model/row-spans.ts';
import { linesIfExists } from './file-lines.ts';

const head = once(() =>
  z.object({
    batch: z.string(),
    outcome: z.enum(['refused', 'exhausted', 'unknown', 'pending']),
    digest: z.string(),
    records: z.int(),
    ranges: z.array(rowRange),
  }),
);

/** A batch that was not delivered. */
export interface StoredBatch extends Batch {
  readonly outcome: Exclude<BatchState, 'delivered'>;
  /** Whether the payload is the sealed one. If not, the file was changed. */
  readonly isIntact: boolean;
}

const PAYLOAD = ',"payload":';

/** The line of a batch, with its line feed. */
export function encodeUndelivered(batch: Batch, outcome: BatchState): string {
  const { id, digest, records, ranges, payload } = batch;
  const facts = JSON.stringify({ batch: id, outcome, digest, records, ranges });
  return `${facts.slice(0, -1)}${PAYLOAD}${Buffer.from(payload).toString('utf8')}}\n`;
}

/**
 * The batches of a file, in order; none if it does not exist. The file is written before the journal, so a batch can
 * occur twice, or have an outcome that the journal contradicts. Incomplete lines are skipped.
 */
export async function* readUndelivered(file: string): AsyncGenerator<StoredBatch> {
  const { digestOf } = await loadDigests();
  for await (const { text, whole } of linesIfExists(file)) {
    const batch = whole ? decodeUndelivered(text, digestOf) : undefined;
    if (batch !== undefined) yield batch;
  }
}

/** The id of the batch of a line. Undefined if the line is damaged. */
export function undeliveredBatchId(line: string): string | undefined {
  return factsOf(line, line.indexOf(PAYLOAD))?.batch;
}

function decodeUndelivered(line: string, digestOf: DigestOf): StoredBatch | undefined {
  // The text before the payload is ours, so the first match is the right one.
  const at = line.indexOf(PAYLOAD);
  const facts = factsOf(line, at);
  if (facts === undefined) return undefined;
  const { batch: id, outcome, digest, records, ranges } = facts;
  const payload = Buffer.from(line.slice(at + PAYLOAD.length, -1));
  const offsets = offsetsOf(payload);
  const rows = ranges.flatMap(batchRowsOf);
  const isIntact = digestOf(payload) === digest && offsets.length === records + 1 && rows.length === records;
  return { id, outcome, digest, records, ranges, payload, isIntact, offsets, rows };
}

/** What a line says before its payload. @param at where the payload begins, or -1 */
function factsOf(line: string, at: number): z.infer<ReturnType<typeof head>> | undefined {
  try {
    return at < 0 ? undefined : head().parse(JSON.parse(`${line.slice(0, at)}}`));
  } catch {
    return undefined;
  }
}

/** {@link Batch.offsets} of a payload. */
function offsetsOf(payload: Buffer): readonly number[] {
  const offsets: number[] = [];
  let depth = 0;
  let inText = false;
  for (let at = 0; at < payload.length; at += 1) {
    const byte = payload[at];
    if (inText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      // The request is an object whose only value is an array of objects.
      if (depth === 3) offsets.push(at);
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 2) offsets.push(at + 1);
      depth -= 1;
    }
  }
  return offsets;
}

/** Without the cells and the byte range of each row, which only the input has. */
function batchRowsOf(range: RowRange): readonly BatchRow[] {
  const { source, start } = range;
  return rowsOf(range).map(({ row, line }) => ({
    position: { source, row, line, nextLine: line + 1, start, end: start },
  }));
}
