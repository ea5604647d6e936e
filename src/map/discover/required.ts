/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */
import type { Field } from '../../contract/index.ts';
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
import topicsFile from './topics.json' with { type: 'json' };

/**
 * What a list is about, by meanings of its headers: the constant that they suggest, what a title says of a company, and the meanings
 * of columns that a title can show and of those that it does not.
 */
const TOPICS: Readonly<Record<string, readonly (readonly string[])[]>> = topicsFile;

/** Of a proposal that Enter may answer, and of one that the user must choose. */
const CLEAR = 0.6;
const POSSIBLE = 0.4;

/** Characters of a part of a proposed title: a description is no title. */
const MAX_PART = 80;

/** Share of different companies from which a title need not tell the signals of one apart. */
const MOSTLY_DISTINCT = 0.9;

/** Mapped fields that a title can show, those that distinguish signals of a company first. */
const SHOWN = ['funding_amount', 'detected_at', 'industry', 'location'];

/** What is known besides the field. */
interface OpenTable {
  readonly columns: readonly Column[];
  readonly document: MappingDocument;
  /** The input's name. */
  readonly file: string;
  readonly questions: readonly Question[];
}

/** A question about a required field that no column surely contains. */
export function completeRequired(field: Field, table: OpenTable): readonly Question[] {
  const asked = table.questions.find((question) => question.field === field.name);
  const [best] = asked?.options ?? [];
  if (best !== undefined && best.confidence >= CLEAR) return [];
  const ofKinds = columnsOfKinds(field, table);
  const made = field.name === 'signal_title' ? titles(table) : constants(field, table);
  // No constant comes before a column whose values are kinds.
  const proposed = ofKinds.length === 0 ? made : made.map((each) => ({ ...each, confidence: POSSIBLE }));
  const all = [...ofKinds, ...proposed, ...(asked?.options ?? [])].sort(
    (one, other) => other.confidence - one.confidence,
  );
  const what = ({ mapping }: Proposal): string => ('column' in mapping ? mapping.column : renderField(mapping));
  const isFirst = (each: Proposal, at: number): boolean => all.findIndex((other) => what(other) === what(each)) === at;
  const options = all.filter(isFirst).slice(0, OPTIONS);
  const [first] = options;
  if (first === undefined) return [];
  const why = 'column' in first.mapping ? howLikely(first) : 'no column contains it';
  return [{ field: field.name, why: asked !== undefined && first === best ? asked.why : why, options }];
}

/** Free columns with values of a list field, whatever their header says. */
function columnsOfKinds(field: Field, { columns, document }: OpenTable): readonly Proposal[] {
  if (field.kind.name !== 'enum' && field.kind.name !== 'open') return [];
  const used = new Set(Object.values(document.fields).flatMap(columnsOf));
  return columns.flatMap((column) => {
    // An "x" is also a mark.
    const known = Object.entries(knownValues(field, column.profile)).filter(([value]) => value.length > 1);
    const reading = used.has(column.name) || known.length === 0 ? undefined : readingOf(column, field, {});
    const [way] = reading?.ways ?? [];
    if (way === undefined || (reading?.doubt !== undefined && field.kind.name === 'open')) return [];
    // One kind in all rows is what the table is about.
    if (reading?.doubt === undefined && new Set(known.map(([, kind]) => kind)).size < 2) return [];
    return [propose(field.name, way, true, reading?.doubt ?? 'its values are kinds of it')];
  });
}

function propose(field: string, mapping: FieldMapping, isClear: boolean, reason: string): Proposal {
  return { field, mapping, columns: columnsOf(mapping), confidence: isClear ? CLEAR : POSSIBLE, reason };
}

/** The values of a list field that URLs, headers or the file's name suggest for all rows. */
function constants({ name: field, kind }: Field, table: OpenTable): readonly Proposal[] {
  if (field === 'platform') return networks(table);
  const topics = topicsOf(field, table);
  const values = [...new Set(topics.map(({ value }) => value))];
  const [most = 0, second = 0] = values.map((value) => topics.find((each) => each.value === value)?.weight ?? 0);
  const isClear = most >= 2 && most >= 3 * second;
  if (values.length === 0 && kind.name === 'enum')
    return [propose(field, { value: 'other' }, false, 'nothing suggests a source')];
  return values.map((value, at) => propose(field, { value }, at === 0 && isClear, 'the headers suggest it'));
}

/** The networks of profile and post URLs, and of a name such as `exports/youtube_comments.csv` or `tweets.csv`. */
function networks({ columns, file }: OpenTable): readonly Proposal[] {
  const name = bareName(file).toLowerCase().replace('tweet', 'twitter');
  const ofUrls = columns.flatMap(({ profile }) => {
    const found = profile.texts.flatMap((text) => networkOf(text) ?? []);
    const rows = (network: string): number => found.filter((each) => each === network).length;
    const isMany = 2 * found.length >= profile.texts.length;
    return isMany ? [...new Set(found)].sort((one, other) => rows(other) - rows(one)) : [];
  });
  const isOne = new Set(ofUrls).size === 1;
  return [
    ...[...new Set(ofUrls)].map((value) => propose('platform', { value }, isOne, 'URLs are on it')),
    ...usualNetworks
      .filter((network) => name.includes(network))
      .map((value) => propose('platform', { value }, true, 'the name of the file suggests it')),
  ];
}

interface Topic {
  readonly value: string;
  readonly subject: string;
  /** The columns that a title can show, the plainest first. */
  readonly columns: readonly Column[];
  readonly weight: number;
}

/** The topics that headers and the file's name have words for, the strongest first. */
function topicsOf(field: string, { columns, file }: Pick<OpenTable, 'columns' | 'file'>): readonly Topic[] {
  const named = meaningsOf(bareName(file)).known;
  // Numbers count reactions, and are none.
  const isCount = (text: string): boolean => field === 'engagement_type' && /^[\d.,]+[km]?$/iu.test(text);
  const topics = (TOPICS[field] ?? []).map(([value = '', subject = '', shown = '', others = '']) => {
    const meanings = shown.split(' ');
    const having = (list: readonly string[]): readonly Column[] =>
      list.flatMap((each) => columns.filter((column) => column.meanings.precise.has(each)));
    const all = new Set(
      having([...meanings, ...others.split(' ')]).filter(({ profile }) => share(profile, isCount) <= 0.5),
    );
    const isInName = [...meanings, ...others.split(' ')].some((each) => named.has(each));
    return { value, subject, columns: having(meanings), weight: all.size + (isInName ? 2 : 0) };
  });
  return topics.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
}

/** `{Company} raised funding: {Round}[, {Amount}]`: only the column in brackets may have empty cells. */
function titles({ columns, document, file }: OpenTable): readonly Proposal[] {
  const mapped = ['company_name', ...SHOWN].flatMap((field) => {
    const [name] = Object.hasOwn(document.fields, field) ? columnsOf(document.fields[field] as FieldMapping) : [];
    return [columns.find((column) => column.name === name && isPart(column))];
  });
  const [company, ...described] = mapped;
  if (company === undefined || !isFull(company)) return [];
  const [topic] = topicsOf('signal_source', { columns: columns.filter((column) => column !== company), file });
  // Without a subject, a company and a date say nothing of what happened.
  if (topic === undefined) return [];
  const possible = topic.columns.filter(isPart);
  const parts = [...new Set([possible.find(isFull) ?? possible[0], ...described])].flatMap((each) => each ?? []);
  const first = parts.find(isFull);
  const second = parts.find((column) => column !== first);
  const { distinct, rows } = company.profile;
  if (first === undefined && distinct.length < MOSTLY_DISTINCT * rows) return [];
  const template = [
    `{${company.name}} ${topic.subject}`,
    ...(first === undefined ? [] : [`: {${first.name}}`]),
    ...(second === undefined ? [] : [`[${first === undefined ? ':' : ','} {${second.name}}]`]),
  ].join('');
  return [
    propose('signal_title', { template }, true, 'no column contains a title; these columns distinguish the signals'),
  ];
}

/** Without a value, there would be no title. */
function isFull({ profile }: Column): boolean {
  return profile.texts.length === profile.rows;
}

function isPart({ name, profile }: Column): boolean {
  const isShort = profile.texts.every((text) => text.length <= MAX_PART) && share(profile, isUrl) <= 0.5;
  return !/[{}]/u.test(name) && profile.rows > 0 && profile.texts.length > profile.rows / 2 && isShort;
}
