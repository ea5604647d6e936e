/** Detects and decodes a whole input, as a run does. */
import { decode, detectInput } from '../../src/input/decode.ts';
import type { DetectedInput, RowBlock } from '../../src/input/decode-types.ts';
import type { DecodeOptions } from '../../src/model/decode-options.ts';
import type { PackedTable } from '../../src/model/input-format.ts';
import type { BrokenRow, Row } from '../../src/model/row.ts';

export const options: DecodeOptions = { header: true, maxRowBytes: 1 << 20, ragged: 'reject' };

export interface Given extends Partial<DecodeOptions> {
  readonly name?: string;
  readonly table?: PackedTable;
  readonly chunks?: AsyncIterable<Uint8Array>;
}

export interface Read {
  readonly detected: DetectedInput;
  readonly blocks: RowBlock[];
  readonly rows: (Row | BrokenRow)[];
  readonly cursor: RowBlock['cursor'] | undefined;
}

export async function read(input: Buffer | string, given: Given = {}): Promise<Read> {
  const { name = 'in.csv', table, chunks, ...rest } = given;
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  const all = { ...options, ...rest };
  const head = bytes.subarray(0, 262_144);
  const detected = detectInput({ name, table, head, headIsWhole: bytes.length <= 262_144 }, all);
  const blocks: RowBlock[] = [];
  for await (const block of decode({ source: 4, chunks: chunks ?? chunked(bytes, () => 65_536), detected }, all))
    blocks.push(block);
  return { detected, blocks, rows: blocks.flatMap((block) => [...block.rows]), cursor: blocks.at(-1)?.cursor };
}

/** Cuts bytes into chunks; `size` gives the length of the next one. Each chunk has its own memory. */
export async function* chunked(bytes: Buffer, size: () => number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + Math.max(1, size());
    yield new Uint8Array(bytes.subarray(start, end));
    start = end;
  }
}

/** Detects an input that is all head, or, with `cut`, one that continues after it. */
export function look(text: string | Buffer, given: Omit<Given, 'chunks'> & { cut?: boolean } = {}) {
  const { name = 'in', table, cut = false, ...rest } = given;
  const head = typeof text === 'string' ? Buffer.from(text) : text;
  return detectInput({ name, table, head, headIsWhole: !cut }, { ...options, ...rest });
}
