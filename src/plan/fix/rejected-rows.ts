/** The rows of a run's rejects files, to try mappings on. Reads files; sends nothing. */
import type { Readable } from 'node:stream';
import { Sealer } from '../../batch/sealer.ts';
import type { Contract } from '../../contract/index.ts';
import { decode, isBroken } from '../../input/decode.ts';
import { isCells } from '../../lib/is-cells.ts';
import { compileMapping, type MappingDocument } from '../../map/index.ts';
import type { Variant } from '../../model/record.ts';
import type { Content, Issue, Row } from '../../model/row.ts';
import { createRecordReader } from '../../record/index.ts';
import { closePlan } from '../close-plan.ts';
import { planRun } from '../index.ts';
import type { PlanRequest } from '../plan-types.ts';

/** Rows that are read into memory. Each rule is tried on all of them, and a cause that is not among them is rare. */
const MAX_ROWS = 5000;

export interface RejectedRow {
  /** Index of the rejects file. */
  readonly source: number;
  /** The line in the input of the run. */
  readonly line: number;
  readonly row: Row;
}

export interface RejectedInput {
  readonly columns: readonly string[];
  readonly rowForm: 'csv' | 'ndjson';
  readonly name: string;
}

export interface Rejects {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  /** What is wrong with the size of a valid record, as JSON. */
  readonly sizeIssue: (json: string) => Issue | undefined;
  /** The mapping of the run. */
  readonly document: MappingDocument;
  readonly inputs: readonly RejectedInput[];
  readonly rows: readonly RejectedRow[];
  /** Rows that cannot be parsed. */
  readonly broken: number;
  /** The guessed encoding, if a program has saved the files in another one than UTF-8. */
  readonly encoding: string | undefined;
  /** Whether there are more rows than were read. */
  readonly isCut: boolean;
}

/** A rejected row under a mapping. */
export interface TriedRow {
  readonly rejected: RejectedRow;
  readonly issues: readonly Issue[];
  /** What the mapping makes of it, valid or not. */
  readonly candidate: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

/** @throws ProblemError as {@link planRun} does */
export async function readRejects(request: PlanRequest, stdin: Readable): Promise<Rejects> {
  const plan = await planRun(request, stdin);
  const { job } = plan;
  const rows: RejectedRow[] = [];
  let broken = 0;
  let isCut = false;
  try {
    for (const [index, { source, detected }] of job.inputs.entries()) {
      const lineColumn = detected.columns.indexOf('_line');
      for await (const block of decode({ source: index, chunks: source.chunks(), detected }, job.decode)) {
        for (const row of block.rows) {
          isCut ||= rows.length === MAX_ROWS;
          if (isBroken(row)) broken += 1;
          else if (!isCut) rows.push({ source: index, line: lineOf(row.content, lineColumn), row });
        }
        if (isCut) break;
      }
    }
  } finally {
    await closePlan(plan);
  }
  const { contract, variant, batchSize, maxBytes } = job;
  const sealer = new Sealer(
    { envelope: contract.envelope, records: batchSize, bytes: maxBytes },
    { digestOf: undefined },
  );
  return {
    contract,
    variant,
    sizeIssue: (json) => sealer.sizeIssue(json),
    document: plan.mapping,
    inputs: job.inputs.map(({ source, detected }) => ({
      columns: detected.columns,
      rowForm: detected.format === 'csv' ? 'csv' : 'ndjson',
      name: source.name,
    })),
    rows,
    broken,
    encoding: plan.guessed[0]?.guess.encoding,
    isCut,
  };
}

function lineOf(content: Content, column: number): number {
  return Number(isCells(content) ? content[column] : content['_line']);
}

/** @throws ProblemError if the mapping does not fit the columns, or omits a required field */
export function tryMapping(
  { contract, variant, inputs, sizeIssue }: Rejects,
  document: MappingDocument,
  rows: readonly RejectedRow[],
): readonly TriedRow[] {
  const compiled = inputs.map(({ columns, rowForm, name }) => {
    const mapping = compileMapping(document, { contract, variant, columns, rowForm, inputName: name });
    return { mapping, readRecord: createRecordReader(contract, variant, mapping.columnOf) };
  });
  return rows.flatMap((rejected) => {
    const input = compiled[rejected.source];
    if (input === undefined) return [];
    const mapped = input.mapping.apply(rejected.row);
    const result = input.readRecord(mapped);
    const issues = 'issues' in result ? result.issues : [sizeIssue(result.json) ?? []].flat();
    return [{ rejected, issues, candidate: mapped.candidate, notes: mapped.notes }];
  });
}
