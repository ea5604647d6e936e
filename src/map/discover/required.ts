/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */
import type { Contract } from '../../contract/index.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import { renderField } from '../render-mapping.ts';
import { howLikely, OPTIONS, type Proposal, type Question } from './assign.ts';
import { type Column, share } from './column.ts';
import { knownValues, usualNetworks } from './enum-values.ts';
import { bareName } from './features.ts';
import { meaningsOf } from './header-words.ts';
import { readingOf } from './readings.ts';
import { isUrl, networkOf } from './text-kinds.ts';

/**
 * What a list is about, by meanings of its headers: the constant that they suggest, and what a title says of a company. Those after the
 * stroke suggest it too, but a title does not show their columns.
 */
const TOPICS: Readonly<Record<string, readonly (readonly [value: string, subject: string, meanings: string])[]>> = {
  signal_source: [
    ['funding', 'raised funding', 'round funding investment raised funded investor'],
    ['job_posting', 'is hiring', 'vacancy job job_title | salary contract employer'],
    ['news', 'laid off staff', 'layoff'],
    ['news', 'is in the news', 'headline news publisher press acquisition acquirer'],
    ['review_site', 'was reviewed', 'review | rating reviewer'],
    ['tech_install', 'uses technology', 'tech'],
    ['web_visit', 'visited the website', 'visit'],
  ],
  engagement_type: [
    ['comment', '', 'comment commenter reply'],
    ['like', '', 'reaction like liker'],
    ['repost', '', 'repost sharer'],
    ['mention', '', 'mention tweet post'],
  ],
};

/** Of a proposal that Enter may answer, and of one that the user must choose. */
const CLEAR = 0.6;
const POSSIBLE = 0.4;

/** Characters of a part of a proposed title: a description is no title. */
const MAX_PART = 80;

const MOSTLY_DISTINCT = 0.9;

/** Mapped fields that distinguish a signal of a company; of the second list only one, if there is nothing else. */
const DISTINGUISHING = ['funding_amount', 'detected_at'] as const;
const DESCRIBING = ['industry', 'location'] as const;

/** What is known besides the columns. */
interface OpenTable {
  readonly contract: Contract;
  readonly document: MappingDocument;
  /** The input's name. */
  readonly file: string | undefined;
  /** The field's own names of the mapped fields. */
  readonly mapped: ReadonlySet<string>;
  readonly questions: readonly Question[];
}

/** Questions about the required fields that no column surely contains. */
export function completeRequired(
  required: readonly string[],
  columns: readonly Column[],
  table: OpenTable,
): readonly Question[] {
  return required.flatMap((field) => {
    const asked = table.questions.find((question) => question.field === field);
    const [best] = asked?.options ?? [];
    if (table.mapped.has(field) || (best !== undefined && best.confidence >= CLEAR)) return [];
    const ofKinds = columnsOfKinds(field, columns, table);
    // No constant comes before a column whose values are kinds.
    const proposed = proposeRequired(field, columns, table).map((each) =>
      ofKinds.length > 0 && each.columns.length === 0 ? { ...each, confidence: POSSIBLE } : each,
    );
    const all = [...ofKinds, ...proposed, ...(asked?.options ?? [])];
    const what = ({ mapping }: Proposal): string => ('column' in mapping ? mapping.column : renderField(mapping));
    const options = all
      .sort((one, other) => other.confidence - one.confidence)
      .filter((each, at) => all.findIndex((earlier) => what(earlier) === what(each)) === at)
      .slice(0, OPTIONS);
    const [first] = options;
    if (first === undefined) return [];
    const why = 'column' in first.mapping ? howLikely(first) : 'no column contains it';
    return [{ field, why: asked !== undefined && first === best ? asked.why : why, options }];
  });
}

/** Free columns whose values are values of a list field, whatever their header says. */
function columnsOfKinds(
  field: string,
  columns: readonly Column[],
  { contract, document }: OpenTable,
): readonly Proposal[] {
  const target = contract.field(field);
  if (target?.kind.name !== 'enum' && target?.kind.name !== 'open') return [];
  const used = new Set(Object.values(document.fields).flatMap(columnsOf));
  return columns.flatMap((column) => {
    const { name, profile } = column;
    // One kind in all rows is what the table is about.
    const kinds = new Set(Object.values(knownValues(target, profile)));
    if (used.has(name) || kinds.size < 2) return [];
    const reading = readingOf(column, target, { dayFirst: false });
    const [way] = reading?.ways ?? [];
    if (reading === undefined || way === undefined) return [];
    if (reading.doubt !== undefined && target.kind.name === 'open') return [];
    const confidence = reading.doubt === undefined ? CLEAR : POSSIBLE;
    return [propose(field, way, confidence, reading.doubt ?? 'its values are kinds of it')];
  });
}

/** Constants for the field, or a title made of columns. */
function proposeRequired(field: string, columns: readonly Column[], table: OpenTable): readonly Proposal[] {
  if (field === 'signal_title') return titles(columns, table);
  if (field === 'platform') return [...networksOf(columns), ...networkOfFile(table.file)];
  if (field !== 'signal_source' && field !== 'engagement_type') return [];
  const values = new Map<string, number>();
  for (const { value, weight } of topicsOf(field, columns, table.file))
    values.set(value, (values.get(value) ?? 0) + weight);
  const sorted = [...values].sort(([, one], [, other]) => other - one);
  const [[, most] = ['', 0], [, second] = ['', 0]] = sorted;
  const isClear = most >= 2 && most >= 3 * second;
  if (sorted.length === 0 && field === 'signal_source')
    return [propose(field, { value: 'other' }, POSSIBLE, 'nothing suggests a source')];
  return sorted.map(([value], index) =>
    propose(field, { value }, index === 0 && isClear ? CLEAR : POSSIBLE, 'the headers suggest it'),
  );
}

interface Topic {
  readonly value: string;
  readonly subject: string;
  /** The columns that a title shows, the plainest first. */
  readonly columns: readonly Column[];
  readonly weight: number;
}

/** The topics that headers and the file's name have words for, the strongest first. */
function topicsOf(field: string, columns: readonly Column[], file = ''): readonly Topic[] {
  const named = meaningsOf(bareName(file)).known;
  // Numbers count reactions, and are none.
  const isCount = ({ profile }: Column): boolean => field === 'engagement_type' && share(profile, isNumber) > 0.5;
  const topics = (TOPICS[field] ?? []).map(([value, subject, list]) => {
    const meanings = list.split(' ');
    const rank = ({ meanings: { precise } }: Column): number => meanings.findIndex((each) => precise.has(each));
    const those = columns.filter((column) => rank(column) >= 0 && !isCount(column));
    const inName = meanings.some((each) => named.has(each)) ? 2 : 0;
    const stroke = meanings.includes('|') ? meanings.indexOf('|') : meanings.length;
    const shown = those.filter((column) => rank(column) < stroke);
    const sorted = shown.toSorted((one, other) => rank(one) - rank(other));
    return { value, subject, columns: sorted, weight: those.length + inName };
  });
  return topics.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
}

function isNumber(text: string): boolean {
  return /^[\d.,]+[kKmM]?$/u.test(text);
}

function propose(field: string, mapping: FieldMapping, confidence: number, reason: string): Proposal {
  return { field, mapping, columns: columnsOf(mapping), confidence, reason };
}

/** The networks of profile and post URLs. */
function networksOf(columns: readonly Column[]): readonly Proposal[] {
  return columns.flatMap(({ profile, name }) => {
    const networks = profile.texts.flatMap((text) => networkOf(text) ?? []);
    if (networks.length === 0 || networks.length < profile.texts.length / 2) return [];
    const different = [...new Set(networks)];
    const reason = `${different.length === 1 ? 'the' : 'some'} URLs in "${name}" are on it`;
    const rows = (network: string): number => networks.filter((each) => each === network).length;
    return different
      .sort((one, other) => rows(other) - rows(one))
      .map((value) => propose('platform', { value }, different.length === 1 ? CLEAR : POSSIBLE, reason));
  });
}

/** The network in a name such as `exports/youtube_comments.csv` or `tweets.csv`. */
function networkOfFile(file = ''): readonly Proposal[] {
  const name = bareName(file).toLowerCase().replace('tweet', 'twitter');
  return usualNetworks
    .filter((network) => name.includes(network))
    .map((value) => propose('platform', { value }, CLEAR, 'the name of the file suggests it'));
}

/** `{Company} raised funding: {Round}[, {Amount}]`: only the column in brackets may have empty cells. */
function titles(columns: readonly Column[], { document, file }: OpenTable): readonly Proposal[] {
  const columnsFor = (fields: readonly string[]): readonly Column[] =>
    fields.flatMap((field) => {
      const mapping = document.fields[field];
      const [name] = mapping === undefined ? [] : columnsOf(mapping);
      return columns.filter((column) => column.name === name && isPart(column));
    });
  const [company] = columnsFor(['company_name']);
  if (company === undefined || !isFull(company)) return [];
  const [topic] = topicsOf(
    'signal_source',
    columns.filter((column) => column !== company),
    file,
  );
  // Without a subject, a company and a date say nothing of what happened.
  if (topic === undefined) return [];
  const possible = topic.columns.filter(isPart);
  const shown = possible.find(isFull) ?? possible[0];
  if (shown !== undefined && isFull(shown) && share(shown.profile, isPhrase) >= 0.5)
    return [propose('signal_title', { column: shown.name }, CLEAR, 'its values say what happened')];
  const mapped = columnsFor(DISTINGUISHING).filter((column) => column !== shown);
  const distinguishing = [...(shown === undefined ? [] : [shown]), ...mapped];
  const first = [...distinguishing, ...columnsFor(DESCRIBING)].find(isFull);
  const second = distinguishing.find((column) => column !== first);
  // About one row a company: its name and the subject distinguish the signals.
  const isUnique = company.profile.distinct.length >= MOSTLY_DISTINCT * company.profile.rows;
  if (first === undefined && !isUnique) return [];
  const template = [
    `{${company.name}} ${topic.subject}`,
    ...(first === undefined ? [] : [`: {${first.name}}`]),
    ...(second === undefined ? [] : [`[${first === undefined ? ':' : ','} {${second.name}}]`]),
  ].join('');
  const reason = 'no column contains a title; these columns distinguish the signals';
  return [propose('signal_title', { template }, CLEAR, reason)];
}

/** At least three words. */
function isPhrase(text: string): boolean {
  return /^(?:\S+\s+){2}\S|^\p{Lo}{9}/u.test(text);
}

/** Without a value, there would be no title. */
function isFull({ profile }: Column): boolean {
  return profile.texts.length === profile.rows;
}

function isPart({ name, profile }: Column): boolean {
  return (
    !/[{}]/u.test(name) &&
    profile.rows > 0 &&
    profile.texts.length > profile.rows / 2 &&
    profile.texts.every((text) => text.length <= MAX_PART) &&
    share(profile, isUrl) <= 0.5
  );
}
