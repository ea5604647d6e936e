/** Detects the record type and mapping of inputs with the same header, from their first rows. */
import { type Contract, contracts } from '../contract/index.ts';
import { type DecodeOptions, decodeHead, isBroken } from '../input/decode.ts';
import { isCells } from '../lib/is-cells.ts';
import {
  type DetectedType,
  type Discovered,
  detectType,
  discoverMapping,
  type MappingDocument,
  sampleCells,
  typeOfMapping,
} from '../map/index.ts';
import type { Row } from '../model/row.ts';
import { type DetectedSource, rowFormOf } from './detect-inputs.ts';
import type { GroupSample, SampledRow } from './mapping-proposal.ts';
import { refuseMisread } from './misread-input.ts';
import type { PlanRequest } from './plan-types.ts';
import { UndecidedTypeError } from './undecided-type.ts';

/** Rows sampled from all inputs of a group. */
const SAMPLE_ROWS = 200;

/** Rows sampled from each input, even if there are many inputs. */
const MIN_ROWS_PER_INPUT = 5;

/** Inputs that share one mapping because they have the same columns. */
export interface HeaderGroup {
  readonly inputs: readonly [DetectedSource, ...DetectedSource[]];
  /** For CSV, those of each input; for NDJSON, the union, because a path may be absent from any object. */
  readonly columns: readonly string[];
  /** The first input's name, for messages. */
  readonly name: string;
}

export interface MappingRequest {
  readonly decode: DecodeOptions;
  /** The mapping file, or the fields that options map. */
  readonly given: MappingDocument;
  /** Whether columns are matched by name and detected: not with a mapping file. */
  readonly automatic: boolean;
  readonly request: PlanRequest;
}

export interface DetectedMapping {
  readonly contract: Contract;
  readonly type: DetectedType;
  readonly document: MappingDocument;
  /** Absent with a mapping file. */
  readonly found?: { readonly discovered: Discovered; readonly sample: GroupSample } | undefined;
}

/**
 * @throws ProblemError `mapping.collision`, `mapping.type`; the latter as an UndecidedTypeError if it is automatic. Then also
 *   those of {@link refuseMisread}
 */
export async function detectMapping(group: HeaderGroup, about: MappingRequest): Promise<DetectedMapping> {
  const { given, automatic, request } = about;
  const requested: DetectedType | undefined = request.type && {
    kind: 'type',
    type: request.type,
    why: request.why?.type ?? 'as requested',
  };
  if (!automatic) {
    const type = requested ?? typeOfMapping(group.columns, given, group.name);
    return { contract: contracts[type.type], type, document: { ...given, type: type.type } };
  }
  for (const input of group.inputs) refuseMisread(input, about.decode);
  const sample = await sampleGroup(group, about.decode, given.empty ?? []);
  const type = requested ?? detectType(sample, given, group.name);
  if (type.kind === 'undecided') {
    const reopenable = group.inputs.every(({ source }) => source.size !== undefined);
    const otherSheets = group.inputs.flatMap(({ source: { table } }) =>
      table !== undefined && 'sheet' in table ? table.otherSheets.map(({ name }) => name) : [],
    );
    throw new UndecidedTypeError(type, group.name, { request, reopenable, otherSheets });
  }
  const contract = contracts[type.type];
  const discovered = discoverMapping(sample, contract, given, request.variant);
  const { empty } = discovered.document;
  return { contract, type, found: { discovered, sample: { ...sample, empty } }, document: discovered.document };
}

/** The first rows of all inputs, one of each in turn, so that no input is missing from the start of the sample. */
async function sampleGroup(
  { inputs, columns, name }: HeaderGroup,
  options: DecodeOptions,
  empty: readonly string[],
): Promise<GroupSample> {
  const limit = Math.max(MIN_ROWS_PER_INPUT, Math.ceil(SAMPLE_ROWS / inputs.length));
  const heads: (readonly SampledRow[])[] = [];
  for (const input of inputs) heads.push(await firstRows(input, columns, options, limit));
  const sampled: SampledRow[] = [];
  for (let index = 0; index < limit; index += 1) {
    for (const { [index]: row } of heads) if (row !== undefined) sampled.push(row);
  }
  const contents = sampled.map(({ content }) => content);
  const none = new Set<unknown>(empty);
  const rows = sampleCells(columns, contents).map((row) => row.map((cell) => (none.has(cell) ? '' : cell)));
  return { name, columns, rows, contents, sampled, rowForm: rowFormOf(inputs[0]), empty };
}

async function firstRows(
  { source, detected, transform, columns: inputColumns }: DetectedSource,
  columns: readonly string[],
  options: DecodeOptions,
  limit: number,
): Promise<readonly SampledRow[]> {
  const sampled: Row[] = [];
  for await (const block of decodeHead(0, source, detected, options)) {
    const rows = block.rows.slice(0, limit);
    const transformed = await transform?.(rows);
    for (const [index, row] of rows.entries()) {
      if (isBroken(row)) continue;
      const result = transformed?.[index] ?? { kind: 'row', row };
      if (result.kind === 'row') sampled.push(result.row);
    }
    if (sampled.length >= limit) break;
  }
  const indexes = columns.map((column) => inputColumns.indexOf(column));
  return sampled.slice(0, limit).map(({ content, cellIssues }) => ({
    content: isCells(content) ? indexes.map((index) => content[index] ?? '') : content,
    cellIssues,
  }));
}
