/** The type of an opened input, whatever its bytes come from. */
import type { Compression } from './compression.ts';

/** Size of an input's head, in bytes. */
export const HEAD_BYTES = 256 * 1024;

/** Runs a write. Rejects if the write fails, or if nothing may be written any more. */
export type WriteGuard = (write: () => Promise<void>) => Promise<void>;

/** One input, opened. Its bytes can be read once. */
export interface OpenInput {
  /** The path as given, a file of a given folder as `folder/file`, or `stdin`. */
  readonly name: string;
  /** Size of the file in bytes, compressed or not, when it was opened. Absent for a pipe. */
  readonly size?: number | undefined;
  /** How it is compressed. Head and chunks are decompressed; size and digest are those of the file. */
  readonly compression?: Compression | undefined;
  /** The first {@link HEAD_BYTES} bytes; fewer only if the input ends earlier. */
  readonly head: Buffer;
  /** The digest of `head`, by which a resumed run checks the input. */
  headDigest(): string;
  /** Whether `head` is the whole input. */
  readonly headIsWhole: boolean;
  /**
   * All bytes from offset 0. Can be read once; asking for the next chunk may overwrite the memory of the one before. Gives
   * exactly `size` bytes of a regular file, even if it grows. Rejects with a ProblemError `input.failed` if reading
   * fails or the file has become shorter.
   */
  chunks(): AsyncIterable<Buffer>;
  /**
   * Starts to copy a pipe to a file; call once. Resolves at the pipe's end with its length, or with undefined if reading
   * or writing failed. Absent for inputs that are not copied.
   */
  spool?(writing: WriteGuard): Promise<{ readonly bytes: number } | undefined>;
  /** The digest of all bytes of the file (lib/digest.ts). Throws before `chunks()` has ended. */
  digest(): string;
  /** Closes the file. May be called at any time, and more than once. */
  close(): Promise<void>;
}
