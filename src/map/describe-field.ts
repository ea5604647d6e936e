/** How a field is made, in words for people who have never seen a mapping file. The words contain names of columns, unescaped. */
import { count } from '../lib/units.ts';
import { formatList } from './column-match.ts';
import type { FieldMapping } from './document-schema.ts';

/** Entries of a table of values that are named. */
const ENTRIES_SHOWN = 3;

const NAMED_FORMATS: Readonly<Record<string, string>> = {
  iso: 'year first',
  sql: 'year first',
  epoch: 'seconds since 1970',
  epoch_ms: 'milliseconds since 1970',
  excel: 'day numbers of a spreadsheet',
};

/** `the domain in "Website"`, `funding in every row`, `the date in "Announced", day first`. */
export function describeField(mapping: FieldMapping): string {
  if ('value' in mapping) return `${mapping.value} in every row`;
  const words = describeSource(mapping);
  return mapping.invalid === 'omit' ? `${words}, where it fits` : words;
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

function describeValues(values: Readonly<Record<string, string | number>>, otherwise: string | number | undefined) {
  const entries = Object.entries(values).map(([from, to]) => `"${from}" is ${to}`);
  const rest = entries.length - ENTRIES_SHOWN;
  return [
    ...entries.slice(0, ENTRIES_SHOWN),
    ...(rest > 0 ? [`${count(rest)} more`] : []),
    ...(otherwise === undefined ? [] : [`anything else is ${otherwise}`]),
  ].join(', ');
}

function describeFormat(format: string): string {
  const named = NAMED_FORMATS[format];
  if (named !== undefined) return named;
  const [day, month, year] = ['d', 'M', 'y'].map((letter) => format.indexOf(letter));
  if (day === undefined || month === undefined || year === undefined || format.includes('MMM')) return `as ${format}`;
  if (year < day && year < month) return 'year first';
  return day < month ? 'day first' : 'month first';
}
