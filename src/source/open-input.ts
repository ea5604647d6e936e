/** What an opened input is, whatever its bytes come from. */
import type { Compression } from './compression.ts';

/** Size of an input's head, in bytes. */
export const HEAD_BYTES = 256 * 1024;

/** Carries out a write. Rejects where it fails, and where nothing may be written any more. */
export type WriteGuard = (write: () => Promise<void>) => Promise<void>;

/** One input, opened. Its bytes can be read once. */
export interface OpenInput {
  /** The path as given, a file of a given folder as `folder/file`, or `stdin`. */
  readonly name: string;
  /** Bytes of the file itself, packed or not, as they were when the file was opened; absent where nobody knows before the end (a pipe). */
  readonly size?: number;
  /** How it is compressed. Head and chunks are unpacked; size and digest are the file's. */
  readonly compression?: Compression;
  /** The first bytes, up to {@link HEAD_BYTES}; fewer only where the input ends earlier. */
  readonly head: Buffer;
  /** The digest of `head`, by which a run knows an input again. */
  headDigest(): string;
  /** Whether `head` is the whole input. */
  readonly headIsWhole: boolean;
  /**
   * All bytes from offset 0, once; the next chunk is read when it is asked for, and then the memory of the one before
   * may be used again. Of a regular file exactly
   * `size` bytes, although somebody may append to it meanwhile. Rejects with a ProblemError
   * (`input.failed`) where reading fails or a file has become shorter.
   */
  chunks(): AsyncIterable<Buffer>;
  /**
   * Of a pipe that is kept in a file: begins to keep it, and is called once. Resolves when the pipe's end has been kept,
   * with its length; to undefined where it broke off, or could not be written. Absent for other inputs.
   */
  spool?(writing: WriteGuard): Promise<{ readonly bytes: number } | undefined>;
  /** The digest of all bytes of the file itself (src/digest.ts). Throws before `chunks()` has ended. */
  digest(): string;
  /** Gives the file back. May be called at any time, and again. */
  close(): Promise<void>;
}
