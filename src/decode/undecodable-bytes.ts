/**
 * Placeholders for bytes that do not decode. A replacement character could be sent as data, so each byte becomes a
 * sequence that is not UTF-8: the row breaks like a row of damaged UTF-8. The placeholder encodes the byte and its offset
 * in the input, and contains no byte that ends a row or a cell.
 */

/** Never part of UTF-8 (RFC 3629). */
const FIRST_BYTE = 0xff;
/** After the first byte: eight groups of six bits for the offset, two of four bits for the byte. */
const OFFSET_GROUPS = 8;
export const PLACEHOLDER_BYTES = 1 + OFFSET_GROUPS + 2;

export interface UndecodableByte {
  readonly byte: number;
  /** Offset in the input before decoding. */
  readonly offset: number;
}

export function placeholderOf({ byte, offset }: UndecodableByte): Buffer {
  const placeholder = Buffer.alloc(PLACEHOLDER_BYTES, 0x80);
  placeholder[0] = FIRST_BYTE;
  // Offsets may be too large for bit operators.
  for (let group = OFFSET_GROUPS, rest = offset; group > 0; group -= 1, rest = Math.floor(rest / 64)) {
    placeholder[group] = 0x80 | (rest % 64);
  }
  placeholder[OFFSET_GROUPS + 1] = 0x80 | (byte >> 4);
  placeholder[OFFSET_GROUPS + 2] = 0x80 | (byte & 0x0f);
  return placeholder;
}

/** Reads the placeholder at an index. Undefined if there is none, or if it is cut. */
export function undecodableByteAt(bytes: Uint8Array, index: number): UndecodableByte | undefined {
  const placeholder = bytes.subarray(index, index + PLACEHOLDER_BYTES);
  if (placeholder.length < PLACEHOLDER_BYTES || placeholder[0] !== FIRST_BYTE) return undefined;
  if (placeholder.subarray(1).some((byte) => byte < 0x80 || byte > 0xbf)) return undefined;
  const offset = placeholder.subarray(1, 1 + OFFSET_GROUPS).reduce((sum, byte) => sum * 64 + (byte & 0x3f), 0);
  const [high = 0, low = 0] = placeholder.subarray(1 + OFFSET_GROUPS);
  return { byte: ((high & 0x0f) << 4) | (low & 0x0f), offset };
}
