/** Detects the record type of an input: by the mapped fields, by the names of its columns, or by the whole table. */
import { type Contract, contracts } from '../contract/index.ts';
import { formatList } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import { LIKELY } from './discover/assign.ts';
import type { Sample } from './discover/column.ts';
import { type ColumnEvidence, judgeTable } from './discover/scorer.ts';
import type { MappingDocument } from './document-schema.ts';
import { columnsNamedLike, describeColumns } from './match-names.ts';

export interface DetectedType {
  readonly kind: 'type';
  readonly type: RecordType;
  /** A clause that begins with "because", or a participle. */
  readonly why: string;
}

export interface UndecidedType {
  readonly kind: 'undecided';
  /** The likelier type first, with the columns that fit, the strongest first. */
  readonly fits: readonly { readonly type: RecordType; readonly evidence: readonly ColumnEvidence[] }[];
  /** Whether the rows are of neither type. */
  readonly isNeither: boolean;
  /** Whether the first type is likelier to be right than not. */
  readonly isLikely: boolean;
}

const all = Object.values(contracts);

/**
 * The type of an automatic mapping.
 *
 * @param given the fields that options map
 * @throws ProblemError `mapping.type` if fields of several types are mapped
 */
export function detectType(sample: Sample, given: MappingDocument): DetectedType | UndecidedType {
  const { decided, possible } = byFields(given, sample.columns);
  if (decided !== undefined) return decided;
  const { verdict, odds, evidence } = judgeTable(sample);
  const fits = possible.map(({ type }) => ({ type, evidence: evidence[type], share: odds[type] }));
  const [best] = fits.sort((one, other) => other.share - one.share);
  if (best === undefined || best.type !== verdict) {
    const isLikely = best !== undefined && best.share >= LIKELY;
    return { kind: 'undecided', fits, isNeither: verdict === 'neither', isLikely };
  }
  const columns = best.evidence.map(({ column, what }) => `"${column}" (${what})`);
  return as(best.type, `because of ${formatList(columns, '', REASONS_SHOWN)}`);
}

/** Columns named in the reason for a type. */
const REASONS_SHOWN = 3;

/**
 * The type of a mapping file: its own, or the only one that has all its fields.
 *
 * @throws ProblemError `mapping.type` if no type or more than one fits
 */
export function typeOfMapping(columns: readonly string[], document: MappingDocument, inputName: string): DetectedType {
  const { decided, possible } = byFields(document, []);
  if (decided !== undefined) return decided;
  const names = possible.map(({ type }) => type);
  throw new ProblemError({
    code: 'mapping.type',
    message: `Cannot tell whether this mapping is for ${names.join(' or ')}. ${describeColumns(columns)}`,
    where: inputName,
    hint: `Add \`type: ${names.join('` or `type: ')}\` to the mapping.`,
  });
}

/**
 * The only type that has all the mapped fields, or the only one of whose required fields each has a column of that name, or most have one
 * of exactly that name.
 */
function byFields(
  { type, fields }: MappingDocument,
  columns: readonly string[],
): { readonly decided?: DetectedType; readonly possible: readonly Contract[] } {
  if (type !== undefined) return { decided: as(type, 'set in the mapping'), possible: [] };
  const mapped = Object.keys(fields);
  const possible = all.filter((contract) => mapped.every((name) => contract.field(name) !== undefined));
  const [first, ...others] = possible;
  if (first === undefined) {
    throw new ProblemError({
      code: 'mapping.type',
      message: `No record type has all the mapped fields: ${formatList(mapped, '')}.`,
      hint: 'Pass `--type` to see which fields do not belong to that type.',
    });
  }
  if (others.length === 0) {
    const specific = mapped.filter((name) => all.some((contract) => contract.field(name) === undefined));
    return { decided: as(first.type, `because only ${first.title} have ${formatList(specific, '')}`), possible };
  }
  const whole = possible.filter((contract) => {
    const named = columnsNamedLike(columns, contract);
    return requiredOf(contract).every((name) => named.has(name));
  });
  const exact = (contract: Contract) => requiredOf(contract).filter((name) => columns.includes(name));
  const most = possible.filter((contract) => exact(contract).length > requiredOf(contract).length / 2);
  const [only, ...more] = whole.length > 0 ? whole : most;
  if (only === undefined || more.length > 0) return { possible };
  const present = whole.length > 0 ? requiredOf(only) : exact(only);
  const why = `because required fields are present: ${formatList(present, '')}`;
  return { decided: as(only.type, why), possible };
}

function as(type: RecordType, why: string): DetectedType {
  return { kind: 'type', type, why };
}

/** Of the variants, a requires the fewest fields. */
function requiredOf(contract: Contract): readonly string[] {
  return [...contract.requiredOf(), ...contract.requiredOf('a')];
}
