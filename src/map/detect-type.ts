/** Detects the record type of an input: by the mapped fields, by the names of its columns, or by the whole table. */
import { type Contract, contracts } from '../contract/index.ts';
import { formatList } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { columnsNamedLike, describeColumns } from './column-names.ts';
import type { Sample } from './discover/column.ts';
import { type ColumnEvidence, judgeTable } from './discover/scorer.ts';
import type { MappingDocument } from './document-schema.ts';

export interface DetectedType {
  readonly kind: 'type';
  readonly type: RecordType;
  /** A clause that begins with "because", or a participle. */
  readonly why: string;
}

/** How well a table fits one type. */
interface TypeFit {
  readonly type: RecordType;
  /** The columns that fit, the strongest first. */
  readonly evidence: readonly ColumnEvidence[];
  /** Required fields that nothing is mapped to. */
  readonly missing: readonly string[];
}

export interface UndecidedType {
  readonly kind: 'undecided';
  /** The likelier type first. */
  readonly fits: readonly TypeFit[];
  /** Why the rows are of neither type, as a clause. Undefined if they can be of one of them. */
  readonly neither?: string | undefined;
}

interface Judged {
  readonly type: RecordType;
  readonly required: readonly string[];
  readonly missing: readonly string[];
}

const all = Object.values(contracts);

const VARIANTS: readonly (Variant | undefined)[] = [undefined, 'a', 'b'];

/**
 * The type of an automatic mapping.
 *
 * @param given the fields that options map
 * @param inputName weak evidence
 * @throws ProblemError `mapping.type` if fields of several types are mapped
 */
export function detectType(sample: Sample, given: MappingDocument, inputName: string): DetectedType | UndecidedType {
  const { decided, judged } = byFields(sample.columns, given, true);
  if (decided !== undefined) return decided;
  const { verdict, evidence, odds } = judgeTable({ ...sample, name: sample.name ?? inputName });
  const possible = judged.map(({ type }) => type);
  if (verdict !== undefined && verdict !== 'neither' && possible.includes(verdict)) {
    return as(verdict, reason(evidence[verdict]));
  }
  const fits = judged.map(({ type, missing }) => ({ type, missing, evidence: evidence[type] }));
  return {
    kind: 'undecided',
    fits: fits.sort((one, other) => odds[other.type] - odds[one.type]),
    neither: verdict === 'neither' ? neitherBecause(evidence.neither) : undefined,
  };
}

/**
 * The type of a mapping file: its own, or the only one whose required fields are mapped.
 *
 * @throws ProblemError `mapping.type` if no type or more than one fits, with the missing fields of each
 */
export function typeOfMapping(columns: readonly string[], document: MappingDocument, inputName: string): DetectedType {
  const { decided, judged } = byFields(columns, document, false);
  if (decided !== undefined) return decided;
  throw new ProblemError({ ...ambiguousMapping(columns, judged), where: inputName });
}

function byFields(
  columns: readonly string[],
  document: MappingDocument,
  automatic: boolean,
): { readonly decided?: DetectedType; readonly judged: readonly Judged[] } {
  if (document.type !== undefined) return { decided: as(document.type, 'set in the mapping'), judged: [] };
  const named = Object.keys(document.fields);
  const possible = all.filter((contract) => named.every((name) => contract.field(name) !== undefined));
  const [only] = possible;
  if (only === undefined) throw new ProblemError(fieldsOfSeveralTypes(named));
  const specific = named.find((name) => all.some((contract) => contract.field(name) === undefined));
  if (possible.length === 1 && specific !== undefined) {
    return { decided: as(only.type, `because only ${only.type} has the field ${specific}`), judged: [] };
  }
  const judged = possible.map((contract) => judge(columns, document, contract, automatic));
  const [first, ...others] = judged.filter(({ missing }) => missing.length === 0);
  return first !== undefined && others.length === 0
    ? { decided: as(first.type, `because its required fields are present: ${formatList(first.required, '')}`), judged }
    : { judged };
}

function as(type: RecordType, why: string): DetectedType {
  return { kind: 'type', type, why };
}

function judge(columns: readonly string[], document: MappingDocument, contract: Contract, automatic: boolean): Judged {
  const present = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name));
  if (automatic) for (const field of columnsNamedLike(columns, contract).keys()) present.add(field);
  // Of the variants, the one that requires the fewest fields.
  const required = VARIANTS.map((variant) => contract.fieldsOf(variant))
    .filter((fields) => fields.length > 0)
    .map((fields) => fields.flatMap((each) => (each.required ? [each.field.name] : [])))
    .reduce((least, names) => (names.length < least.length ? names : least));
  return { type: contract.type, required, missing: required.filter((name) => !present.has(name)) };
}

function fieldsOfSeveralTypes(mapped: readonly string[]): Problem {
  return {
    code: 'mapping.type',
    message: `No record type has all the mapped fields: ${formatList(mapped, '')}.`,
    hint: 'Pass `--type` to see which fields do not belong to that type.',
  };
}

function ambiguousMapping(columns: readonly string[], types: readonly Judged[]): Problem {
  const names = types.map(({ type }) => type);
  const missing = types.map((each) => `${each.type} lacks ${formatList(each.missing, '')}`).join('; ');
  const message = types.every((each) => each.missing.length === 0)
    ? `The mapping fits ${formatList(names, '')}.`
    : `Cannot tell whether this mapping is for ${names.join(' or ')}: ${missing}.`;
  return {
    code: 'mapping.type',
    message: `${message} ${describeColumns(columns)}`,
    hint: `Add \`type: ${names.join('` or `type: ')}\` to the mapping.`,
  };
}

/** Columns named in the reason for a type. */
const REASONS_SHOWN = 3;

function reason(found: readonly ColumnEvidence[]): string {
  const all = found.map(({ column, what }) => `"${column}" (${what})`);
  return `because of ${formatList(all, '', REASONS_SHOWN)}`;
}

/** A clause for a table of neither type. */
function neitherBecause(found: readonly ColumnEvidence[]): string {
  const columns = found.map(({ column }) => column);
  return columns.length === 0
    ? 'no column is about companies or about reactions of people'
    : `${formatList(columns, '"', REASONS_SHOWN)} ${columns.length === 1 ? 'is' : 'are'} of another kind of list`;
}
