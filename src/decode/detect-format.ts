/** Detects an input's format: from the option, else from its name, else from its first characters. */

import path from 'node:path';
import type { InputFormat } from '../model/input-format.ts';
import { isWhite, readHead } from './encoding.ts';
import type { DecodeOptions, DetectedInput, Format, Head } from './format.ts';

type Formats = Readonly<Record<InputFormat, Format>>;

export function detectInputIn(
  formats: Formats,
  input: { name: string; head: Buffer; headIsWhole: boolean },
  options: DecodeOptions,
): DetectedInput {
  const head = readHead(input, options.encoding);
  const named = byName(formats, head.name);
  // Many programs write NDJSON to a file named .json.
  const format =
    options.format ?? (named === 'json' && byContent(head) === 'ndjson' ? 'ndjson' : named) ?? byContent(head);
  return {
    ...formats[format].detect(head, options),
    name: head.name,
    encoding: head.encodingName,
    guessed: head.guessed,
    alsoUtf8: head.alsoUtf8,
  };
}

function byName(formats: Formats, name: string): InputFormat | undefined {
  const extension = path.extname(withoutCompression(name)).toLowerCase();
  return Object.values(formats).find(({ extensions }) => extensions.includes(extension))?.name;
}

function byContent(head: Head): InputFormat {
  const first = head.bytes.findIndex((byte) => !isWhite(byte));
  const text = head.bytes.toString('latin1', Math.max(first, 0), first + 200);
  if (text.startsWith('{')) return 'ndjson';
  if (/^\[\s*[{[\]]/.test(text)) return 'json';
  return 'csv';
}

/** The bytes are already decompressed: `in.csv.gz` is CSV. */
function withoutCompression(name: string): string {
  return name.replace(/\.(?:gz|br|zst)$/i, '');
}
