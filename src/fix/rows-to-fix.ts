/** The rows of a run's rejects files: read, told from rows that are not data, and tried with a mapping. Sends nothing. */
import type { Readable } from 'node:stream';
import type { Contract } from '../contract/index.ts';
import { decode, isBroken } from '../input/decode.ts';
import { compileMapping, type MappingDocument, type RowForm } from '../map/index.ts';
import { normalise } from '../map/match-names.ts';
import type { Variant } from '../model/record.ts';
import { type Content, type Issue, isCells, type Row } from '../model/row.ts';
import { rowFormOf } from '../plan/detect-inputs.ts';
import { closePlan, type PlanRequest, planRun } from '../plan/index.ts';
import { createRecordReader } from '../prepare/record.ts';
import { sizeIssue } from '../prepare/sealer.ts';

/** Rows that are read into memory. Each rule is tried on all of them, and a cause that is not among them is rare. */
const MAX_ROWS = 5000;

export interface RowToFix {
  readonly source: number;
  /** The line in the input of the run. */
  readonly line: number;
  readonly row: Row;
}

export interface RejectedInput {
  readonly columns: readonly string[];
  readonly rowForm: RowForm;
  readonly name: string;
}

export interface RowsToFix {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly maxBytes: number;
  readonly document: MappingDocument;
  readonly inputs: readonly RejectedInput[];
  readonly rows: readonly RowToFix[];
  readonly broken: number;
  /** The guessed encoding, if a program has saved the files in another one than UTF-8. */
  readonly encoding: string | undefined;
  readonly isCut: boolean;
}

/** A row of a rejects file under a mapping. */
export interface TriedRow {
  readonly listed: RowToFix;
  readonly issues: readonly Issue[];
  /** What the mapping makes of it, valid or not. */
  readonly candidate: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

/** @throws ProblemError as {@link planRun} does */
export async function readRejects(request: PlanRequest, stdin: Readable): Promise<RowsToFix> {
  const plan = await planRun(request, stdin);
  const { job } = plan;
  const rows: RowToFix[] = [];
  let broken = 0;
  let isCut = false;
  try {
    for (const [index, { source, detected }] of job.inputs.entries()) {
      const lineColumn = detected.columns.indexOf('_line');
      for await (const block of decode({ source: index, chunks: source.chunks(), detected }, job.decode)) {
        for (const row of block.rows) {
          isCut ||= rows.length === MAX_ROWS;
          if (isBroken(row)) broken += 1;
          if (isBroken(row) || isCut) continue;
          const line = Number(isCells(row.content) ? row.content[lineColumn] : row.content['_line']);
          rows.push({ source: index, line, row });
        }
        if (isCut) break;
      }
    }
  } finally {
    await closePlan(plan);
  }
  return {
    contract: job.contract,
    variant: job.variant,
    maxBytes: job.maxBytes,
    document: plan.mapping,
    inputs: job.inputs.map(({ source, detected }) => ({
      columns: detected.columns,
      rowForm: rowFormOf({ detected }),
      name: source.name,
    })),
    rows,
    broken,
    encoding: plan.guessed[0]?.guess.encoding,
    isCut,
  };
}

/** Tries a mapping on the rows. @throws ProblemError if it does not fit the columns, or omits a required field */
export function tryRows(
  { contract, variant, inputs, maxBytes }: RowsToFix,
  document: MappingDocument,
  rows: readonly RowToFix[],
): readonly TriedRow[] {
  const compiled = inputs.map(({ columns, rowForm, name }) => {
    const about = { contract, variant, columns, rowForm, inputName: name };
    const mapping = compileMapping(document, about);
    return { mapping, readRecord: createRecordReader(contract, variant, mapping.columnOf) };
  });
  return rows.flatMap((listed) => {
    const input = compiled[listed.source];
    if (input === undefined) return [];
    const mapped = input.mapping.apply(listed.row);
    const result = input.readRecord(mapped);
    const limits = { envelope: contract.envelope, bytes: maxBytes };
    const issues = 'issues' in result ? result.issues : [sizeIssue(result.json, limits) ?? []].flat();
    return [{ listed, issues, candidate: mapped.candidate, notes: mapped.notes }];
  });
}

/** A note in one cell of a table, such as "No activity to process": words, and nothing else in the row. */
const NOTE = /\p{L}+\s+\p{L}+\s+\p{L}/u;

/** A table with fewer columns can have rows of one cell. */
const MIN_COLUMNS = 3;

const TOTAL =
  /^(?:(?:grand |sub)?totals?|summe|gesamt(?:summe)?|suma|total general|totale|totaal|somme|soma|razem)\b/iu;

/** Whether a row is not data: the header again, a total, or a note. */
export function isJunk(columns: readonly string[], content: Content): boolean {
  if (!isCells(content)) return false;
  const cells = columns.flatMap((column, index) => {
    const cell = (content[index] ?? '').trim();
    return cell === '' || column.startsWith('_') ? [] : [{ column, cell }];
  });
  const [first] = cells;
  if (first === undefined) return false;
  const same = cells.filter(({ column, cell }) => normalise(column) === normalise(cell)).length;
  if (same > 1 && same * 2 > cells.length) return true;
  const columnCount = columns.filter((column) => !column.startsWith('_')).length;
  if (cells.length === 1 && columnCount >= MIN_COLUMNS && NOTE.test(first.cell)) return true;
  return TOTAL.test(first.cell) && cells.length * 2 <= columns.length;
}
