/** Which format an input has: by option, else by its name, else by its first character. */
import path from 'node:path';
import { isWhite, readHead } from './encoding.ts';
import type { DecodeOptions, DetectedInput, Format, FormatName, Head } from './format.ts';

type Formats = Readonly<Record<FormatName, Format>>;

export function detectInputIn(
  formats: Formats,
  input: { name: string; head: Buffer; headIsWhole: boolean },
  options: DecodeOptions,
): DetectedInput {
  const head = readHead(input, options.encoding);
  const named = byName(formats, head.name);
  // Many programs call a file of one object a line .json.
  const format =
    options.format ??
    (named === 'json' && byContent(head) === 'ndjson' ? 'ndjson' : named) ??
    byContent(head);
  return {
    ...formats[format].detect(head, options),
    name: head.name,
    encoding: head.encodingName,
    ...(head.guessed === undefined ? {} : { guessed: head.guessed }),
    ...(head.alsoUtf8 === undefined ? {} : { alsoUtf8: head.alsoUtf8 }),
  };
}

function byName(formats: Formats, name: string): FormatName | undefined {
  const extension = path.extname(withoutPacking(name)).toLowerCase();
  return Object.values(formats).find(({ extensions }) => extensions.includes(extension))?.name;
}

function byContent(head: Head): FormatName {
  const first = head.bytes.findIndex((byte) => !isWhite(byte));
  const text = head.bytes.toString('latin1', Math.max(first, 0), first + 200);
  if (text.startsWith('{')) return 'ndjson';
  if (/^\[\s*[{[\]]/.test(text)) return 'json';
  return 'csv';
}

/** `in.csv.gz` holds CSV: what reaches this room is unpacked. */
function withoutPacking(name: string): string {
  return name.replace(/\.(?:gz|br|zst)$/i, '');
}
