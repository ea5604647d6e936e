/** Inputs of a test, which closes them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type OpenInput, type OpenOptions, openInputs } from '../../src/input/open-inputs.ts';
import { workspace } from '../support/program.ts';

const nothing = (): Readable => Readable.from([]);

export async function openAll(
  paths: readonly string[],
  stdin = nothing(),
  options?: OpenOptions,
): Promise<OpenInput[]> {
  const inputs = await openInputs(paths, stdin, options);
  onTestFinished(async () => {
    for (const input of inputs) await input.close();
  });
  return inputs;
}

export async function openOne(file: string, stdin?: Readable, options?: OpenOptions): Promise<OpenInput> {
  const [input] = await openAll([file], stdin, options);
  if (input === undefined) throw new Error('nothing was opened');
  return input;
}

/** A file of this name in a folder of its own. */
export async function put(name: string, content: string | Uint8Array): Promise<string> {
  const file = path.join(await workspace(), name);
  writeFileSync(file, content);
  return file;
}

/** All bytes of an input. */
export async function bytesOf(input: OpenInput): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input.chunks()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
