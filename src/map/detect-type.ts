/** Detects the record type of an input from the names of its columns and mapped fields, or from sampled values. */
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
  readonly type: RecordType;
  /** A clause that begins with "because", or a participle. */
  readonly why: string;
}

interface Judged {
  readonly type: RecordType;
  readonly required: readonly string[];
  readonly missing: readonly string[];
}

const all = Object.values(contracts);

const VARIANTS: readonly (Variant | undefined)[] = [undefined, 'a', 'b'];

/**
 * The only type whose required fields are all present.
 *
 * @param document the fields mapped so far, including options
 * @param automatic whether columns are mapped by name: not with a mapping file
 * @throws ProblemError `mapping.type` if no type or more than one fits, with the missing fields of each
 */
export function detectType(
  columns: readonly string[],
  document: MappingDocument,
  { automatic, inputName }: { readonly automatic: boolean; readonly inputName: string },
): DetectedType {
  if (document.type !== undefined) return { type: document.type, why: 'set in the mapping' };
  const named = Object.keys(document.fields);
  const possible = all.filter((contract) => named.every((name) => contract.field(name) !== undefined));
  const [only] = possible;
  const specific = named.find((name) => all.some((contract) => contract.field(name) === undefined));
  if (only !== undefined && possible.length === 1 && specific !== undefined) {
    return { type: only.type, why: `because only ${only.type} has the field ${specific}` };
  }
  const judged = possible.map((contract) => judge(columns, document, contract, automatic));
  const complete = judged.filter(({ missing }) => missing.length === 0);
  const [first] = complete;
  if (first !== undefined && complete.length === 1) {
    return { type: first.type, why: `because its required fields are present: ${formatList(first.required, '')}` };
  }
  throw new ProblemError({ ...undecided(columns, complete.length > 1 ? complete : judged, named), where: inputName });
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

function undecided(columns: readonly string[], types: readonly Judged[], mapped: readonly string[]): Problem {
  const code = 'mapping.type';
  if (types.length === 0) {
    return {
      code,
      message: `No record type has all the mapped fields: ${formatList(mapped, '')}.`,
      hint: 'Pass `--type` to see which fields do not belong to that type.',
    };
  }
  const names = types.map(({ type }) => type);
  const options = names.map((type) => `\`--type ${type}\``).join(' or ');
  if (types.every(({ missing }) => missing.length === 0)) {
    return {
      code,
      message: `The columns fit ${formatList(names, '')}. ${describeColumns(columns)}`,
      hint: `Choose one: ${options}.`,
    };
  }
  const missing = types.map((each) => `${each.type} lacks ${formatList(each.missing, '')}`).join('; ');
  return {
    code,
    message:
      types.length > 1
        ? `Cannot tell whether this is ${names.join(' or ')}: ${missing}. ${describeColumns(columns)}`
        : `The columns do not fit ${missing.replace(' lacks', ', which needs')}. ${describeColumns(columns)}`,
    hint: `Choose one with ${options}. Map a column with \`--column FIELD=COLUMN\`; set the same value for every row with \`--set FIELD=VALUE\`.`,
  };
}

/**
 * The type according to the columns that discovery finds; undefined if they do not decide. Social: a column of actions, or of
 * comments together with a profile or post. Signals: a company or a headline, in rows that are not people.
 */
export function discoverType(sample: Sample, given: MappingDocument): DetectedType | undefined {
  const discovered = (contract: Contract): ReadonlySet<string> => {
    const known = Object.entries(given.fields).filter(([name]) => contract.field(name) !== undefined);
    return new Set(
      Object.keys(discover(sample, contract, { ...given, fields: Object.fromEntries(known) }).document.fields),
    );
  };
  const social = discovered(contracts.social);
  const because = (type: RecordType, field: string): DetectedType => ({
    type,
    why: `because there is a column for ${field}`,
  });
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
