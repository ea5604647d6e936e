/**
 * Turns inputs into sealed batches. Takes opened and mapped inputs and yields the result of each row (model/prepared.ts), in
 * input order. Joins input, map and fast; does not import deliver or run.
 */
import { decode, headRows, isBroken, readRow } from '../input/decode.ts';
import type { RowBlock } from '../input/decode-types.ts';
import { loadDigests } from '../lib/digest.ts';
import type { FastEngine } from '../model/fast-reader.ts';
import type { Prepared } from '../model/prepared.ts';
import { ProblemError } from '../model/problem.ts';
import type { ReadPosition, Row } from '../model/row.ts';
import { BatchRebuilder } from './batch-rebuilder.ts';
import {
  InputPreparer,
  type PreparableInput,
  type PrepareDeps,
  type PrepareJob,
  type ResumePoint,
  RowWindow,
} from './prepare-input.ts';
import { Sealer } from './sealer.ts';

export { Duplicates } from './duplicates.ts';
export type { PreparableInput, PrepareJob, ResumePoint } from './prepare-input.ts';
export { addSkipped } from './prepare-input.ts';

/**
 * Yields the items of each block of input. The receiver owns the batches (model/prepared.ts).
 *
 * @throws ProblemError `input.broken` after the last row of an input that was cut off
 */
export async function* prepare(job: PrepareJob): AsyncGenerator<readonly Prepared[]> {
  const deps = await prepareDeps(job);
  const { sealer, window } = deps;
  for (const [index, { source, detected, incomplete }] of job.inputs.entries()) {
    const accounted = job.from?.cursors.get(index) ?? { rows: 0, ...detected.body };
    const start = findRebuildStart(job.from, index) ?? accounted;
    const hasEnded = job.from?.ended.has(index) === true;
    window.add(accounted.rows);
    if (hasEnded && start === accounted) continue;

    const preparer = new InputPreparer(deps, index, start, accounted);
    const { fastReader } = preparer;
    const whole = incomplete !== true;
    const decodeInput = { source: index, chunks: source.chunks(), detected, from: start, whole, fastReader };
    for await (const block of decode(decodeInput, job.decode)) {
      yield await preparer.push(block);
    }

    if (hasEnded) continue;
    const { rows, line, byte } = preparer.cursor;
    if (incomplete === true) {
      const rest = sealer.flush();
      if (rest !== undefined) yield [rest];
      throw new ProblemError({
        code: 'input.broken',
        message: `${source.name} was cut off after row ${rows}, before line ${line}: the run or the program that wrote to the pipe ended early, and the rest was not stored. All rows before that line are accounted for.`,
        hint: 'Upload the remaining rows as a new run, with the header line if there is one.',
      });
    }
    sealer.reach({ source: index, rows, line, byte });
    const last = index === job.inputs.length - 1 ? sealer.flush() : undefined;
    const commit = sealer.commit();
    yield [
      ...(last === undefined ? [] : [last]),
      { kind: 'end', source: index, bytes: byte, digest: source.digest(), rows, commit },
    ];
  }
}

async function prepareDeps(job: PrepareJob): Promise<PrepareDeps> {
  const { contract, from, maxBytes } = job;
  const { digestOf } = await loadDigests();
  const limits = { envelope: contract.envelope, records: job.batchSize, bytes: maxBytes };
  const sealer = new Sealer(limits, {
    sealedBefore: from?.sealed,
    readRow: (source, bytes) => {
      const input = job.inputs[source];
      if (input === undefined) throw new RangeError(`there is no input ${source}`);
      return readRow(bytes, input.detected, job.decode);
    },
    digestOf,
  });
  const engine: FastEngine | undefined = job.engine === 'reference' ? undefined : await import('../fast/index.ts');
  return {
    job,
    limits,
    sealer,
    rebuilder: new BatchRebuilder(contract.envelope, from?.toRebuild ?? [], digestOf),
    window: new RowWindow(job),
    engine,
  };
}

/** The start of the first row of an input that a rebuilt batch needs. */
function findRebuildStart(from: ResumePoint | undefined, source: number): ReadPosition | undefined {
  const range = from?.toRebuild.flatMap(({ ranges }) => ranges).find((one) => one.source === source);
  return range && { rows: range.firstRow - 1, line: range.firstLine, byte: range.start };
}

const HEAD_ROWS = 1000;

/** The first rows of each input that are used, after the transform, without broken ones. Consumes nothing. */
export async function* firstRows(
  job: PrepareJob,
): AsyncGenerator<{ readonly input: PreparableInput; readonly row: Row }> {
  const window = new RowWindow(job);
  for (const [index, input] of job.inputs.entries()) {
    let left = HEAD_ROWS;
    const select = (rows: RowBlock['rows']) => rows.filter(() => window.next() === undefined).slice(0, left);
    for await (const { given } of headRows(input, job.decode, select, index)) {
      if (given !== undefined && !isBroken(given)) yield { input, row: given };
      left -= 1;
      if (left === 0) break;
    }
  }
}
