/** Formats a mapping document as YAML, for people and for `parseMapping` in parse-document.ts, and one field in words. */
import { Document, isMap, isScalar, visit } from 'yaml';
import { formatList } from '../lib/text.ts';
import { count } from '../lib/units.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { withoutLiterals } from './parse-date.ts';
import { isTemplate } from './template.ts';

export interface MappingComments {
  readonly fields: ReadonlyMap<string, string>;
  readonly end: readonly string[];
}

export function renderMapping(document: MappingDocument, comments?: MappingComments): string {
  const { type, variant, input, empty, fields } = document;
  const plain = {
    type,
    variant,
    input,
    empty,
    fields: Object.fromEntries(Object.entries(fields).map(([name, mapping]) => [name, shorthand(mapping)])),
  };
  const yaml = new Document(plain, { aliasDuplicateObjects: false });
  const list = yaml.get('fields');
  if (comments !== undefined && isMap(list)) {
    for (const { key } of list.items) {
      const comment = isScalar(key) ? comments.fields.get(String(key.value)) : undefined;
      if (isScalar(key) && comment !== undefined) key.commentBefore = ` ${oneLine(comment)}`;
    }
    const end = comments.end.map((line) => ` ${oneLine(line)}`).join('\n');
    // An empty map is written as {}, which cannot contain a comment.
    if (list.items.length > 0) list.comment = end;
    else yaml.comment = end;
  }
  yaml.commentBefore = ' Mapping from columns to fields. To reuse it: signals upload FILE -m THIS-FILE';
  return written(yaml, [yaml.contents, list]);
}

/** One field as one line of YAML: `Website`, or `{ column: Website, as: domain }`. */
export function renderField(mapping: FieldMapping): string {
  return written(new Document(shorthand(mapping))).trim();
}

function written(yaml: Document, long: readonly unknown[] = []): string {
  visit(yaml, {
    Collection: (_key, node) => {
      if (!long.includes(node)) node.flow = true;
    },
  });
  return yaml.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** A line end in a header would end the comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function shorthand(mapping: FieldMapping): FieldMapping | string {
  if (Object.keys(mapping).length > 1) return mapping;
  if ('template' in mapping) return mapping.template;
  return 'column' in mapping && !isTemplate(mapping.column) ? mapping.column : mapping;
}

const ENTRIES_SHOWN = 3;

const NAMED_FORMATS: Readonly<Record<string, string>> = {
  iso: 'year first',
  sql: 'year first',
  epoch: 'seconds since 1970',
  epoch_ms: 'milliseconds since 1970',
  excel: 'day numbers of a spreadsheet',
};

/**
 * In words, with names of columns unescaped: `the domain in "Website"`, `funding in every row`, `the date in "Announced", day
 * first`.
 */
export function describeField(mapping: FieldMapping): string {
  if ('value' in mapping) return `${mapping.value} in every row`;
  const words = describeSource(mapping);
  return mapping.invalid === 'omit' ? `${words}, omitted where it is invalid` : words;
}

export function briefSource(mapping: FieldMapping): string {
  if ('value' in mapping) return '(every row)';
  if ('template' in mapping) return mapping.template;
  if ('first' in mapping) return mapping.first.join(' or ');
  return mapping.column;
}

/** How the cells of a column are read, if that is not clear from what becomes of one. */
export function describeReading(mapping: FieldMapping): string {
  if ('values' in mapping) return describeValues(mapping.values, mapping.otherwise);
  const formats = 'as' in mapping && mapping.as === 'date' ? [mapping.format].flat() : [];
  return [...new Set(formats.flatMap((format) => dayOrder(format) ?? []))].join(' or ');
}

function describeSource(mapping: Exclude<FieldMapping, { readonly value: unknown }>): string {
  if ('template' in mapping) return `the text ${mapping.template}`;
  if ('first' in mapping) {
    const otherwise = mapping.otherwise === undefined ? '' : `, otherwise ${mapping.otherwise}`;
    return `the first of ${formatList(mapping.first)} that has a value${otherwise}`;
  }
  const column = `"${mapping.column}"`;
  if ('values' in mapping) return `${column}, where ${describeValues(mapping.values, mapping.otherwise)}`;
  if (!('as' in mapping)) return column;
  switch (mapping.as) {
    case 'domain':
      return `the domain in ${column}`;
    case 'number': {
      const scale = mapping.scale === undefined ? '' : ` x ${count(mapping.scale)}`;
      return `the number in ${column}${scale}${mapping.decimal === ',' ? ', with a decimal comma' : ''}`;
    }
    case 'date': {
      const all = [mapping.format].flat();
      // ISO 8601 beside other formats says nothing about them.
      const formats = all.length === 1 ? all : all.filter((format) => format !== 'iso');
      const zone = mapping.zone === undefined ? '' : `, ${mapping.zone}`;
      return `the date in ${column}, ${[...new Set(formats.map(describeFormat))].join(' or ')}${zone}`;
    }
  }
}

/** `"Jobs" is job_posting, "Press" is news, 4 more, anything else is other`. */
function describeValues(
  values: Readonly<Record<string, string | number>>,
  otherwise: string | number | undefined,
): string {
  const entries = Object.entries(values).map(([from, to]) => `"${from}" is ${to}`);
  const rest = entries.length - ENTRIES_SHOWN;
  return [
    ...entries.slice(0, ENTRIES_SHOWN),
    ...(rest > 0 ? [`${count(rest)} more`] : []),
    ...(otherwise === undefined ? [] : [`anything else is ${otherwise}`]),
  ].join(', ');
}

function describeFormat(format: string): string {
  const isYearFirst = /^[^dML]*y(?!.*(?:MMM|LLL)).*d/.test(withoutLiterals(format));
  return NAMED_FORMATS[format] ?? dayOrder(format) ?? (isYearFirst ? 'year first' : `as ${format}`);
}

/** Undefined if the format leaves no doubt which is the day and which the month. */
function dayOrder(format: string): 'day first' | 'month first' | undefined {
  const tokens = withoutLiterals(format);
  if (/MMM|LLL/.test(tokens)) return undefined;
  if (/^[^MLy]*d.*[ML]/.test(tokens)) return 'day first';
  return /^[^dy]*[ML].*d/.test(tokens) ? 'month first' : undefined;
}
