/** Makes one field of sampled rows, for the examples and counts that a user sees before anything is saved or sent. */
import type { Field } from '../contract/index.ts';
import { nearest } from '../lib/nearest.ts';
import { excerpt, formatList } from '../lib/text.ts';
import type { Content } from '../model/row.ts';
import { columnFinder } from './column-names.ts';
import { columnReader, Filled, FreeMail, type ReadColumns, TransformError } from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';
import { columnsOf, compileTransform } from './field-transforms.ts';
import { parseTemplate } from './template.ts';

/** The first rows of an input, as a mapping reads them. */
export interface SampledRows extends ReadColumns {
  readonly contents: readonly Content[];
}

export interface FieldTrial {
  /** What the rows have, and what would be sent, for each row with a value that can be sent. `row` is its index. */
  readonly values: readonly { readonly row: number; readonly found: string; readonly sent: string | number }[];
  /** The values that cannot be sent. */
  readonly invalid: readonly { readonly found: string; readonly expected: string }[];
}

/** @param mapping with columns of the rows, and a valid template and format */
export function tryField(mapping: FieldMapping, field: Field, rows: SampledRows): FieldTrial {
  const read = columnReader(rows);
  const evaluate = compileTransform(mapping, field, rows.rowForm, read);
  const sources = columnsOf(mapping).map(read);
  const values: FieldTrial['values'][number][] = [];
  const invalid: FieldTrial['invalid'][number][] = [];
  for (const [row, content] of rows.contents.entries()) {
    const made = evaluate(content);
    if (made === undefined || made instanceof FreeMail) continue;
    const found = excerpt(sources.map((source) => source(content)).find((value) => value !== undefined) ?? '');
    if (made instanceof TransformError) {
      invalid.push({ found: made.found, expected: made.expected });
      continue;
    }
    const sent = field.kind.read(made instanceof Filled ? made.value : made);
    if (sent !== undefined) values.push({ row, found, sent });
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
