/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */
import { contracts, type Field } from '../../contract/index.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import { howLikely, OPTIONS, type Proposal, type Question } from './assign.ts';
import { type Column, share } from './column.ts';
import { knownValues, OTHER, usualValues } from './enum-values.ts';
import { bareName } from './features.ts';
import { meaningsOf } from './header-words.ts';
import { readingOf } from './readings.ts';
import { isUrl, isWords, pageOf } from './text-kinds.ts';
import topicsFile from './title-topics.json' with { type: 'json' };

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

/** From this share of distinct companies on, several signals may have the same title. */
const MOSTLY_DISTINCT = 0.9;

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
  const known = asked?.options ?? [];
  const ofKinds = columnsOfKinds(field, table);
  // A column whose words are known comes before one whose words are not.
  const isBeaten = field.kind.name === 'open' && known[0]?.doubt !== undefined && ofKinds.length > 0;
  if ((known[0]?.confidence ?? 0) >= CLEAR && !isBeaten) return [];
  const made = field.name === 'signal_title' ? titles(table) : constants(field, table);
  // No constant comes before a column whose values are kinds.
  const weak = [...(ofKinds.length > 0 ? made : []), ...(isBeaten ? known : [])];
  const all = [...ofKinds, ...made, ...known].map((each) =>
    weak.includes(each) ? { ...each, confidence: Math.min(each.confidence, POSSIBLE) } : each,
  );
  const columnOf = ({ mapping }: Proposal): unknown => ('column' in mapping ? mapping.column : mapping);
  const options = all
    .filter((each, at) => all.findIndex((other) => columnOf(other) === columnOf(each)) === at)
    .sort((one, other) => other.confidence - one.confidence)
    .slice(0, OPTIONS);
  const [first] = options;
  if (first === undefined) return [];
  const why = 'column' in first.mapping ? howLikely(first) : 'no column contains it';
  return [{ field: field.name, why: asked !== undefined && first === known[0] ? asked.why : why, options }];
}

/** Free columns with values of a list field, whatever their header says. */
function columnsOfKinds(field: Field, { columns, document }: OpenTable): readonly Proposal[] {
  if (field.kind.name !== 'enum' && field.kind.name !== 'open') return [];
  const used = new Set(Object.values(document.fields).flatMap(columnsOf));
  return columns.flatMap((column) => {
    // An "x" is also a mark.
    const known = Object.entries(knownValues(field, column.profile.distinct)).filter(([value]) => value.length > 1);
    const reading = used.has(column.name) || known.length === 0 ? undefined : readingOf(column, field, {});
    const [way] = reading?.ways ?? [];
    if (way === undefined || (reading?.doubt !== undefined && field.kind.name === 'open')) return [];
    // One kind in all rows is what the table is about.
    if (reading?.doubt === undefined && new Set(known.map(([, kind]) => kind)).size < 2) return [];
    return [propose(field.name, way, true, reading?.doubt ?? 'its values are kinds of it')];
  });
}

function propose(field: string, mapping: FieldMapping, isClear: boolean, reason = 'no column contains it'): Proposal {
  return { field, mapping, columns: columnsOf(mapping), confidence: isClear ? CLEAR : POSSIBLE, reason };
}

/** The values of a list field that URLs, headers or the file's name suggest for all rows. */
function constants(of: Field, table: OpenTable): readonly Proposal[] {
  const { name: field, kind } = of;
  if (field === 'platform') return networks(of, table);
  const topics = topicsOf(field, table);
  const [first, second] = topics.filter(({ value }, at) => topics.findIndex((each) => each.value === value) === at);
  const isClear = first !== undefined && first.weight >= 2 && first.weight >= 3 * (second?.weight ?? 0);
  const values = [...new Set([...topics.map(({ value }) => value), ...(kind.name === 'enum' ? [OTHER] : [])])];
  return values.map((value, at) => propose(field, { value }, at === 0 && isClear));
}

/** The networks of URLs, and of a name such as `exports/youtube_comments.csv` or `tweets.csv`. */
function networks(field: Field, { columns, file }: OpenTable): readonly Proposal[] {
  const name = bareName(file).toLowerCase().replace('tweet', 'twitter');
  const inUrls = columns.flatMap(({ profile: { texts } }) => {
    const ofColumn = texts.flatMap((text) => pageOf(text)?.network ?? []);
    return 2 * ofColumn.length >= texts.length ? ofColumn : [];
  });
  const found = [...new Set([...usualValues(field).filter((network) => name.includes(network)), ...inUrls])];
  return found.map((value) => propose('platform', { value }, found.length === 1));
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
  const topics = (TOPICS[field] ?? []).map(([value = '', subject = '', shown = '', others = '']) => {
    const [first, all] = [shown.split(' '), `${shown} ${others}`.split(' ')];
    // Numbers count reactions, and are none.
    const isNamed = ({ meanings, profile }: Column): boolean =>
      all.some((each) => meanings.precise.has(each)) && (field === 'signal_source' || share(profile, isWords) > 0.5);
    return {
      value,
      subject,
      columns: first.flatMap((each) => columns.filter(({ meanings }) => meanings.precise.has(each))),
      weight: columns.filter(isNamed).length + (all.some((each) => named.has(each)) ? 2 : 0),
    };
  });
  return topics.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
}

/** `{Company} raised funding: {Round}[, {Amount}]`: a part in brackets can be absent. */
function titles(table: OpenTable): readonly Proposal[] {
  const { columns, document, file } = table;
  const columnOf = (field: string): readonly Column[] => {
    const mapping = document.fields[field];
    return columns.filter((each) => mapping !== undefined && columnsOf(mapping)[0] === each.name && isPart(each));
  };
  const [company] = columnOf('company_name');
  const [topic] = topicsOf('signal_source', { columns: columns.filter((each) => each !== company), file });
  // Without a subject, a company and a date say nothing of what happened.
  if (company === undefined || topic === undefined) return [];
  const shown = topic.columns.filter(isPart).slice(0, 1);
  const parts = [...new Set([...shown, ...columnOf('funding_amount'), ...columnOf('detected_at')])].slice(0, 2);
  const { distinct, rows } = company.profile;
  const isFull = parts[0]?.profile.texts.length === rows;
  if (!isFull && shown.length === 0 && distinct.length < MOSTLY_DISTINCT * rows) return [];
  const texts = parts.map(({ name }, at) => (at > 0 ? `[, {${name}}]` : isFull ? `: {${name}}` : `[: {${name}}]`));
  const template = `{${company.name}} ${topic.subject}${texts.join('')}`;
  return [propose('signal_title', { template }, !hasKinds(table))];
}

/** Whether a column says of each row what kind of signal it is: then no title says the same of all. */
function hasKinds(table: OpenTable): boolean {
  const field = contracts.signals.field('signal_source');
  const mapping = table.document.fields['signal_source'];
  return (
    (mapping !== undefined && 'column' in mapping) || (field !== undefined && columnsOfKinds(field, table).length > 0)
  );
}

/** Whether a title can show the column: most rows have a short text. */
function isPart({ name, profile }: Column): boolean {
  const isShort = profile.texts.every((text) => text.length <= MAX_PART) && share(profile, isUrl) <= 0.5;
  return !/[{}]/u.test(name) && profile.texts.length > profile.rows / 2 && isShort;
}
