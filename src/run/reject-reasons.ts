/** Reads the lines of a rejects file, CSV or NDJSON, as far as this program wrote them: `_line` and `_reason`. */
import { linesIfExists } from '../journal/file-lines.ts';

/** The `_line` of a line of a rejects file. Undefined for a header or a continued cell. */
export function lineOfReject(text: string): number | undefined {
  const line = /^(?:\{"_line":|\ufeff?)(\d+)/.exec(text)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** The `_origin_line` of such a line, or else its `_line`, after the name of its file. */
export function originOfReject(text: string, name: string): string | undefined {
  const line = lineOfReject(text);
  if (line === undefined) return undefined;
  const [, ofObject] = /^\{"_line":\d+,"_reason":"(?:[^"\\]|\\.)*","_origin_line":"([^"]*)"/.exec(text) ?? [];
  const [, , ofCells] = CSV_ORIGIN.exec(text) ?? [];
  return ofObject ?? ofCells ?? `${name}:${line}`;
}

/** Line, reason and origin, which ends with a line number. */
const CSV_ORIGIN = /^\ufeff?\d+([^\d])(?:"(?:[^"]|"")*"|(?:(?!\1)[^"])*)\1"?((?:(?!\1)[^"])*:\d+)"?(?:\1|\r?$)/;

/** The reasons of these rows, by line of the input. Rows that the file does not have are absent. */
export async function readRejectReasons(
  file: string,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const reasons = new Map<number, string>();
  if (wanted.size === 0) return reasons;
  for await (const { text, whole } of linesIfExists(file)) {
    const line = whole ? lineOfReject(text) : undefined;
    if (line === undefined || !wanted.has(line) || reasons.has(line)) continue;
    const reason = reasonOf(text);
    if (reason !== undefined) reasons.set(line, reason);
    if (reasons.size === wanted.size) break;
  }
  return reasons;
}

/** A reason has no line break, so it ends on the line on which it begins. */
function reasonOf(text: string): string | undefined {
  if (text.startsWith('{')) {
    const match = /^\{"_line":\d+,"_reason":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
    return match === undefined ? undefined : String(JSON.parse(match));
  }
  const [, delimiter, quoted] = /^\ufeff?\d+([^\d])(?:"((?:[^"]|"")*)")?/.exec(text) ?? [];
  if (delimiter === undefined) return undefined;
  if (quoted !== undefined) return quoted.replaceAll('""', '"');
  return text.split(delimiter)[1]?.trimEnd();
}
