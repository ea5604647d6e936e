/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */

import type { Contract } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import type { MappingDocument } from '../document-schema.ts';
import { evidenceFor } from '../evidence/weigh-table.ts';
import { columnsOf } from '../field-transforms.ts';
import { OPTIONS, SURE } from './assign.ts';
import type { Column } from './column.ts';
import { isLikeCompany, isUrl, share } from './column-facts.ts';
import { NETWORKS_SHOWN } from './enum-values.ts';
import { isPersonName } from './judge-names.ts';
import type { Proposal, Question } from './proposal.ts';
import { networkOf } from './url-kinds.ts';

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
  { contract, questions, ...about }: OpenTable,
): readonly Question[] {
  const mapped = Object.keys(about.document.fields).map((name) => contract.field(name)?.name);
  return required.flatMap((field) => {
    const asked = questions.find((question) => question.field === field);
    const [best] = asked?.options ?? [];
    if (mapped.includes(field) || (best !== undefined && best.confidence >= SURE)) return [];
    const options = [...proposeRequired(field, columns, about), ...(asked?.options ?? [])]
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

/** Constants for the field, or a title made of columns; the best first. */
function proposeRequired(
  field: string,
  columns: readonly Column[],
  { document, file }: Pick<OpenTable, 'document' | 'file'>,
): readonly Proposal[] {
  switch (field) {
    case 'signal_title':
      return [...proposeTitle(columns, document), ...textColumns(columns, document)];
    case 'signal_source': {
      const found = suggested(columns, 'signals', field);
      return found.length > 0 ? found : [constant(field, 'other', 0.45, 'no column suggests a source')];
    }
    case 'platform':
      return [...networksOf(columns), ...suggested(columns, 'social', field), ...networkOfFile(file)];
    case 'engagement_type':
      return suggested(columns, 'social', field);
    default:
      return [];
  }
}

function constant(field: string, value: string, confidence: number, reason: string): Proposal {
  return { field, mapping: { value }, columns: [], confidence, reason };
}

/** The values that the kinds of columns suggest, the strongest first. */
function suggested(columns: readonly Column[], type: RecordType, field: string): readonly Proposal[] {
  return evidenceFor(type, columns).flatMap(({ kind, column }, index) => {
    const value = kind.proposes?.[field];
    const confidence = index === 0 ? 0.6 : 0.5;
    return value === undefined ? [] : [constant(field, value, confidence, `"${column.name}" suggests ${kind.what}`)];
  });
}

/** The networks of profile and post URLs. A company's own accounts say nothing. */
function networksOf(columns: readonly Column[]): readonly Proposal[] {
  const found = columns.flatMap((column) => {
    const { profile, name } = column;
    const networks = profile.texts.flatMap((text) => networkOf(text) ?? []);
    if (networks.length === 0 || networks.length < profile.texts.length / 2) return [];
    const different = [...new Set(networks)];
    const reason = different.length === 1 ? `the URLs in "${name}" are on it` : `some URLs in "${name}" are on it`;
    const rows = (network: string): number => networks.filter((each) => each === network).length;
    return different
      .sort((one, other) => rows(other) - rows(one))
      .map((network) => constant('platform', network, different.length === 1 ? 0.7 : 0.5, reason));
  });
  return [...found].sort((one, other) => other.confidence - one.confidence);
}

/** The network in a name such as `exports/youtube_comments.csv`. */
function networkOfFile(file = ''): readonly Proposal[] {
  const name = file.split(/[/\\:]/u).at(-1) ?? '';
  return /tweet/iu.test(name)
    ? [constant('platform', 'twitter', 0.5, 'the name of the file suggests it')]
    : NETWORKS_SHOWN.filter((network) => name.toLowerCase().includes(network)).map((network) =>
        constant('platform', network, 0.5, 'the name of the file says it'),
      );
}

/** `{Company} funding: {Round}, {Date}`, of columns without empty cells. */
function proposeTitle(columns: readonly Column[], document: MappingDocument): readonly Proposal[] {
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
  const evidence = evidenceFor('signals', columns).filter(({ column }) => column.name !== name);
  const lead = evidence.find(({ kind }) => kind.proposes?.['signal_source'] !== undefined)?.kind;
  const source = lead?.proposes?.['signal_source'];
  const subject = lead?.subject ?? SUBJECTS[source ?? ''];
  const ofSource = evidence.filter(({ kind }) => kind.proposes?.['signal_source'] === source && source !== undefined);
  // A bare "name" in a list of jobs, if another column has the company.
  const jobs =
    source === 'job_posting'
      ? columns.filter((each) => each.name !== name && isBareName(each) && usable(each.name)).map(jobTitle)
      : [];
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
  return [
    ...jobs,
    { field: 'signal_title', mapping: { template }, columns: [name, ...parts], confidence: 0.5, reason },
  ];
}

/** Columns of short texts that no field has, the most varied first. */
function textColumns(columns: readonly Column[], document: MappingDocument): readonly Proposal[] {
  const used = new Set(Object.values(document.fields).flatMap(columnsOf));
  const isTitle = (text: string): boolean =>
    text.length <= MAX_PART && /\p{L}\s+\S*\p{L}|\p{Lo}{4}/u.test(text) && !isPersonName(text) && !isLikeCompany(text);
  return columns
    .filter(({ name, profile }) => !used.has(name) && share(profile, isTitle) > 0.5)
    .sort((one, other) => other.profile.distinct.length - one.profile.distinct.length)
    .map(({ name }) => ({
      field: 'signal_title',
      mapping: { column: name },
      columns: [name],
      confidence: 0.4,
      reason: 'values are short texts',
    }));
}

function isBareName({ meanings: { known, unknown } }: Column): boolean {
  return known.size === 1 && known.has('name') && unknown.length === 0;
}

function jobTitle({ name }: Column): Proposal {
  const reason = `rows are job postings, and "${name}" is not the company`;
  return { field: 'signal_title', mapping: { column: name }, columns: [name], confidence: 0.6, reason };
}
