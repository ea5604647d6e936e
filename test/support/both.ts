/** Prepares one input with both engines, for an upload and for a check, and compares the results. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { detectInput } from '../../src/input/decode.ts';
import { compileMapping, type MappingDocument } from '../../src/map/index.ts';
import type { DecodeOptions } from '../../src/model/decode-options.ts';
import { formatTraits } from '../../src/model/input-format.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { Variant } from '../../src/model/record.ts';
import type { Mapped } from '../../src/model/row.ts';
import {
  Duplicates,
  type PreparableInput,
  type PrepareJob,
  prepare,
  type ResumePoint,
} from '../../src/prepare/index.ts';
import { createRecordReader } from '../../src/prepare/record.ts';
import { chunked } from './read.ts';

export interface Scene {
  /** The file's name, from which its format may be detected. */
  readonly name?: string;
  readonly bytes: Buffer;
  readonly document: MappingDocument;
  readonly variant?: Variant;
  readonly decode?: Partial<DecodeOptions>;
  readonly batchSize?: number;
  readonly maxBytes?: number;
  readonly skip?: number;
  readonly limit?: number;
  /** Lengths of the chunks, repeated. */
  readonly chunks?: readonly number[];
  readonly incomplete?: true;
  readonly from?: ResumePoint;
  /** Drops records that are equal to an earlier one. */
  readonly dedupe?: boolean;
}

const HEAD = 262_144;

/** Undefined if the head of the input cannot be understood. */
export function jobOf(scene: Scene, engine: 'auto' | 'reference'): PrepareJob | undefined {
  const { name = 'in.csv', bytes, document, variant, chunks = [65_536], incomplete } = scene;
  const decode = { header: true, maxRowBytes: 2 ** 20, ragged: 'reject' as const, ...scene.decode };
  const contract = contracts[document.type ?? 'signals'];
  const head = bytes.subarray(0, HEAD);
  const input = (): PreparableInput => {
    const detected = detectInput({ name, head, headIsWhole: bytes.length <= HEAD }, decode);
    const form = formatTraits[detected.format].hasCells ? 'csv' : 'ndjson';
    const mapping = compileMapping(document, {
      contract,
      variant,
      columns: detected.columns,
      rowForm: form,
      inputName: name,
    });
    let cut = 0;
    const size = (): number => {
      cut += 1;
      return chunks[cut % chunks.length] ?? 1;
    };
    return {
      source: {
        name,
        head,
        isGzip: false,
        headIsWhole: bytes.length <= HEAD,
        headDigest: () => '',
        async *chunks() {
          for await (const chunk of chunked(bytes, size)) yield Buffer.from(chunk.buffer);
        },
        digest: () => 'digest',
        close: async () => undefined,
      },
      detected,
      mapping,
      readRecord: createRecordReader(contract, variant, mapping.columnOf),
      ...(incomplete === undefined ? {} : { incomplete }),
    };
  };
  try {
    return {
      contract,
      variant,
      inputs: [input()],
      decode,
      batchSize: scene.batchSize ?? 100,
      maxBytes: scene.maxBytes ?? 1_000_000,
      skip: scene.skip ?? 0,
      limit: scene.limit ?? Number.POSITIVE_INFINITY,
      engine,
      ...(scene.from === undefined ? {} : { from: scene.from }),
      ...(scene.dedupe === true ? { findDuplicate: new Duplicates().find } : {}),
    };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Everything that is prepared, with the rows of batches and the problem that ends it, if any. */
export async function prepared(job: PrepareJob): Promise<readonly object[]> {
  const out: object[] = [];
  try {
    for await (const items of prepare(job)) for (const item of items) add(out, item);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    out.push(...error.problems);
  }
  return out;
}

function add(out: object[], item: Prepared): void {
  const last = out.at(-1);
  // Where chunks are cut decides how many skipped rows become one item.
  if (item.kind === 'skipped' && last !== undefined && 'why' in last && last.why === item.why) {
    Object.assign(last, { lastRow: item.lastRow, lastLine: item.lastLine });
  } else if ('batch' in item) {
    const { id, records, payload, digest, ranges, offsets, rows } = item.batch;
    const body = Buffer.from(payload).toString('latin1');
    out.push({ ...item, batch: { id, records, payload: body, digest, ranges, offsets, rows } });
  } else out.push({ ...item });
}

/** The share of valid rows that the fast path reads. Invalid rows always belong to the reference path. */
export class FastShare {
  #valid = 0;
  #validByReference = 0;

  /** @param validByReference of the `valid` rows, those that the reference path validated beside the fast path */
  add(valid: number, validByReference: number): void {
    this.#valid += valid;
    this.#validByReference += validByReference;
  }

  /** From 0 to 1; 0 if there were no valid rows. */
  get value(): number {
    return this.#valid === 0 ? 0 : 1 - this.#validByReference / this.#valid;
  }
}

/** The job, counting the rows that the reference path finds valid. */
function countValid(job: PrepareJob): { readonly job: PrepareJob; count(): number } {
  let valid = 0;
  const inputs = job.inputs.map((input) => ({
    ...input,
    readRecord: (mapped: Mapped) => {
      const result = input.readRecord(mapped);
      if ('json' in result) valid += 1;
      return result;
    },
  }));
  return { job: { ...job, inputs }, count: () => valid };
}

/**
 * Expects that both engines prepare the same, down to the order of keys, and that their checks report the same.
 * @param share counts the rows that the fast path read
 * @returns what they prepared; undefined if the head of the input cannot be understood
 */
export async function expectSame(scene: Scene, share?: FastShare): Promise<readonly object[] | undefined> {
  const of = (engine: 'auto' | 'reference'): PrepareJob | undefined => jobOf(scene, engine);
  const [reference, auto] = [of('reference'), of('auto')];
  if (reference === undefined || auto === undefined) return undefined;
  const byReference = countValid(reference);
  const besideFast = countValid(auto);
  const wanted = await prepared(byReference.job);
  expectEqual(await prepared(besideFast.job), wanted);
  share?.add(byReference.count(), besideFast.count());
  return wanted;
}

/** Scenes by which the fast path's share is judged. Always the same ones: the share of a few random scenes differs widely. */
const JUDGED = { seed: 27, numRuns: 20 };

/**
 * Expects the same of `runs` random scenes, and of {@link JUDGED} ones.
 * @param minShare the fast path must read more than this share of the rows of the judged scenes
 */
export async function expectSameOfAll(scenes: fc.Arbitrary<Scene>, runs: number, minShare: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      await expectSame(scene);
    }),
    { numRuns: runs },
  );
  let compared = 0;
  const share = new FastShare();
  for (const scene of fc.sample(scenes, JUDGED)) {
    if ((await expectSame(scene, share)) !== undefined) compared += 1;
  }
  // The head of an input is nearly always understood.
  expect(compared).toBeGreaterThan(JUDGED.numRuns / 2);
  expect(share.value).toBeGreaterThan(minShare);
}

/** Expects the same of runs that stop after each batch and resume. */
export async function expectSameResumed(scene: Scene): Promise<void> {
  const whole = (await expectSame(scene)) ?? [];
  const batches = whole.flatMap((item) => ('batch' in item && 'commit' in item ? [item] : []));
  expect(batches.length).toBeGreaterThan(5);
  for (const [index, item] of batches.entries()) {
    const { batch, commit } = JSON.parse(JSON.stringify(item));
    const from = {
      cursors: new Map([[0, commit.cursors[0]]]),
      ended: new Set<number>(),
      sealed: index + 1,
      toRebuild: [{ id: batch.id, digest: batch.digest, records: batch.records, ranges: batch.ranges }],
    };
    const rest = (await expectSame({ ...scene, from })) ?? [];
    expect(rest[0]).toMatchObject({ kind: 'rebuilt', matches: true });
  }
}

function expectEqual(given: unknown, wanted: unknown): void {
  // Comparing texts is faster, and respects the order of keys.
  if (JSON.stringify(given) !== JSON.stringify(wanted)) expect(given).toEqual(wanted);
  expect(JSON.stringify(given)).toBe(JSON.stringify(wanted));
}
