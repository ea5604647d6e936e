/** Looks for a text in lines. */
import type { Line } from './file-lines.ts';

export interface Hit {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface Search {
  readonly hits: readonly Hit[];
  /** Hits beyond the limit. */
  readonly more: number;
}

/** Without regard to case. */
export async function searchLines(
  lines: AsyncIterable<Line>,
  wanted: string,
  limit: number,
): Promise<Search> {
  const needle = wanted.toLowerCase();
  const hits: Hit[] = [];
  let more = 0;
  let line = 0;
  for await (const { text } of lines) {
    line += 1;
    if (!text.toLowerCase().includes(needle)) continue;
    if (hits.length < limit) hits.push({ line, text });
    else more += 1;
  }
  return { hits, more };
}
