/**
 * Copies a pipe's bytes to a file while they arrive. Reading must not wait for sending, which would block the writer,
 * and a pipe can be read only once: without the copy, a stopped run could not resume.
 */
import { open } from 'node:fs/promises';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { OpenInput, WriteGuard } from './open-inputs.ts';

/** Bytes read back from the file at a time. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The same input, read through the file. Bytes are copied as fast as they arrive, from the call of
 * {@link OpenInput.spool} on; before that they wait in the pipe. Memory is bounded however slow the reader is.
 *
 * @param file must not exist; its mode is 0600
 * @throws ProblemError `run.folder` if the file cannot be created
 */
export async function spool(input: OpenInput, file: string): Promise<OpenInput> {
  let written = 0;
  let atEnd = false;
  let failure: unknown;
  let wake: () => void = () => undefined;

  const orProblem = (error: unknown): never => {
    throw spoolProblem(file, error);
  };
  const into = await open(file, 'wx', 0o600).catch(orProblem);
  const back = await open(file, 'r').catch(async (error: unknown) => {
    await into.close();
    return orProblem(error);
  });

  const fill = async (guard: WriteGuard): Promise<{ readonly bytes: number } | undefined> => {
    try {
      for await (const chunk of input.chunks()) {
        await guard(() => into.appendFile(chunk));
        written += chunk.length;
        wake();
      }
      atEnd = true;
    } catch (error) {
      failure = error;
    }
    await into.close();
    wake();
    return atEnd ? { bytes: written } : undefined;
  };

  async function* chunks(): AsyncGenerator<Buffer> {
    for (let offset = 0; ; ) {
      if (offset < written) {
        const wanted = Math.min(CHUNK_BYTES, written - offset);
        const { buffer, bytesRead } = await back.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
        offset += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (failure !== undefined) throw failure;
      else if (atEnd) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  let begun = false;
  let closed = false;
  return {
    ...input,
    chunks,
    spool(guard) {
      begun = true;
      return fill(guard);
    },
    async close() {
      if (closed) return;
      closed = true;
      await input.close();
      if (!begun) await into.close();
      await back.close();
    },
  };
}

/** The copy of a pipe cannot be created. */
function spoolProblem(file: string, error: unknown): ProblemError {
  return new ProblemError({
    code: 'run.folder',
    message: `Cannot write a copy of the pipe's data to ${file}: ${messageOf(error)}. A stopped run could not resume without it, so nothing was sent.`,
    hint: 'Free some disk space, or choose a writable folder with --out DIR (or SIGNALS_RUNS).',
  });
}
