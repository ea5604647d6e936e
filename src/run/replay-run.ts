/**
 * The second source of sealed batches, beside prepare.ts: what another run did not deliver. Nothing is cut anew and
 * nothing is encoded again; a payload leaves as the same bytes as before, wherever the run folder was carried.
 *
 * The books of a replay count the rows of its batches. Its inputs are those of the run that is replayed, each as
 * large as the payloads of the batches that begin in it.
 */
import { contracts } from '../contract/index.ts';
import { splitBatch } from '../deliver/split-batch.ts';
import { openAppend } from '../journal/append-file.ts';
import type { UndeliveredBatch } from '../journal/lineage.ts';
import type { RunFile } from '../journal/run-file.ts';
import { encodeUndelivered, readUndelivered, type StoredBatch } from '../journal/undelivered.ts';
import type { DigestOf } from '../lib/digest.ts';
import { loadDigests } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { Prepared } from '../model/prepared.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { ResumePoint } from '../prepare/index.ts';
import type { RunJob } from './job.ts';
import { type RejectsInput, rejectsInputs } from './run-files.ts';

/** Batches of one run, and the file in which their payloads are. */
export interface PayloadSource {
  readonly file: string;
  readonly batches: readonly UndeliveredBatch[];
}

/**
 * Copies the payloads of batches into the folder of their replay, which from then on needs no other folder.
 *
 * @throws ProblemError `replay.payload` where one is missing, or is not the one that was sealed
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
        // The journal knows better than the file, which is written before it.
        await out.append(encodeUndelivered(kept, batch.state));
      }
      const [first] = missing.keys();
      if (first !== undefined) throw new ProblemError(noPayload(file, `batch ${first}`, missing.size));
    }
  } finally {
    await out.close();
  }
}

function noPayload(file: string, of: string, batches: number): Problem {
  const others = batches === 1 ? '' : ` and of ${batches - 1} more`;
  return {
    code: 'replay.payload',
    message: `The payload of ${of}${others} is missing, or is not the one that was sealed. It was not sent.`,
    where: file,
    hint: 'Take the run folder from where the run was made, as it was; or upload the rows again from the input.',
  };
}

/** The inputs of a run, as far as rejects files are concerned. A replay has records, and no rows of these inputs. */
export function rejectsInputsOf({ inputs, decode: { delimiter }, parent }: RunFile): readonly RejectsInput[] {
  return rejectsInputs(
    inputs.map(({ source, format, columns }) => ({
      source: { name: source },
      detected: {
        format: parent === undefined ? format : 'ndjson',
        columns,
        ...(delimiter === undefined ? {} : { delimiter }),
      },
    })),
  );
}

/**
 * A replay's job, from the batches kept in its folder.
 *
 * @throws ProblemError `replay.payload` where these are not the batches that its run.json names
 */
export async function createReplayJob(file: string, runFile: RunFile): Promise<RunJob> {
  const names = runFile.inputs.map(({ source }) => source);
  const expected = Object.values(runFile.takes ?? {}).flat().length;
  const sizes = names.map(() => 0);
  let batches = 0;
  for await (const batch of readUndelivered(file)) {
    if (!batch.isIntact) throw new ProblemError(noPayload(file, `batch ${batch.id}`, 1));
    batches += 1;
    const source = sourceOf(batch);
    sizes[source] = (sizes[source] ?? 0) + batch.payload.byteLength;
  }
  if (batches !== expected) {
    throw new ProblemError(noPayload(file, 'a batch', Math.abs(expected - batches)));
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
 * Yields the batches in the order in which they were kept.
 *
 * @param inputs how many there are
 * @throws ProblemError `replay.payload` where the file was changed
 */
export async function* prepareReplay(
  file: string,
  inputs: number,
  from?: ResumePoint,
): AsyncGenerator<readonly Prepared[]> {
  const { digestOf, begin } = await loadDigests();
  const states = Array.from({ length: inputs }, () => ({ rows: 0, bytes: 0, hash: begin() }));
  for await (const kept of readUndelivered(file)) {
    const { outcome, isIntact: whole, ...batch } = kept;
    const source = sourceOf(kept);
    const state = states[source];
    if (!whole || state === undefined) throw new ProblemError(noPayload(file, `batch ${batch.id}`, 1));
    state.rows += batch.records;
    state.bytes += batch.payload.byteLength;
    state.hash.update(batch.payload);
    const accounted = from?.cursors.get(source)?.byte ?? 0;
    if (state.bytes <= accounted) {
      const again = from?.again.filter(({ id }) => id === batch.id || id.startsWith(`${batch.id}.`)) ?? [];
      yield again.map(({ id, digest }) => {
        const part = partOf(batch, id.slice(batch.id.length), digestOf);
        return { kind: 'again', batch: part, matches: part.digest === digest };
      });
      continue;
    }
    const cursor = { source, rows: state.rows, line: state.rows + 1, byte: state.bytes };
    yield [
      {
        kind: 'batch',
        batch,
        commit: { cursors: [cursor], dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} },
        ...(outcome === 'unknown' ? { maybeProcessed: true as const } : {}),
      },
    ];
  }
  yield states.flatMap(({ rows, bytes, hash }, source) =>
    from?.ended.has(source) === true
      ? []
      : [{ kind: 'end', source, bytes, digest: hash.digest(), rows } as const],
  );
}

/** The input to which a batch counts: the one in which it begins. */
function sourceOf({ ranges }: Pick<StoredBatch, 'ranges'>): number {
  return ranges[0]?.source ?? 0;
}

/** A part of a batch, by what stands behind the batch's own id: `.1.2`. Splitting is deterministic. */
function partOf(batch: Batch, suffix: string, digestOf: DigestOf): Batch {
  return suffix
    .split('.')
    .slice(1)
    .reduce((whole, number) => splitBatch(whole, digestOf)[number === '1' ? 0 : 1], batch);
}
