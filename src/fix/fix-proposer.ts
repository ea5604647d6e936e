/**
 * Proposes rules that repair rejected rows: one for each cause, tried on the rows before it is offered. Each rule is a change
 * of the mapping, so that it also repairs the next export with the same problem.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../contract/index.ts';
import { excerpt, isPlaceholder } from '../lib/text.ts';
import { columnsOf } from '../map/field-transforms.ts';
import {
  columnsForField,
  discoverMapping,
  type FieldMapping,
  type MappingDocument,
  sampleCells,
} from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { type FieldFix, missingFixes, proposeFieldFixes } from './candidates.ts';
import type { Cause } from './fix-text.ts';
import { junkOf, type RowsToFix, type RowToFix, type TriedRow, tryRows } from './rejected-rows.ts';
import {
  keyOf,
  mappingOf,
  type ProposedFix,
  type Rule,
  type RuleChange,
  renderedLine,
  sourceReader,
  tryRule,
  withField,
  withoutEqual,
} from './rule.ts';

function causeKey({ kind, field = '' }: Cause): string {
  return `${kind}:${field}`;
}

/** The proposals for rows under a mapping, one at a time: an accepted rule changes what is left to repair. */
export class FixProposer {
  readonly rejects: RowsToFix;
  /** Rows that are invalid under the mapping of the run. Others are junk, or were refused by the service. */
  readonly rows: readonly RowToFix[];
  /** Invalid rows that are not data: the header again, totals. No rule may make them records. */
  readonly junk: readonly RowToFix[];
  document: MappingDocument;
  #tried: readonly TriedRow[];
  #skipped: ReadonlySet<string> = new Set();
  /** Names of the required fields. */
  readonly #required: ReadonlySet<string>;

  constructor(rejects: RowsToFix) {
    this.rejects = rejects;
    this.document = rejects.document;
    const tried = tryRows(rejects, rejects.document, rejects.rows).filter(({ issues }) => issues.length > 0);
    const isJunk = ({ row, source }: RowToFix): boolean =>
      junkOf(rejects.inputs[source]?.columns ?? [], row.content) !== undefined;
    this.junk = tried.map(({ rejected }) => rejected).filter(isJunk);
    this.#tried = tried.filter(({ rejected }) => !isJunk(rejected));
    this.rows = this.#tried.map(({ rejected }) => rejected);
    this.#required = new Set(
      rejects.contract.fieldsOf(rejects.variant).flatMap(({ field, required }) => (required ? [field.name] : [])),
    );
  }

  /** Number of rows that the rules so far have made valid. */
  get valid(): number {
    return this.rows.length - this.left.length;
  }

  /** Rows that are still invalid. */
  get left(): readonly TriedRow[] {
    return this.#tried.filter(({ issues }) => issues.length > 0);
  }

  accept({ document }: Rule): void {
    this.document = document;
    this.#tried = tryRows(this.rejects, document, this.rows);
  }

  skip({ cause }: ProposedFix): void {
    this.#skipped = new Set(this.#skipped).add(causeKey(cause));
  }

  /** Returns a function that forgets what is accepted and skipped from now on. */
  mark(): () => void {
    const { document } = this;
    const tried = this.#tried;
    const skipped = this.#skipped;
    return () => {
      this.document = document;
      this.#tried = tried;
      this.#skipped = skipped;
    };
  }

  /** Skips a cause until the user answers: meanwhile, values that can be read must not be omitted. */
  leaveOpen(fix: ProposedFix): void {
    this.skip(fix);
    this.#skipped = new Set(this.#skipped).add(causeKey({ ...fix.cause, kind: 'rest' }));
  }

  /** Undefined if no further rule repairs a row. */
  next(): ProposedFix | undefined {
    return this.#emptyWords() ?? this.#ofFields('value') ?? this.#ofFields('missing') ?? this.#ofFields('rest');
  }

  /** A rule that the user has written. Undefined if it repairs nothing. @throws ProblemError if it is not valid */
  ruleFor(cause: Cause, mapping: FieldMapping, why = 'as entered'): Rule | undefined {
    const field = this.rejects.contract.fields.find(({ name }) => name === cause.field);
    return field && this.#try(this.#change(cause, field, { mapping, why }));
  }

  /** The columns of all inputs, without those that this program added. */
  get columns(): readonly string[] {
    return [...new Set(this.rejects.inputs.flatMap(({ columns }) => columns))].filter((name) => !name.startsWith('_'));
  }

  /** The values in a column of the rows with a cause. */
  valuesOf(column: string, { field }: Cause): readonly string[] {
    const read = sourceReader(this.rejects, { column });
    const rows = this.left.filter(({ issues }) => issues.some((issue) => issue.field === field));
    const values = rows.map(({ rejected }) => excerpt(read(rejected) ?? '').trim());
    return [...new Set(values)].filter((value) => value !== '');
  }

  mappingOf(field: Field): FieldMapping | undefined {
    return mappingOf(this.document, field);
  }

  /** The field's line in the mapping. */
  lineOf(field: Field): string {
    return renderedLine(field, this.mappingOf(field) ?? { column: field.name });
  }

  #emptyWords(): ProposedFix | undefined {
    const found = this.left.flatMap((row) =>
      row.issues.flatMap((issue) => {
        const word = issue.code === 'missing' || issue.found === undefined ? '' : issue.found.trim();
        return issue.field !== undefined && isPlaceholder(word) && !this.#required.has(issue.field)
          ? [{ row, word, field: issue.field }]
          : [];
      }),
    );
    const [first] = found;
    if (first === undefined || this.#skipped.has('empty:')) return undefined;
    const empty = [...new Set([...(this.document.empty ?? []), ...found.map(({ word }) => word)])];
    const rows = new Set(found.map(({ row }) => row)).size;
    const cause: Cause = { kind: 'empty', rows, first: first.row.rejected };
    const fields = [...new Set(found.map(({ field }) => field))];
    const why = `in ${fields.join(', ')} these words stand for "no value"`;
    const line = `empty: ${JSON.stringify(empty)}`;
    const rule = this.#try({ cause, fields, document: { ...this.document, empty }, why, line });
    return rule === undefined ? undefined : { cause, rules: [rule], needsAnswer: false };
  }

  #ofFields(kind: 'value' | 'missing' | 'rest'): ProposedFix | undefined {
    for (const field of this.rejects.contract.fields) {
      const fix = this.#ofField(kind, field);
      if (fix !== undefined) return fix;
    }
    return undefined;
  }

  #ofField(kind: 'value' | 'missing' | 'rest', field: Field): ProposedFix | undefined {
    const isOfKind = ({ code, found }: Issue): boolean =>
      // A formula has a value once the workbook is calculated.
      (code === 'missing') === (kind === 'missing') && !(kind === 'rest' && code === 'cell' && found?.startsWith('='));
    const rows = this.left.filter(({ issues }) =>
      issues.some((issue) => issue.field === field.name && isOfKind(issue)),
    );
    const [first] = rows;
    const mapping = mappingOf(this.document, field);
    if (first === undefined || mapping === undefined) return undefined;
    const cause: Cause = { kind, field: field.name, rows: rows.length, first: first.rejected };
    if (this.#skipped.has(causeKey(cause))) return undefined;
    // What a column has says more than a constant that fills every row.
    const byRepairs = (one: Rule, other: Rule): number => (kind === 'missing' ? 0 : other.repaired - one.repaired);
    const candidates = this.#candidates(kind, field, mapping, rows);
    const rules = candidates
      .flatMap((fix) => this.#try(this.#change(cause, field, fix)) ?? [])
      .sort((one, other) => Number(one.isAmbiguous) - Number(other.isAmbiguous) || byRepairs(one, other));
    const different = withoutEqual(rules);
    const isOpen = different.length === 0;
    // Without a rule, only a missing value can be repaired: by the user's answer.
    if (isOpen && kind !== 'missing') return undefined;
    const [best, second] = different;
    const isTie = best?.isAmbiguous === true && second?.isAmbiguous === true && best.repaired === second.repaired;
    const isConstant = best?.isAmbiguous === true && kind === 'missing';
    return { cause, rules: different, needsAnswer: isOpen || isTie || isConstant };
  }

  #candidates(
    kind: Cause['kind'],
    field: Field,
    mapping: FieldMapping,
    rows: readonly TriedRow[],
  ): readonly FieldFix[] {
    // A cell without a domain is like an empty one: another column may have it.
    const isDomain = 'as' in mapping && mapping.as === 'domain';
    if (kind === 'missing' || (kind === 'value' && isDomain)) {
      return missingFixes(field, mapping, this.#discovered(field, mapping, rows));
    }
    if (kind === 'value') return proposeFieldFixes({ field, mapping, values: this.#values(field, mapping, rows) });
    const isFixed = 'value' in mapping || this.#required.has(field.name);
    return isFixed ? [] : [{ mapping: { ...mapping, invalid: 'omit' }, why: 'the field is optional' }];
  }

  /** Other columns that seem to contain the field, judged by the rows that lack it. */
  #discovered(field: Field, mapping: FieldMapping, rows: readonly TriedRow[]): readonly FieldMapping[] {
    const { contract, inputs } = this.rejects;
    const [input] = inputs;
    if (input === undefined) return [];
    const columns = input.columns.filter((name) => !columnsOf(mapping).includes(name));
    const { [keyOf(this.document, field) ?? '']: _mapping, ...fields } = this.document.fields;
    const indexes = columns.map((name) => input.columns.indexOf(name));
    const contents = rows.flatMap(({ rejected: { source, row } }) => (source === 0 ? [row.content] : []));
    const cells = sampleCells(input.columns, contents).map((row) => indexes.map((index) => row[index]));
    try {
      const sample = { columns, rows: cells };
      const { document, questions } = discoverMapping(sample, contract, { ...this.document, fields });
      const used = mappingOf(document, field);
      const asked = questions.find((question) => question.field === field.name)?.options ?? [];
      // Any column with domains, such as one of addresses, says more than none.
      const ways = columnsForField(sample, contract, field).flatMap((choice) => choice.ways);
      const domains = ways.filter((way) => 'as' in way && way.as === 'domain');
      const found = [...(used === undefined ? [] : [used]), ...asked.map((option) => option.mapping), ...domains];
      return found.filter((way, at) => found.findIndex((each) => isDeepStrictEqual(each, way)) === at);
    } catch (error) {
      if (error instanceof ProblemError) return [];
      throw error;
    }
  }

  #values(field: Field, mapping: FieldMapping, rows: readonly TriedRow[]): readonly unknown[] {
    const read = sourceReader(this.rejects, mapping);
    const values = rows.map(
      ({ rejected, issues }) => read(rejected) ?? issues.find((issue) => issue.field === field.name)?.found,
    );
    return [...new Set(values)];
  }

  #change(cause: Cause, field: Field, { mapping, why, isAmbiguous }: FieldFix): RuleChange {
    const document = withField(this.document, field, mapping);
    return { cause, fields: [field.name], document, line: renderedLine(field, mapping), why, isAmbiguous };
  }

  #try(change: RuleChange): Rule | undefined {
    return tryRule({ rejects: this.rejects, document: this.document, tried: this.#tried }, change);
  }
}
