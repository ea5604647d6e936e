/**
 * Bytes that do not decode, kept in the decoded stream. No character stands for them, because whatever stood
 * there could be sent: each becomes a mark that is no UTF-8, so that its row is found and broken by the same test
 * as a row of a damaged UTF-8 input. A mark says which byte it was and where it stood in the input, and holds no
 * byte that could end a row or a cell.
 */

/** Never part of UTF-8 (RFC 3629). */
const SIGN = 0xff;
/** Behind the sign: eight groups of six bits for the offset, two of four for the byte. */
const OFFSET_GROUPS = 8;
export const PLACEHOLDER_BYTES = 1 + OFFSET_GROUPS + 2;

export interface UndecodableByte {
  readonly byte: number;
  /** Offset in the input, before it was decoded. */
  readonly offset: number;
}

export function placeholderOf({ byte, offset }: UndecodableByte): Buffer {
  const mark = Buffer.alloc(PLACEHOLDER_BYTES, 0x80);
  mark[0] = SIGN;
  // Offsets are larger than what bit operators take.
  for (let group = OFFSET_GROUPS, rest = offset; group > 0; group -= 1, rest = Math.floor(rest / 64)) {
    mark[group] = 0x80 | (rest % 64);
  }
  mark[OFFSET_GROUPS + 1] = 0x80 | (byte >> 4);
  mark[OFFSET_GROUPS + 2] = 0x80 | (byte & 0x0f);
  return mark;
}

/** The mark that begins at an index, if one does and is whole. */
export function undecodableByteAt(bytes: Uint8Array, index: number): UndecodableByte | undefined {
  const mark = bytes.subarray(index, index + PLACEHOLDER_BYTES);
  if (mark.length < PLACEHOLDER_BYTES || mark[0] !== SIGN) return undefined;
  if (mark.subarray(1).some((byte) => byte < 0x80 || byte > 0xbf)) return undefined;
  const offset = mark.subarray(1, 1 + OFFSET_GROUPS).reduce((sum, byte) => sum * 64 + (byte & 0x3f), 0);
  const [high = 0, low = 0] = mark.subarray(1 + OFFSET_GROUPS);
  return { byte: ((high & 0x0f) << 4) | (low & 0x0f), offset };
}
