/** Looks for a text in the lines of a file. Knows plain UTF-8 alone: what else there is says so. */
import { open } from 'node:fs/promises';
import { linesOf } from './lines.ts';

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

/**
 * Without regard to case. Undefined where the file is not there, or is compressed or in another encoding: then nobody
 * has looked.
 */
export async function searchFile(file: string, wanted: string, limit: number): Promise<Search | undefined> {
  if (!(await isPlain(file))) return undefined;
  const needle = wanted.toLowerCase();
  const hits: Hit[] = [];
  let more = 0;
  let line = 0;
  for await (const { text } of linesOf(file)) {
    line += 1;
    if (!text.toLowerCase().includes(needle)) continue;
    if (hits.length < limit) hits.push({ line, text });
    else more += 1;
  }
  return { hits, more };
}

/** The beginning of the file is text in UTF-8, whatever becomes of the end of its last character. */
async function isPlain(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.includes(0)) return false;
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}
