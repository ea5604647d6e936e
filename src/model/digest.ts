/** Digests: by what many bytes are known again, those of an input or of a batch. */

/** The digest of bytes, in hexadecimal. */
export type DigestOf = (bytes: Uint8Array) => string;

/** The digest of bytes that come in pieces. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** In hexadecimal; of what has come so far. */
  digest(): string;
}
