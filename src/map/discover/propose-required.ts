/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */
import type { Contract } from '../../contract/index.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import { OPTIONS, SURE } from './assign.ts';
import type { Column } from './column.ts';
import { isLikeCompany, isUrl, share } from './column-facts.ts';
import { NETWORKS_SHOWN } from './enum-values.ts';
import { headerMatcher } from './header-words.ts';
import { isPersonName } from './judge-names.ts';
import type { Proposal, Question } from './proposal.ts';
import { networkOf } from './url-kinds.ts';
import { type Evidence, evidenceFor } from './weigh-table.ts';

/** What a proposed title calls a signal, by source. */
const SUBJECTS: Readonly<Record<string, string>> = {
  funding: 'funding',
  job_posting: 'hiring',
  news: 'in the news',
  review_site: 'review',
  tech_install: 'technology',
  web_visit: 'website visit',
};

/** Characters of a part of a proposed title: a description is no title. */
const MAX_PART = 80;

const MOSTLY_DISTINCT = 0.9;

const isBareName = headerMatcher('=name');

/** Mapped fields that distinguish a signal of a company; of the second list only one, if there is nothing else. */
const DISTINGUISHING = ['funding_amount', 'detected_at'] as const;
const DESCRIBING = ['industry', 'location'] as const;

/** What is known besides the columns. */
interface OpenTable {
  readonly document: MappingDocument;
  /** The input's name. */
  readonly file: string | undefined;
  readonly contract: Contract;
  readonly questions: readonly Question[];
}

/** Questions about the required fields that no column surely contains. */
export function completeRequired(
  required: readonly string[],
  columns: readonly Column[],
  table: OpenTable,
): readonly Question[] {
  const { contract, document, questions } = table;
  const mapped = Object.keys(document.fields).map((name) => contract.field(name)?.name);
  return required.flatMap((field) => {
    const asked = questions.find((question) => question.field === field);
    const [best] = asked?.options ?? [];
    if (mapped.includes(field) || (best !== undefined && best.confidence >= SURE)) return [];
    const options = [...proposeRequired(field, columns, table), ...(asked?.options ?? [])]
      .sort((one, other) => other.confidence - one.confidence)
      .filter((each, index, all) => all.findIndex((other) => isSame(other, each)) === index)
      .slice(0, OPTIONS);
    const why = asked !== undefined && options[0] === best ? asked.why : 'no column contains it';
    return options.length === 0 ? [] : [{ field, why, options }];
  });
}

function isSame(one: Proposal, other: Proposal): boolean {
  return JSON.stringify(one.mapping) === JSON.stringify(other.mapping);
}

/** Constants for the field, or a title made of columns. */
function proposeRequired(
  field: string,
  columns: readonly Column[],
  { contract, document, file }: OpenTable,
): readonly Proposal[] {
  if (!['signal_title', 'signal_source', 'platform', 'engagement_type'].includes(field)) return [];
  const evidence = evidenceFor(contract.type, columns);
  if (field === 'signal_title') {
    return [...proposeTitle(columns, evidence, document), ...textColumns(columns, document)];
  }
  // The values that the kinds of columns suggest, the strongest first.
  const suggested = evidence.flatMap(({ kind, column }, index) => {
    const value = kind.proposes?.[field];
    const reason = `"${column.name}" suggests ${kind.what}`;
    return value === undefined ? [] : [propose(field, { value }, index === 0 ? 0.6 : 0.5, reason)];
  });
  if (field === 'platform') return [...networksOf(columns), ...suggested, ...networkOfFile(file)];
  return field === 'engagement_type' || suggested.length > 0
    ? suggested
    : [propose(field, { value: 'other' }, 0.45, 'no column suggests a source')];
}

function propose(field: string, mapping: FieldMapping, confidence: number, reason: string): Proposal {
  return { field, mapping, columns: columnsOf(mapping), confidence, reason };
}

/** The networks of profile and post URLs. A company's own accounts say nothing. */
function networksOf(columns: readonly Column[]): readonly Proposal[] {
  return columns.flatMap(({ profile, name }) => {
    const networks = profile.texts.flatMap((text) => networkOf(text) ?? []);
    if (networks.length === 0 || networks.length < profile.texts.length / 2) return [];
    const different = [...new Set(networks)];
    const reason = different.length === 1 ? `the URLs in "${name}" are on it` : `some URLs in "${name}" are on it`;
    const rows = (network: string): number => networks.filter((each) => each === network).length;
    return different
      .sort((one, other) => rows(other) - rows(one))
      .map((value) => propose('platform', { value }, different.length === 1 ? 0.7 : 0.5, reason));
  });
}

/** The network in a name such as `exports/youtube_comments.csv` or `tweets.csv`. */
function networkOfFile(file = ''): readonly Proposal[] {
  const name = (file.split(/[/\\:]/u).at(-1) ?? '').toLowerCase().replace('tweet', 'twitter');
  return NETWORKS_SHOWN.filter((network) => name.includes(network)).map((value) =>
    propose('platform', { value }, 0.5, 'the name of the file suggests it'),
  );
}

/** `{Company} funding: {Round}, {Date}`, of columns without empty cells. */
function proposeTitle(
  columns: readonly Column[],
  all: readonly Evidence[],
  document: MappingDocument,
): readonly Proposal[] {
  const sourceOf = (fields: readonly string[]): readonly string[] =>
    fields.flatMap((field) => {
      const mapping = document.fields[field];
      return mapping === undefined ? [] : columnsOf(mapping).slice(0, 1);
    });
  const usable = (column: string): boolean => {
    const profile = columns.find((each) => each.name === column)?.profile;
    if (profile === undefined || /[{}]/u.test(column)) return false;
    if (profile.texts.some((text) => text.length > MAX_PART) || share(profile, isUrl) > 0.5) return false;
    // A template with an empty part gives no value, but the title is required.
    return profile.rows > 0 && profile.texts.length === profile.rows;
  };
  const [name] = sourceOf(['company_name']);
  if (name === undefined || !usable(name)) return [];
  const evidence = all.filter(({ column }) => column.name !== name);
  const lead = evidence.find(({ kind }) => kind.proposes?.['signal_source'] !== undefined)?.kind;
  const source = lead?.proposes?.['signal_source'];
  const subject = lead?.subject ?? SUBJECTS[source ?? ''];
  const ofSource = evidence.filter(({ kind }) => kind.proposes?.['signal_source'] === source && source !== undefined);
  // A bare "name" in a list of jobs, if another column has the company.
  const jobs = columns
    .filter((each) => source === 'job_posting' && each.name !== name && isBareName(each.meanings) && usable(each.name))
    .map((each) => {
      const reason = `rows are job postings, and "${each.name}" is not the company`;
      return propose('signal_title', { column: each.name }, 0.6, reason);
    });
  const [shown] = ofSource.map(({ column }) => column.name).filter(usable);
  const mapped = sourceOf(DISTINGUISHING).filter((column) => usable(column) && column !== shown);
  const distinguishing = [...(shown === undefined ? [] : [shown]), ...mapped].slice(0, 2);
  const parts = distinguishing.length > 0 ? distinguishing : sourceOf(DESCRIBING).filter(usable).slice(0, 1);
  const about = columns.find((each) => each.name === name)?.profile;
  // About one row a company: its name and the subject distinguish the signals.
  const isUnique = about !== undefined && about.distinct.length >= MOSTLY_DISTINCT * about.rows;
  if (parts.length === 0 && (subject === undefined || !isUnique)) return jobs;
  const what = `{${name}}${subject === undefined ? '' : ` ${subject}`}`;
  const template = parts.length === 0 ? what : `${what}: ${parts.map((part) => `{${part}}`).join(', ')}`;
  const reason = 'no column contains a title; these columns distinguish the signals';
  return [...jobs, propose('signal_title', { template }, 0.5, reason)];
}

/** Columns of short texts that no field has, the most varied first. */
function textColumns(columns: readonly Column[], document: MappingDocument): readonly Proposal[] {
  const used = new Set(Object.values(document.fields).flatMap(columnsOf));
  const isTitle = (text: string): boolean =>
    text.length <= MAX_PART && /\p{L}\s+\S*\p{L}|\p{Lo}{4}/u.test(text) && !isPersonName(text) && !isLikeCompany(text);
  return columns
    .filter(({ name, profile }) => !used.has(name) && share(profile, isTitle) > 0.5)
    .sort((one, other) => other.profile.distinct.length - one.profile.distinct.length)
    .map(({ name }) => propose('signal_title', { column: name }, 0.4, 'values are short texts'));
}
