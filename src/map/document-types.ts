/** A mapping document as data (cli.md, "Mapping"). What it may hold is checked by parse-document.ts and check-mapping.ts. */
import type { InputFormat } from '../model/input-format.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { DateSpec } from './parse-date.ts';
import type { DecimalMark } from './parse-number.ts';

export interface MappingDocument {
  readonly type?: RecordType | undefined;
  readonly variant?: Variant | undefined;
  readonly input?: InputOptions | undefined;
  /** Cells that mean nothing, besides the empty one. */
  readonly empty?: readonly string[] | undefined;
  /** By field name, as it was written: a name of the interface, or an alias of it. */
  readonly fields: Readonly<Record<string, FieldMapping>>;
}

/** How the input is to be read. Facts for decode/; mapping itself does not use them. */
export interface InputOptions {
  readonly format?: InputFormat | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly quote?: string | undefined;
  readonly header?: boolean | undefined;
  readonly header_line?: number | undefined;
}

/** How one field is made. The shorthand `field: Column` is a {@link ColumnMapping}. */
export type FieldMapping =
  | ColumnMapping
  | DomainMapping
  | NumberMapping
  | DateMapping
  | ValuesMapping
  | TemplateMapping
  | FirstMapping
  | ConstantMapping;

export interface ColumnMapping {
  readonly column: string;
}

export interface DomainMapping {
  readonly column: string;
  readonly as: 'domain';
}

export interface NumberMapping {
  readonly column: string;
  readonly as: 'number';
  readonly decimal?: DecimalMark | undefined;
}

export interface DateMapping extends DateSpec {
  readonly column: string;
  readonly as: 'date';
}

export interface ValuesMapping {
  readonly column: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly otherwise?: string | number | undefined;
}

export interface TemplateMapping {
  readonly template: string;
}

export interface FirstMapping {
  readonly first: readonly string[];
}

export interface ConstantMapping {
  readonly value: string | number;
}
