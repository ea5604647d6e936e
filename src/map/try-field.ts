/** Makes one field of sampled rows, for the examples and counts that a user sees before anything is saved or sent. */
import type { Field } from '../contract/index.ts';
import { excerpt } from '../lib/excerpt.ts';
import { nearest } from '../lib/nearest.ts';
import type { Content } from '../model/row.ts';
import type { RowForm } from './check-mapping.ts';
import { columnFinder, formatList } from './column-match.ts';
import { cellReader, numericCell, pathReader, type Read, trim } from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';
import { columnsOf, compileTransform } from './field-transforms.ts';
import { parseTemplate } from './template.ts';
import { FreeMail, TransformError } from './transform-error.ts';

/** The first rows of an input, as a mapping reads them. */
export interface SampledRows {
  readonly columns: readonly string[];
  readonly contents: readonly Content[];
  readonly rowForm: RowForm;
  /** Cells that count as empty, besides the empty cell. */
  readonly empty?: readonly string[] | undefined;
}

export interface FieldTrial {
  /** What the rows have, and what would be sent: one pair for each row with a value. */
  readonly values: readonly { readonly found: string; readonly sent: string | number }[];
  /** The values that cannot be sent. */
  readonly invalid: readonly { readonly found: string; readonly expected: string }[];
}

/** @param mapping with columns of the rows, and a valid template and format */
export function tryField(mapping: FieldMapping, field: Field, rows: SampledRows): FieldTrial {
  const { contents, rowForm } = rows;
  const read = columnReader(rows);
  const isNumeric = rowForm !== 'ndjson' && field.kind.numericCells === true;
  const direct = (value: unknown): unknown => (isNumeric && typeof value === 'string' ? numericCell(value) : value);
  const known = field.kind.name === 'enum' ? field.kind.usual : undefined;
  const evaluate = compileTransform(mapping, read, direct, known);
  const sources = columnsOf(mapping).map(read);
  const values: FieldTrial['values'][number][] = [];
  const invalid: FieldTrial['invalid'][number][] = [];
  for (const content of contents) {
    const made = evaluate(content);
    if (made === undefined || made instanceof FreeMail) continue;
    const found = excerpt(sources.map((source) => source(content)).find((value) => value !== undefined) ?? '');
    if (made instanceof TransformError) {
      invalid.push({ found: made.found, expected: made.expected });
      continue;
    }
    const sent = field.kind.value.safeParse(made);
    if (sent.success) values.push({ found, sent: sent.data });
    else invalid.push({ found: sources.length === 1 ? found : excerpt(made), expected: field.kind.expected });
  }
  return { values, invalid };
}

/** What is wrong with a template for these columns, as a sentence. */
export function templateProblem(template: string, columns: readonly string[]): string | undefined {
  const [example = 'Company'] = columns;
  if (!/[{}]/u.test(template)) return `Write at least one column in braces, such as {${example}}.`;
  const parsed = parseTemplate(template);
  if (typeof parsed === 'string') return `This has ${parsed}.`;
  const find = columnFinder(columns);
  for (const wanted of parsed.columns) {
    const found = find(wanted);
    if (found.kind === 'several') return `"${wanted}" could be ${formatList(found.names)}: write the whole name.`;
    const near = nearest(wanted, columns);
    const suggestion = near === undefined ? '' : ` Did you mean {${near}}?`;
    if (found.kind === 'none') return `There is no column "${wanted}".${suggestion}`;
  }
  return undefined;
}

/** Reads columns as they are, before any transform. */
export function columnReader({
  columns,
  rowForm,
  empty = [],
}: Omit<SampledRows, 'contents'>): (wanted: string) => Read {
  const find = columnFinder(columns);
  const none = new Set(empty.map(trim));
  return (wanted) => {
    const match = find(wanted);
    const name = match.kind === 'one' ? match.name : wanted;
    return rowForm === 'csv' ? cellReader(columns.indexOf(name), none) : pathReader(name, none);
  };
}
