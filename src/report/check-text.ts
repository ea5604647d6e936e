/**
 * What `signals check` finds beyond the counts, and its output: the data quality (how often each field has a value, and how many
 * rows are valid under each variant), suggested options, and the text. Pure.
 */
import type { Contract, Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { isPlaceholder } from '../lib/text.ts';
import { count, humanBytes, humanDuration, percentage, plural } from '../lib/units.ts';
import type { RecordChunk } from '../model/fast-reader.ts';
import type { Candidate, Variant } from '../model/record.ts';
import type { Issue, RowPlace } from '../model/row.ts';
import type { Reasons, RunState } from '../model/run-state.ts';
import type { CheckSummary, QualityResult, Suggestions } from '../model/summary.ts';
import { moreReasons, reasonLines, skippedClause } from './ending-text.ts';
import { describeNotes, describeProblem, describeSentBefore } from './problem-text.ts';
import { bullets, jsonLines, place, plain, type Style, section, table, when } from './text-layout.ts';

/** What `check` found. */
export interface CheckResult {
  /** The object of `--json`. */
  readonly summary: CheckSummary;
  /** What was detected, in few lines. */
  readonly brief: readonly string[];
  readonly runState: Pick<RunState, 'variant' | 'notes' | 'firstNotes' | 'sentBefore'>;
  readonly reasons: Reasons;
}

export interface CheckContext {
  readonly suggest: Suggest;
  /** Arguments of the upload that was checked. */
  readonly upload: readonly string[];
  /** Whether an input is a pipe: the user must then pipe the same data again. */
  readonly isPiped: boolean;
  /** With every field, variant and remark, and a record. */
  readonly isDetailed: boolean;
}

const LINES_SHOWN = 3;

/** At most 25 lines, without details. No line break at the end. */
export function checkText(
  { summary: check, brief, runState, reasons }: CheckResult,
  context: CheckContext,
  style: Style = plain,
): string {
  const { isDetailed } = context;
  const names = check.inputs.map((input) => input.name);
  const notes = [...describeSentBefore(runState.sentBefore), ...describeNotes(runState, names)];
  const warnings = check.warnings.map((warning) => style.yellow(describeProblem(warning, style)));
  const some = (lines: readonly string[]) => (isDetailed ? lines : firstLines(lines));
  const sections = [
    ...section('Notes', some(bullets(notes)), style),
    ...section('Warnings', some(bullets(warnings)), style),
    ...section(
      'Suggestions',
      some(bullets([...otherVariantLines(check.quality), ...suggestionLines(check.suggestions, names)])),
      style,
    ),
    ...(isDetailed ? detailSections(check, style) : section('Fields', fieldLines(check.quality), style)),
  ];
  return [
    [
      ...(isDetailed ? detectedLines(check) : brief.map((line) => printable(line))),
      style.bold(wouldSend(check)),
      ...reasonLines(
        { reasons, sources: check.inputs, type: check.type, variant: check.variant },
        isDetailed ? undefined : context.suggest('check', '-v', ...context.upload.slice(1)),
      ),
      ...when(isDetailed, ...moreReasons({ reasons, rows: check.rows })),
    ].join('\n'),
    ...sections,
    next(check, context, style),
  ].join(isDetailed ? '\n\n' : '\n');
}

function firstLines(lines: readonly string[]): readonly string[] {
  const more = lines.length - LINES_SHOWN;
  return [...lines.slice(0, LINES_SHOWN), ...when(more > 0, `  ${count(more)} more with -v`)];
}

function detectedLines(check: CheckSummary): readonly string[] {
  const inputs = check.inputs.map(({ name, description }) =>
    [printable(name, 120), description.map((part) => printable(part)).join(', ')].filter(Boolean).join(': '),
  );
  return [...inputs, ...check.description.map((sentence) => printable(sentence))];
}

/** `6 of 13 rows would be sent, in 1 request (2.0 kB); 7 invalid.` */
function wouldSend({ rows, sentBefore, requests, bytes, atLeastSeconds = 0 }: CheckSummary): string {
  const time = atLeastSeconds < 1 ? '' : `, in at least ${humanDuration(atLeastSeconds * 1000)}`;
  const how = requests === 0 ? '' : `, in ${plural(requests, 'request')} (${humanBytes(bytes)})${time}`;
  const others = [
    ...when(rows.invalid > 0, `${count(rows.invalid)} invalid`),
    ...when(rows.duplicate > 0, `${count(rows.duplicate)} duplicate`),
    ...when(rows.skipped > 0, skippedClause(rows.skipped, sentBefore)),
  ].join(', ');
  const all = `${count(rows.valid)} of ${plural(rows.read, 'row')} would be sent${how}`;
  return `${all}${others === '' ? '' : `; ${others}`}.`;
}

function next(check: CheckSummary, context: CheckContext, style: Style): string {
  const { rows, quality, suggestions } = check;
  const options = suggestedOptions(suggestions);
  if (rows.valid === 0) return rows.invalid === 0 ? 'Nothing to upload.' : 'Fix the input or the mapping.';
  const omitted = omittedFields(quality);
  const [, ...words] = context.upload;
  // Before the files: after a `--`, everything is a file.
  const command =
    options.length > 0 ? context.suggest('check', ...options, ...words) : context.suggest(...context.upload);
  const label = context.isPiped ? 'Pipe the same data into:\n        ' : options.length > 0 ? 'Try    ' : 'Upload ';
  return [...when(omitted !== undefined, style.bold(omitted ?? '')), `${label}  ${style.bold(command)}`].join('\n');
}

/** Values that the variant does not send, and the variant that sends them. */
function omittedFields({ variants }: QualityResult): string | undefined {
  const chosen = variants.find((each) => each.chosen);
  const omitted = chosen?.leavesOut.filter(({ rows }) => rows > 0) ?? [];
  if (chosen === undefined || omitted.length === 0) return undefined;
  const fields = omitted.map(({ field, rows }) => `${field} (${plural(rows, 'row')})`).join(', ');
  const other = variants.find(
    (each) => !omitted.some(({ field }) => each.leavesOut.some((left) => left.field === field)),
  );
  const [lacked] = other?.lacks ?? [];
  const how =
    lacked === undefined
      ? `pass \`--variant ${other?.variant ?? 'both'}\``
      : `map ${other?.lacks.join(', ')} with \`-c ${lacked}=COLUMN\``;
  const it = omitted.length === 1 ? 'it' : 'them';
  return `Not sent, because variant ${chosen.variant} does not have ${it}: ${fields}. To send ${it} in variant ${other?.variant ?? 'both'}, ${how}.`;
}

/** A variant that would send more rows, because it requires less. */
function otherVariantLines({ variants }: QualityResult): readonly string[] {
  const chosen = variants.find((each) => each.chosen);
  const better = variants.find((each) => each.lacks.length === 0 && each.valid > (chosen?.valid ?? each.valid));
  if (chosen === undefined || better === undefined) return [];
  const omitted = better.leavesOut.filter(({ rows }) => rows > 0).map(({ field }) => field);
  const without = omitted.length === 0 ? '' : `, without ${omitted.join(', ')}`;
  return [
    `Variant ${better.variant} would send ${plural(better.valid - chosen.valid, 'more row')}${without}: --variant ${better.variant}.`,
  ];
}

/** Mapped fields that are not always filled, and recommended ones, in one line each. */
function fieldLines({ fields, rows }: QualityResult): readonly string[] {
  const partly = fields.filter(({ mapped, filled }) => mapped && filled < rows);
  const rates = partly.map(({ field, filled }) => `${field} ${percentage(filled, rows)}`).join(', ');
  const missing = fields.filter(({ recommended, mapped, sent }) => recommended !== undefined && sent && !mapped);
  return [
    ...when(partly.length > 0, `  partly filled: ${rates}`),
    ...missing.map(({ field, recommended }) => `  recommended: ${field} (${recommended})`),
  ];
}

/** Every field and variant, and one record. */
function detailSections({ quality, variant, sample }: CheckSummary, style: Style): readonly string[] {
  const { rows, fields, variants } = quality;
  const record = section('One record, as it would be sent', sample === undefined ? [] : jsonLines(sample), style);
  if (rows === 0) return record;
  const rates = fields
    .filter(({ mapped }) => mapped)
    .map(({ field, filled, sent, required }) => {
      const remark = sent ? (required ? 'required' : '') : `omitted: variant ${variant ?? ''} has no such field`;
      return [field, percentage(filled, rows).padStart(5), remark];
    });
  const variantLines = variants.map((each) => [
    `${each.variant}${each.chosen ? ' (this check)' : ''}`,
    each.valid,
    each.valid === 1 ? 'valid row' : 'valid rows',
    consequences(each),
  ]);
  return [
    ...section(`Fields with a value, in ${plural(rows, 'readable row')}`, table(rates), style),
    ...section('Recommended fields without a value', bullets(recommendedLines(fields, rows)), style),
    ...section('Valid rows per variant', table(variantLines), style),
    ...record,
  ];
}

function recommendedLines(fields: QualityResult['fields'], rows: number): readonly string[] {
  return fields.flatMap(({ field, recommended, mapped, sent, filled }) => {
    if (recommended === undefined || !sent || filled === rows) return [];
    const reason = `The API recommends it: ${recommended}.`;
    if (!mapped) return [`${field}: not mapped, so no record has it. ${reason}`];
    const empty = filled === 0 ? 'every row' : `${count(rows - filled)} of ${plural(rows, 'row')}`;
    return [`${field}: empty in ${empty}. ${reason}`];
  });
}

function consequences({ lacks, leavesOut }: QualityResult['variants'][number]): string {
  const missing =
    lacks.length === 0 ? [] : [`requires ${lacks.join(', ')}, which ${lacks.length === 1 ? 'is' : 'are'} not mapped`];
  const omitted = leavesOut.map(({ field, rows }) => `${field} (${plural(rows, 'row')})`).join(', ');
  return [...missing, omitted === '' ? 'omits nothing' : `omits ${omitted}`].join('; ');
}

/** Limits what a file of hostile values can add. */
const WORDS_SHOWN = 10;

export class SuggestionCollector {
  readonly #words = new Map<string, { readonly fields: Set<string>; readonly first: RowPlace }>();
  readonly #invalid = new Map<string, { values: number; readonly first: RowPlace }>();
  readonly #isOptional: (field: string) => boolean;

  constructor(isOptional: (field: string) => boolean) {
    this.#isOptional = isOptional;
  }

  /** Adds an invalid row. */
  addIssues({ source, line }: RowPlace, issues: readonly Issue[]): void {
    const at = { source, line };
    for (const { field, code, found } of issues) {
      // An empty cell does not help a required field.
      if (field === undefined || code === 'missing' || !this.#isOptional(field)) continue;
      if (found !== undefined && isPlaceholder(found)) this.#addWord(at, field, found.trim());
      else {
        const cause = this.#invalid.get(field) ?? { values: 0, first: at };
        cause.values += 1;
        this.#invalid.set(field, cause);
      }
    }
  }

  /** Adds a sampled row, valid or not. */
  addCandidate(
    { source, line }: RowPlace,
    candidate: Candidate,
    columnOf: (field: string) => string | undefined,
  ): void {
    for (const [field, value] of Object.entries(candidate)) {
      if (typeof value === 'string' && columnOf(field) !== undefined && isPlaceholder(value)) {
        this.#addWord({ source, line }, field, value);
      }
    }
  }

  result(zone: Suggestions['zone']): Suggestions {
    return {
      empty: [...this.#words].map(([word, { fields, first }]) => ({ word, fields: [...fields], first })),
      omitInvalid: [...this.#invalid].map(([field, cause]) => ({ field, ...cause })),
      zone,
    };
  }

  #addWord(at: RowPlace, field: string, word: string): void {
    const known = this.#words.get(word);
    if (known !== undefined) known.fields.add(field);
    else if (this.#words.size < WORDS_SHOWN) this.#words.set(word, { first: at, fields: new Set([field]) });
  }
}

/** The options that follow all suggestions. */
export function suggestedOptions({ empty, omitInvalid }: Suggestions): readonly string[] {
  return [
    ...empty.flatMap(({ word }) => ['--empty', word]),
    ...(omitInvalid.length === 0 ? [] : ['--setting', `omit_invalid=${omitInvalid.map(({ field }) => field).join()}`]),
  ];
}

/** One sentence each. */
export function suggestionLines(
  { empty, omitInvalid, zone }: Suggestions,
  names: readonly string[],
): readonly string[] {
  const words = empty.map(({ word }) => `"${printable(word)}"`).join(', ');
  const fields = [...new Set(empty.flatMap((each) => each.fields))].join(', ');
  const [look, them] = empty.length === 1 ? ['looks', 'it'] : ['look', 'them'];
  return [
    ...empty
      .slice(0, 1)
      .map(
        ({ first }) =>
          `${fields}: ${words} ${look} like "no value" (first at ${place(names, first)}). To treat ${them} as empty: --empty.`,
      ),
    ...omitInvalid.map(
      (each) =>
        `${each.field}: optional, with ${plural(each.values, 'invalid value')} (first at ${place(names, each.first)}). To omit the field and send these rows: --setting omit_invalid=${each.field}.`,
    ),
    ...Object.entries(zone).map(
      ([field, column]) =>
        `${field}: for date-times with a time zone, map it as { column: ${printable(column, 80)}, as: date, format: iso, zone: Europe/Berlin }, with your zone.`,
    ),
  ];
}

/** A row that could be read, valid or not. */
export interface QualityRow {
  /** Every mapped field with its value, including fields that the variant does not have. */
  readonly candidate: Candidate;
  /** Issues of transforms: their fields are absent from the candidate. */
  readonly issues: readonly Pick<Issue, 'field'>[];
  readonly verdict: { readonly json: string } | { readonly issues: readonly Pick<Issue, 'code'>[] };
}

interface VariantCount {
  readonly variant: Variant;
  /** Whether each field of the variant is required. */
  readonly required: ReadonlyMap<string, boolean>;
  valid: number;
}

/** What a row has for a field. */
type FieldState = 'valid' | 'invalid' | 'missing';

export class Quality {
  readonly #contract: Contract;
  readonly #variant: Variant | undefined;
  readonly #mapped: ReadonlySet<string>;
  readonly #variants: readonly VariantCount[];
  readonly #fields: readonly { readonly field: Field; filled: number }[];
  #rows = 0;

  /**
   * @param variant the variant that the rows are checked for; undefined for a type without variants
   * @param mapped names of the mapped fields
   */
  constructor(contract: Contract, variant: Variant | undefined, mapped: ReadonlySet<string>) {
    this.#contract = contract;
    this.#variant = variant;
    this.#mapped = mapped;
    this.#variants = contract.variants.map((each) => {
      return { variant: each, required: requiredFields(contract, each), valid: 0 };
    });
    this.#fields = contract.fields.map((field) => ({ field, filled: 0 }));
  }

  add({ candidate, issues, verdict }: QualityRow): void {
    const stateOf = ({ name, kind }: Field): FieldState => {
      const value = candidate[name];
      // A value that a transform rejected counts as filled.
      if (value === undefined) return issues.some(({ field }) => field === name) ? 'invalid' : 'missing';
      return kind.read(value) === undefined ? 'invalid' : 'valid';
    };
    // A record that is too large for one variant is too large for all, except for a few bytes.
    const isUnsendable =
      'issues' in verdict && verdict.issues.some(({ code }) => code === 'size' || code === 'constants');
    this.#count(1, stateOf, isUnsendable ? [] : this.#variants);
  }

  /**
   * Adds rows of the fast path. All their values are valid, also those of fields that the variant does not have.
   *
   * @param names the fields of the fast reader's plan
   */
  addChunk(names: readonly string[], { present }: Pick<RecordChunk, 'present'>): void {
    const columns = new Map(names.map((name, column) => [name, 1 << column]));
    for (const [mask, rows] of countMasks(present)) {
      this.#count(rows, ({ name }) => ((mask & (columns.get(name) ?? 0)) === 0 ? 'missing' : 'valid'), this.#variants);
    }
  }

  /** @param variants those under which the rows can be sent, if their values allow it */
  #count(rows: number, stateOf: (field: Field) => FieldState, variants: readonly VariantCount[]): void {
    this.#rows += rows;
    const flawed: (readonly [name: string, state: FieldState])[] = [];
    for (const each of this.#fields) {
      const state = stateOf(each.field);
      if (state !== 'missing') each.filled += rows;
      if (state !== 'valid') flawed.push([each.field.name, state]);
    }
    for (const each of variants) {
      const { required } = each;
      const isRefused = flawed.some(([name, state]) =>
        state === 'invalid' ? required.has(name) : required.get(name) === true,
      );
      if (!isRefused) each.valid += rows;
    }
  }

  result(): QualityResult {
    const mapped = this.#mapped;
    const sent = requiredFields(this.#contract, this.#variant);
    return {
      rows: this.#rows,
      fields: this.#fields
        .filter(({ field }) => mapped.has(field.name) || field.recommended !== undefined)
        .map(({ field, filled }) => ({
          field: field.name,
          mapped: mapped.has(field.name),
          sent: sent.has(field.name),
          required: sent.get(field.name) === true,
          filled,
          recommended: field.recommended,
        })),
      variants: this.#variants.map(({ variant, required, valid }) => ({
        variant,
        chosen: variant === this.#variant,
        valid,
        leavesOut: this.#fields
          .filter(({ field }) => mapped.has(field.name) && !required.has(field.name))
          .map(({ field, filled }) => ({ field: field.name, rows: filled })),
        lacks: [...required].flatMap(([name, isRequired]) => (isRequired && !mapped.has(name) ? [name] : [])),
      })),
    };
  }
}

/** The fields of a variant, and whether each is required. */
function requiredFields(contract: Contract, variant: Variant | undefined): ReadonlyMap<string, boolean> {
  return new Map(contract.fieldsOf(variant).map(({ field, required }) => [field.name, required]));
}

/** How often each mask occurs: most files have few different ones. */
function countMasks(masks: Uint32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const mask of masks) counts.set(mask, (counts.get(mask) ?? 0) + 1);
  return counts;
}
