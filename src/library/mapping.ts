/** A mapping as an object: what a mapping file holds. docs/mapping.md explains every key. */
import type { InputFormat } from '../model/input-format.ts';
import type { RecordType } from '../model/record.ts';

/** Of every form of a field: whether an invalid value makes the row invalid (default), or is omitted. */
interface Invalid {
  readonly invalid?: 'omit' | 'reject' | undefined;
}

interface FromColumn extends Invalid {
  readonly column: string;
}

/** How a field is made from a row. */
export type FieldRule =
  | FromColumn
  | (FromColumn & { readonly as: 'domain' })
  | (FromColumn & {
      readonly as: 'number';
      readonly decimal?: '.' | ',' | undefined;
      readonly scale?: number | undefined;
      readonly unit?: string | undefined;
    })
  | (FromColumn & {
      readonly as: 'date';
      readonly format?: string | readonly string[] | undefined;
      readonly zone?: string | undefined;
      readonly locale?: string | undefined;
    })
  | (FromColumn & {
      readonly values: Readonly<Record<string, string | number>>;
      readonly otherwise?: string | number | undefined;
    })
  | (Invalid & { readonly template: string })
  | (Invalid & {
      readonly first: readonly string[];
      readonly as?: 'domain' | undefined;
      readonly otherwise?: string | number | undefined;
    })
  | { readonly value: string | number };

/** A mapping document. */
export interface Mapping {
  readonly type?: RecordType | undefined;
  readonly variant?: 'a' | 'b' | 'both' | undefined;
  /** How the input is read. Default: detected. */
  readonly input?:
    | {
        readonly format?: InputFormat | undefined;
        readonly encoding?: string | undefined;
        readonly delimiter?: string | undefined;
        readonly quote?: string | undefined;
        readonly header?: boolean | undefined;
        readonly sheet?: string | number | undefined;
        readonly header_line?: number | undefined;
      }
    | undefined;
  /** Values that count as empty, such as `N/A`. */
  readonly empty?: readonly string[] | undefined;
  /** By the name of a field: a column, or how the field is made. */
  readonly fields: Readonly<Record<string, string | FieldRule>>;
}
