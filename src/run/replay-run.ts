/**
 * Replays: the batches that another run did not deliver, as a source of sealed batches beside prepare/. Nothing is
 * encoded again: a payload is sent as the same bytes.
 *
 * The run state of a replay counts the rows of its batches. Its inputs are those of the replayed run, each as large as the
 * payloads of the batches that start in it.
 */
import { contracts } from '../contract/index.ts';
import { findPart, isPartOf } from '../deliver/split-batch.ts';
import { openAppend } from '../journal/append-file.ts';
import type { UndeliveredBatch } from '../journal/lineage.ts';
import type { RunFile } from '../journal/run-file.ts';
import { encodeUndelivered, readUndelivered, type StoredBatch } from '../journal/undelivered.ts';
import { loadDigests } from '../lib/digest.ts';
import type { Prepared } from '../model/prepared.ts';
import { ProblemError } from '../model/problem.ts';
import type { ResumePoint } from '../prepare/index.ts';
import type { RunJob } from './job.ts';

/** Batches of one run, and the file that holds their payloads. */
export interface PayloadSource {
  readonly file: string;
  readonly batches: readonly UndeliveredBatch[];
}

/**
 * Copies payloads into the folder of their replay, which then needs no other folder.
 *
 * @throws ProblemError `replay.payload` if one is missing or was changed
 */
export async function copyPayloads(from: readonly PayloadSource[], target: string): Promise<void> {
  const out = await openAppend(target);
  try {
    for (const { file, batches } of from) {
      const missing = new Map(batches.map((batch) => [batch.batch, batch]));
      for await (const kept of readUndelivered(file)) {
        const batch = missing.get(kept.id);
        if (batch === undefined || !kept.isIntact || kept.digest !== batch.digest) continue;
        missing.delete(kept.id);
        // The state in the journal is newer than the one in the file.
        await out.append(encodeUndelivered(kept, batch.state));
      }
      const [first] = missing.keys();
      if (first !== undefined) throw badPayload(file, `batch ${first}`, missing.size);
    }
  } finally {
    await out.close();
  }
}

function badPayload(file: string, of: string, batches = 1): ProblemError {
  const others = batches === 1 ? '' : ` and of ${batches - 1} more`;
  return new ProblemError({
    code: 'replay.payload',
    message: `The payload of ${of}${others} is missing or was changed. It was not sent.`,
    where: file,
    hint: 'Copy the original run folder again, or upload the rows again from the input.',
  });
}

/**
 * The job of a replay, from the batches in its folder.
 *
 * @throws ProblemError `replay.payload` if they are not the batches that its run.json names
 */
export async function createReplayJob(file: string, runFile: RunFile): Promise<RunJob> {
  const names = runFile.inputs.map(({ source }) => source);
  const expected = Object.values(runFile.takes ?? {}).flat().length;
  const sizes = names.map(() => 0);
  let batches = 0;
  for await (const batch of readUndelivered(file)) {
    if (!batch.isIntact) throw badPayload(file, `batch ${batch.id}`);
    batches += 1;
    const source = sourceOf(batch);
    sizes[source] = (sizes[source] ?? 0) + batch.payload.byteLength;
  }
  if (batches !== expected) {
    throw badPayload(file, 'a batch', Math.abs(expected - batches));
  }
  const close = async (): Promise<void> => undefined;
  return {
    contract: contracts[runFile.type],
    variant: runFile.variant,
    inputs: names.map((name, source) => {
      const size = sizes[source] ?? 0;
      return { source: { name, size, close }, textSize: size };
    }),
  };
}

/**
 * Yields the batches in the order of the file.
 *
 * @param inputs number of inputs
 * @throws ProblemError `replay.payload` if the file was changed
 */
export async function* prepareReplay(
  file: string,
  inputs: number,
  from?: ResumePoint,
): AsyncGenerator<readonly Prepared[]> {
  const { digestOf, begin } = await loadDigests();
  const states = Array.from({ length: inputs }, () => ({ rows: 0, bytes: 0, hash: begin() }));
  for await (const kept of readUndelivered(file)) {
    const { outcome, isIntact, ...batch } = kept;
    const source = sourceOf(kept);
    const state = states[source];
    if (!isIntact || state === undefined) throw badPayload(file, `batch ${batch.id}`);
    state.rows += batch.records;
    state.bytes += batch.payload.byteLength;
    state.hash.update(batch.payload);
    const accounted = from?.cursors.get(source)?.byte ?? 0;
    if (state.bytes <= accounted) {
      const again = from?.toRecut.filter(({ id }) => id === batch.id || isPartOf(id, batch.id)) ?? [];
      yield again.map(({ id, digest }) => {
        const part = findPart(batch, id, digestOf);
        return { kind: 'recut', batch: part, matches: part.digest === digest };
      });
      continue;
    }
    const cursor = { source, rows: state.rows, line: state.rows + 1, byte: state.bytes };
    yield [
      {
        kind: 'batch',
        batch,
        commit: { cursors: [cursor], dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} },
        maybeProcessed: outcome === 'unknown' ? true : undefined,
      },
    ];
  }
  yield states.flatMap(({ rows, bytes, hash }, source) =>
    from?.ended.has(source) === true ? [] : [{ kind: 'end', source, bytes, digest: hash.digest(), rows } as const],
  );
}

/** The input that a batch counts for: the one in which it starts. */
function sourceOf({ ranges }: Pick<StoredBatch, 'ranges'>): number {
  return ranges[0]?.source ?? 0;
}
