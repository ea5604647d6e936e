/**
 * A pipe's bytes, kept in a file as they come. Reading a pipe must not wait for sending: whoever writes into it
 * would be held up, or be killed with it. And what a pipe has given it gives only once, so that a run could not go
 * on without a copy.
 */
import { open } from 'node:fs/promises';
import { spoolProblem } from './input-problems.ts';
import type { OpenInput, WriteGuard } from './open-input.ts';

/** Bytes that are read back from the file at a time. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The same input, read by way of the file. Its bytes come in from the moment at which {@link OpenInput.spool} is
 * called, as fast as they are written; until then they wait in the pipe. Memory stays bounded whatever the reader does.
 *
 * @param file must not exist; its mode is 0600
 * @throws ProblemError `run.folder` where the file cannot be made
 */
export async function spool(input: OpenInput, file: string): Promise<OpenInput> {
  let written = 0;
  let atEnd = false;
  let fault: unknown;
  let wake: () => void = () => undefined;

  const orProblem = (error: unknown): never => {
    throw spoolProblem(file, error);
  };
  const into = await open(file, 'wx', 0o600).catch(orProblem);
  const back = await open(file, 'r').catch(orProblem);

  const fill = async (writing: WriteGuard): Promise<{ readonly bytes: number } | undefined> => {
    try {
      for await (const chunk of input.chunks()) {
        await writing(() => into.appendFile(chunk));
        written += chunk.length;
        wake();
      }
      atEnd = true;
    } catch (error) {
      fault = error;
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
      } else if (fault !== undefined) throw fault;
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
    spool(writing) {
      begun = true;
      return fill(writing);
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
