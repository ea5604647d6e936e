/**
 * The prepare half: bytes to sealed batches. It does no I/O of its own and knows nothing of delivery; what it
 * yields is plain data (model/prepared.ts), so that it can run on another thread, and so that another
 * implementation can stand beside it.
 */
import type { ReadRow } from '../batch/batch-rows.ts';
import { createRecutter, type SealedBatch } from '../batch/recut.ts';
import { createSealer, type Sealer } from '../batch/seal.ts';
import type { Contract } from '../contract/index.ts';
import {
  type DecodeOptions,
  type DetectedInput,
  decode,
  decodeHead,
  isBroken,
  readRow,
} from '../decode/index.ts';
import type { Seen, SeenFilter } from '../history/seen-filter.ts';
import { loadDigests } from '../lib/digest.ts';
import type { Mapped, Mapping } from '../map/compile-mapping.ts';
import type { Transformed } from '../map/index.ts';
import type { Cursor } from '../model/batch.ts';
import type { FastEngine } from '../model/fast-reader.ts';
import type { Prepared, PreparedSkipped } from '../model/prepared.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { SignalRecord, Variant } from '../model/record.ts';
import type { Content, Issue, Position, ReadPosition, Row } from '../model/row.ts';
import type { OpenInput } from '../source/index.ts';
import type { createValidator, Validated } from '../validate/index.ts';
import { createFastReader, type Onlooker } from './fast-reader.ts';

/** An input that was opened, detected and mapped. */
export interface PreparableInput {
  readonly source: OpenInput;
  /** Bytes of the text that the rows are counted in; absent where they are known at its end only. */
  readonly textSize?: number;
  readonly detected: DetectedInput;
  readonly mapping: Mapping;
  readonly validate: ReturnType<typeof createValidator>;
  /** The user's own function, between reading and mapping. */
  readonly transform?: (row: Row) => Transformed;
  /** The input broke off: what is there is not all of it, and its last row may be half of one. */
  readonly torn?: true;
}

export interface PrepareJob {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly inputs: readonly PreparableInput[];
  readonly decode: DecodeOptions;
  /** Records a batch. */
  readonly batchSize: number;
  /** Bytes of a request body. */
  readonly maxBytes: number;
  /** Rows of the run that are passed over first. */
  readonly skip: number;
  /** Rows of the run behind `skip` that are taken; the rest is read and passed over, so that it is counted. */
  readonly limit: number;
  /** Where an earlier part of the run ended. Absent where the run begins. */
  readonly from?: ResumePoint;
  /** `reference`: no other engine takes a row. What is prepared is the same; for comparing. */
  readonly engine?: 'auto' | 'reference';
  /** Asked of each record whether it was seen before, in this run or in an earlier one. Absent where nobody cares. */
  readonly seen?: SeenFilter;
  /** False where batches are counted alone (batch/seal.ts): for a check. */
  readonly sent?: false;
  /** Looks at every row that could be read and is not passed over: for a check, which looks closer. */
  readonly observer?: Observer;
}

/** Rows come in their order, one by one or many at once. */
export interface Observer extends Onlooker {
  /** A row of the reference path. */
  row(observed: Observed): void;
}

export interface Observed {
  readonly input: PreparableInput;
  /** As it was mapped: behind the transform. */
  readonly row: Row;
  readonly mapped: Mapped;
  /** A record that is too large for a request has become issues here. */
  readonly validated: Validated;
}

export interface ResumePoint {
  /** For each input that was begun, how far it is accounted for. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Inputs that are accounted for to their end. */
  readonly ended: ReadonlySet<number>;
  /** Batches that were sealed. */
  readonly sealed: number;
  /** Sealed batches that are needed again, in the order of their rows. */
  readonly again: readonly SealedBatch[];
}

/** Yields what each block of input comes to, in the order of the bytes. */
export async function* prepare(job: PrepareJob): AsyncGenerator<readonly Prepared[]> {
  const { contract, variant } = job;
  const encode = contract.encoder(variant);
  const { from } = job;
  const { digestOf } = await loadDigests();
  const sealer = createSealer(
    { envelope: contract.envelope, records: job.batchSize, bytes: job.maxBytes },
    {
      sealedBefore: from?.sealed,
      readRow: rowReader(job),
      digestOf: job.sent === false ? undefined : digestOf,
    },
  );
  const recutter = createRecutter(contract.envelope, from?.again ?? [], digestOf);
  /** Rows of the run so far, for `skip` and `limit`. */
  let rowsSoFar = 0;

  let engine: FastEngine | undefined;
  // The fast path: without this line and its folder, the reference path takes every row.
  if (job.engine !== 'reference') engine = await import('../fast/index.ts');

  for (const [index, input] of job.inputs.entries()) {
    const accounted = from?.cursors.get(index) ?? { rows: 0, ...input.detected.body };
    const start = firstNeeded(from, index) ?? accounted;
    rowsSoFar += accounted.rows;
    if (from?.ended.has(index) === true && start === accounted) continue;
    let cursor: ReadPosition = start;
    let out: Prepared[] = [];
    /** Passes over a record that was seen before: one of this run is a duplicate, one of an earlier run was sent. */
    const passSeen = (json: string | Uint8Array, position: Position): boolean => {
      const before = job.seen?.(json, position);
      if (before !== undefined) passOverSeen(sealer, out, position, before);
      return before !== undefined;
    };
    const reading = engine;
    const fastReader =
      reading &&
      createFastReader(reading, index, input, {
        contract,
        variant,
        decode: job.decode,
        sealer,
        onBatch: (batch) => void out.push(batch),
        passSeen: job.seen && passSeen,
        onlooker: job.observer,
        most: () =>
          cursor.rows < accounted.rows || rowsSoFar < job.skip ? 0 : job.skip + job.limit - rowsSoFar,
      });

    for await (const block of decode(
      index,
      input.source.chunks(),
      input.detected,
      job.decode,
      start,
      input.torn !== true,
      fastReader,
    )) {
      // Where a block has no rows, those before it were taken.
      if (block.rows.length === 0) rowsSoFar += block.cursor.rows - cursor.rows;
      const invalid = (position: Position, issues: readonly Issue[], content: Content | string): void => {
        sealer.drop(position, 'invalid');
        out.push({ kind: 'invalid', position, issues, content });
      };

      for (const row of block.rows) {
        const { position } = row;
        if (position.row <= accounted.rows) {
          const record = isBroken(row) ? undefined : recordOf(input, row);
          const json = record && encode(record);
          // A record that is too large was invalid the first time too.
          if (json !== undefined && !isBroken(row) && sealer.fits(json)) {
            recutter.add(position, json, row.text ?? row.content);
          }
          const again = recutter.end(position);
          if (again !== undefined) out.push({ kind: 'again', ...again });
          continue;
        }
        rowsSoFar += 1;
        if (rowsSoFar <= job.skip || rowsSoFar > job.skip + job.limit) {
          sealer.drop(position, 'skipped');
          passOver(out, position, rowsSoFar <= job.skip ? 'skip' : 'limit');
          continue;
        }
        if (isBroken(row)) {
          invalid(position, [row.issue], row.raw);
          continue;
        }
        const made = input.transform?.(row);
        if (made?.kind === 'dropped') {
          sealer.drop(position, 'skipped');
          passOver(out, position, 'transform');
          continue;
        }
        if (made?.kind === 'failed') {
          invalid(position, [made.issue], row.text ?? row.content);
          continue;
        }
        const given = made?.row ?? row;
        const mapped = input.mapping.apply(given);
        let validated = input.validate(mapped);
        let json = '';
        if ('record' in validated) {
          json = encode(validated.record);
          if (!sealer.fits(json)) validated = { issues: [tooLarge(json, job.maxBytes)] };
        }
        job.observer?.row({ input, row: given, mapped, validated });
        if ('issues' in validated) {
          invalid(position, validated.issues, row.text ?? row.content);
          continue;
        }
        if (passSeen(json, position)) continue;
        const batch = sealer.add(position, json, validated.notes, row.text ?? row.content);
        if (batch !== undefined) out.push(batch);
      }
      cursor = block.cursor;
      if (out.length > 0) yield out;
      out = [];
    }

    if (from?.ended.has(index) === true) continue;
    if (input.torn === true) {
      const rest = sealer.flush();
      if (rest !== undefined) yield [rest];
      throw new ProblemError(brokenOff(input.source.name, cursor));
    }
    sealer.reach({ source: index, rows: cursor.rows, line: cursor.line, byte: cursor.byte });
    const last = index === job.inputs.length - 1 ? sealer.flush() : undefined;
    const commit = sealer.commit();
    yield [
      ...(last === undefined ? [] : [last]),
      {
        kind: 'end',
        source: index,
        bytes: cursor.byte,
        digest: input.source.digest(),
        rows: cursor.rows,
        ...(commit === undefined ? {} : { commit }),
      },
    ];
  }
}

/** Reads rows again that an engine took. */
function rowReader({ inputs, decode }: Pick<PrepareJob, 'inputs' | 'decode'>): ReadRow {
  return (source, bytes) => {
    const input = inputs[source];
    if (input === undefined) throw new Error(`there is no input ${source}`);
    return readRow(bytes, input.detected, decode);
  };
}

/** Where the first row of an input stands that is needed again: it is read from there, and not from its beginning. */
function firstNeeded(from: ResumePoint | undefined, source: number): ReadPosition | undefined {
  const range = from?.again.flatMap(({ ranges }) => ranges).find((one) => one.source === source);
  return range === undefined
    ? undefined
    : { rows: range.firstRow - 1, line: range.firstLine, byte: range.start };
}

function brokenOff(name: string, { rows, line }: ReadPosition): Problem {
  return {
    code: 'input.broken',
    message: `The data of ${name} breaks off behind row ${rows}, in front of line ${line}: the run, or whoever wrote into the pipe, ended before the pipe did, and what follows was not kept. All that is in front of it is accounted for.`,
    hint: 'Upload what follows that row as a run of its own, with the header line if there is one.',
  };
}

function recordOf(input: PreparableInput, row: Row): SignalRecord | undefined {
  const made = input.transform?.(row) ?? { kind: 'row', row };
  if (made.kind !== 'row') return undefined;
  const validated = input.validate(input.mapping.apply(made.row));
  return 'record' in validated ? validated.record : undefined;
}

/** The first record of the run as it would be sent, from the heads of the inputs alone: nothing is consumed. */
export async function sampleRecord(job: PrepareJob): Promise<string | undefined> {
  for (const [index, input] of job.inputs.entries()) {
    for await (const { rows } of decodeHead(index, input.source, input.detected, job.decode)) {
      for (const row of rows) {
        const record = isBroken(row) ? undefined : recordOf(input, row);
        if (record !== undefined) return job.contract.encoder(job.variant)(record);
      }
    }
  }
  return undefined;
}

function passOverSeen(sealer: Pick<Sealer, 'drop'>, out: Prepared[], position: Position, seen: Seen): void {
  if (seen.kind === 'duplicate') {
    sealer.drop(position, 'duplicate');
    out.push({ kind: 'duplicate', position, of: seen.of });
    return;
  }
  const { state, run } = seen.earlier;
  sealer.drop(position, 'skipped', seen.earlier);
  passOver(out, position, state, run);
}

/** Consecutive rows that are passed over become one item. */
function passOver(out: Prepared[], position: Position, why: PreparedSkipped['why'], by?: string): void {
  const last = out.at(-1);
  const goesOn =
    last?.kind === 'skipped' &&
    last.why === why &&
    last.by === by &&
    last.source === position.source &&
    last.lastRow + 1 === position.row;
  const stretch = {
    kind: 'skipped' as const,
    source: position.source,
    firstRow: goesOn ? last.firstRow : position.row,
    lastRow: position.row,
    firstLine: goesOn ? last.firstLine : position.line,
    lastLine: position.line,
    why,
    ...(by === undefined ? {} : { by }),
  };
  if (goesOn) out[out.length - 1] = stretch;
  else out.push(stretch);
}

function tooLarge(json: string, maxBytes: number): Issue {
  return {
    code: 'size',
    found: `a record of ${Buffer.byteLength(json)} bytes`,
    expected: `at most ${maxBytes} bytes with the request around it (--max-bytes)`,
  };
}
