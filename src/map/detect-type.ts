/** Detects the record type of an input from the names of its columns and of mapped fields. */
import type { Contract } from '../contract/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { describeColumns, formatList } from './column-match.ts';
import { columnsNamedLike } from './columns-by-name.ts';
import type { MappingDocument } from './document-schema.ts';

export interface DetectedType {
  readonly type: RecordType;
  /** A clause that begins with "because". */
  readonly why: string;
}

export interface DetectTypeOptions {
  /** Whether columns that bear a field's name are used: not where a mapping file is given. */
  readonly automatic: boolean;
  /** The input's name, for the problem. */
  readonly inputName: string;
}

/** In the order in which they are preferred when requirements are told: the one that asks for least comes first. */
const VARIANTS: readonly (Variant | undefined)[] = [undefined, 'a', 'b'];

/**
 * The only type whose required fields are all there. `document` is what is mapped so far, overrides included.
 *
 * @throws ProblemError, code `mapping.type`, where that is none or more than one: with what each type lacks.
 */
export function detectType(
  columns: readonly string[],
  document: MappingDocument,
  contracts: Readonly<Record<RecordType, Contract>>,
  options: DetectTypeOptions,
): DetectedType {
  if (document.type !== undefined) return { type: document.type, why: 'set in the mapping' };
  const all = Object.values(contracts);
  const named = Object.keys(document.fields);
  const possible = all.filter((contract) => named.every((name) => contract.field(name) !== undefined));
  const [only] = possible;
  const telling = named.find((name) => all.some((contract) => contract.field(name) === undefined));
  if (only !== undefined && possible.length === 1 && telling !== undefined) {
    return { type: only.type, why: `because only ${only.type} has the field ${telling}` };
  }
  const judged = possible.map((contract) => ({
    contract,
    ...lacking(columns, document, contract, options.automatic),
  }));
  const whole = judged.filter(({ missing }) => missing.length === 0);
  const [first] = whole;
  if (first !== undefined && whole.length === 1) {
    return {
      type: first.contract.type,
      why: `because its required fields are present: ${formatList(first.required, '')}`,
    };
  }
  throw new ProblemError(
    undecided(
      columns,
      (whole.length > 1 ? whole : judged).map(({ contract, missing }) => ({ type: contract.type, missing })),
      options.inputName,
      document,
    ),
  );
}

function lacking(
  columns: readonly string[],
  document: MappingDocument,
  contract: Contract,
  automatic: boolean,
): { required: readonly string[]; missing: readonly string[] } {
  const there = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name));
  if (automatic) for (const field of columnsNamedLike(columns, contract).keys()) there.add(field);
  const required = leastRequired(contract);
  return { required, missing: required.filter((name) => !there.has(name)) };
}

function leastRequired(contract: Contract): readonly string[] {
  const sets = VARIANTS.map((variant) => contract.fieldsOf(variant))
    .filter((fields) => fields.length > 0)
    .map((fields) => fields.flatMap(({ field, required }) => (required ? [field.name] : [])));
  return sets.reduce((least, set) => (set.length < least.length ? set : least));
}

function undecided(
  columns: readonly string[],
  types: readonly { type: RecordType; missing: readonly string[] }[],
  inputName: string,
  document: MappingDocument,
): Problem {
  const options = types.map(({ type }) => `\`--type ${type}\``).join(' or ');
  if (types.length === 0) {
    return {
      code: 'mapping.type',
      message: `No record type has all the mapped fields: ${formatList(Object.keys(document.fields), '')}.`,
      where: inputName,
      hint: 'Pass `--type` to see which fields do not belong to that type.',
    };
  }
  if (types.every(({ missing }) => missing.length === 0)) {
    return {
      code: 'mapping.type',
      message: `The columns fit ${formatList(
        types.map(({ type }) => type),
        '',
      )}. ${describeColumns(columns)}`,
      where: inputName,
      hint: `Choose one: ${options}.`,
    };
  }
  const lacks = types.map(({ type, missing }) => `${type} lacks ${formatList(missing, '')}`).join('; ');
  return {
    code: 'mapping.type',
    message:
      types.length > 1
        ? `Cannot tell whether this is ${types.map(({ type }) => type).join(' or ')}: ${lacks}. ${describeColumns(columns)}`
        : `The columns do not fit ${lacks.replace(' lacks', ': it lacks')}. ${describeColumns(columns)}`,
    where: inputName,
    hint: `Choose one with ${options}. Map a column with \`--column FIELD=COLUMN\`; set the same value for every row with \`--set FIELD=VALUE\`.`,
  };
}
