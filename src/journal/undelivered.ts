/**
 * `undelivered.ndjson`: a line for each batch that was not delivered, with its payload, so that it can be sent again from the run folder
 * alone. The payload is inserted and extracted as text and never serialized again: the same bytes are sent.
 */
import { rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { type DigestOf, loadDigests } from '../lib/digest.ts';
import { once } from '../lib/resources.ts';
import { parseJson, walkJson } from '../lib/text.ts';
import { type Batch, type BatchRow, rowsOf } from '../model/batch.ts';
import { type BatchState, failure } from '../model/outcome.ts';
import { type Content, type RowRange, rowRange } from '../model/row.ts';
import { type AppendFile, type AppendOptions, openAppend } from './append-file.ts';
import { type Line, linesIfExists } from './lines.ts';

const head = once(() =>
  z.object({
    batch: z.string(),
    outcome: z.enum([...failure.options, 'pending']),
    digest: z.string(),
    records: z.int(),
    ranges: z.array(rowRange),
    /** Of a record that the service refused: why, and its row as JSON, for the rejects file. */
    rejected: z.object({ reason: z.string(), row: z.string() }).optional(),
  }),
);

export interface StoredBatch extends Batch {
  readonly outcome: Exclude<BatchState, 'delivered'>;
  /** Whether the payload is the sealed one. If not, the file was changed. */
  readonly isIntact: boolean;
  readonly rejected?: RejectedRecord | undefined;
}

export interface RejectedRecord {
  readonly reason: string;
  readonly content: Content | string;
}

export const UNDELIVERED = 'undelivered.ndjson';

const PAYLOAD = ',"payload":';

export function createUndeliveredFile(path: string, options: Pick<AppendOptions, 'fsync' | 'blockedBy'> = {}) {
  let opening: Promise<AppendFile> | undefined;
  const close = async (): Promise<void> => {
    const file = await opening?.catch(() => undefined);
    opening = undefined;
    await file?.close();
  };
  return {
    async add(batch: Batch, outcome: BatchState, rejected?: RejectedRecord): Promise<void> {
      opening ??= openAppend(path, options);
      await (await opening).append(encodeUndelivered(batch, outcome, rejected));
    },
    /** Removes the lines of other batches, damaged lines, and all but the last line of each batch. */
    async retain(isWanted: (batch: string) => boolean): Promise<void> {
      await close();
      const last = new Map<string, number>();
      let lines = 0;
      for await (const line of linesIfExists(path)) {
        const id = wantedId(line, isWanted);
        if (id !== undefined) last.set(id, lines);
        lines += 1;
      }
      if (lines === last.size) return;
      if (last.size === 0) return rm(path, { force: true });
      const draft = `${path}.tmp`;
      const out = await openAppend(draft, options);
      try {
        await out.truncate(0);
        let number = 0;
        for await (const line of linesIfExists(path)) {
          const id = wantedId(line, isWanted);
          if (id !== undefined && last.get(id) === number) await out.append(`${line.text}\n`);
          number += 1;
        }
      } finally {
        await out.close();
      }
      await rename(draft, path);
    },
    close,
  };
}

function wantedId({ text, whole }: Line, isWanted: (batch: string) => boolean): string | undefined {
  const id = whole ? factsOf(text, text.indexOf(PAYLOAD))?.batch : undefined;
  return id !== undefined && isWanted(id) ? id : undefined;
}

function encodeUndelivered(batch: Batch, outcome: BatchState, rejected?: RejectedRecord): string {
  const { id, digest, records, ranges, payload } = batch;
  const row = rejected && { reason: rejected.reason, row: JSON.stringify(rejected.content) };
  const facts = JSON.stringify({ batch: id, outcome, digest, records, ranges, rejected: row });
  return `${facts.slice(0, -1)}${PAYLOAD}${Buffer.from(payload).toString('utf8')}}\n`;
}

/** The file is written before the journal, so a batch can occur twice, or have an outcome that the journal contradicts. */
export async function* readUndelivered(file: string): AsyncGenerator<StoredBatch> {
  const { digestOf } = await loadDigests();
  for await (const { text, whole } of linesIfExists(file)) {
    const batch = whole ? decodeUndelivered(text, digestOf) : undefined;
    if (batch !== undefined) yield batch;
  }
}

function decodeUndelivered(line: string, digestOf: DigestOf): StoredBatch | undefined {
  // The text before the payload is ours, so the first match is the right one.
  const at = line.indexOf(PAYLOAD);
  const facts = factsOf(line, at);
  if (facts === undefined) return undefined;
  const { batch: id, outcome, digest, records, ranges, rejected } = facts;
  const payload = Buffer.from(line.slice(at + PAYLOAD.length, -1));
  const offsets = offsetsOf(payload);
  const rows = ranges.flatMap(batchRowsOf);
  const isIntact = digestOf(payload) === digest && offsets.length === records + 1 && rows.length === records;
  return {
    id,
    outcome,
    digest,
    records,
    ranges,
    payload,
    isIntact,
    offsets,
    rows,
    rejected: rejected && { reason: rejected.reason, content: JSON.parse(rejected.row) },
  };
}

function factsOf(line: string, at: number): z.infer<ReturnType<typeof head>> | undefined {
  return at < 0 ? undefined : head().safeParse(parseJson(`${line.slice(0, at)}}`)).data;
}

/** {@link Batch.offsets} of a payload. */
function offsetsOf(payload: Buffer): readonly number[] {
  const offsets: number[] = [];
  // One character a byte. The request is an object whose only value is an array of objects.
  walkJson(payload.toString('latin1'), (mark, at, depth) => {
    if (depth === 2 && mark === '{') offsets.push(at);
    else if (depth === 2 && mark === ']') offsets.push(at + 1);
  });
  return offsets;
}

/** Without the cells and the byte range of each row, which only the input has. */
function batchRowsOf(range: RowRange): readonly BatchRow[] {
  const { source, start } = range;
  return rowsOf(range).map(({ row, line }) => ({
    position: { source, row, line, nextLine: line + 1, start, end: start },
  }));
}
