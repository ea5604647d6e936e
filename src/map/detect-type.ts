/** Detects the record type of an input: by the mapped fields, by the names of its columns, or by the whole table. */
import { type Contract, contracts } from '../contract/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { describeColumns, formatList } from './column-match.ts';
import { columnsNamedLike } from './columns-by-name.ts';
import { columnsIn, discover } from './discover/index.ts';
import type { Sample } from './discover/proposal.ts';
import { detectTopic } from './discover/table-topic.ts';
import type { MappingDocument } from './document-schema.ts';

export interface DetectedType {
  readonly kind: 'type';
  readonly type: RecordType;
  /** A clause that begins with "because", or a participle. */
  readonly why: string;
}

/** How well a table fits one type. */
export interface TypeFit {
  readonly type: RecordType;
  /** The columns that fit, the strongest first. */
  readonly evidence: readonly { readonly column: string; readonly why: string }[];
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
 * @throws ProblemError `mapping.type` if fields of several types are mapped
 */
export function detectType(sample: Sample, given: MappingDocument): DetectedType | UndecidedType {
  const { decided, judged } = byFields(sample.columns, given, true);
  return decided ?? discoverType(sample, given) ?? undecided(sample, given, judged);
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

/**
 * The type according to the columns that discovery finds; undefined if they do not decide. Social: a column of actions, or of
 * comments together with a profile or post. Signals: a company or a headline, in rows that are not people.
 */
function discoverType(sample: Sample, given: MappingDocument): DetectedType | undefined {
  const discovered = (contract: Contract): ReadonlySet<string> => {
    const known = Object.entries(given.fields).filter(([name]) => contract.field(name) !== undefined);
    return new Set(
      Object.keys(discover(sample, contract, { ...given, fields: Object.fromEntries(known) }).document.fields),
    );
  };
  const social = discovered(contracts.social);
  const because = (type: RecordType, field: string): DetectedType => as(type, `because there is a column for ${field}`);
  if (social.has('engagement_type')) return because('social', 'engagement_type');
  // A comment alone could be from a web form.
  if (social.has('engagement_content') && (social.has('engager_profile_url') || social.has('post_url'))) {
    return because('social', 'engagement_content');
  }
  if (detectTopic(columnsIn(sample)).people) return undefined;
  const signals = discovered(contracts.signals);
  const field = ['company_name', 'signal_title', 'signal_source'].find((name) => signals.has(name));
  return field === undefined ? undefined : because('signals', field);
}

function undecided(sample: Sample, given: MappingDocument, judged: readonly Judged[]): UndecidedType {
  const fits = judged.map(({ type, missing }) => {
    const { used } = discover(sample, contracts[type], { ...given, fields: {} });
    const evidence = used.flatMap(({ field, columns }) => columns.map((column) => ({ column, why: `fits ${field}` })));
    return { type, evidence, missing };
  });
  return { kind: 'undecided', fits: fits.sort((one, other) => other.evidence.length - one.evidence.length) };
}
