/** The question about one cause: which rule repairs its rows. */
import type { Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import { describeField, type FieldMapping, type MappingDocument } from '../map/index.ts';
import { parseMapping } from '../map/parse-document.ts';
import { ProblemError } from '../model/problem.ts';
import { columnLabel, readable } from '../questions/field-examples.ts';
import type { AnswerChoice, ChoiceQuestion, Settled, TextQuestion } from '../questions/question.ts';
import { type FieldFix, withColumn, withConstant } from './candidates.ts';
import type { FixProposer } from './fix-proposer.ts';
import { mappingOf, type ProposedFix, type Rule } from './rule.ts';

/** Rules that are offered. */
const RULES_SHOWN = 10;
const LABEL_LENGTH = 100;
const VALUE_LENGTH = 40;

const NO_EFFECT = 'That repairs none of these rows.';

/** Without a rule, the rows of the cause are left. */
export interface RuleAnswer {
  readonly rule: Rule | undefined;
  /** Whether all further rules that need no answer are accepted too. */
  readonly isAll?: boolean;
}

/** A cause with its field, and the field's mapping so far. */
interface AskedCause {
  readonly proposer: FixProposer;
  readonly fix: ProposedFix;
  readonly field: Field;
  readonly before: FieldMapping;
}

/** Enter chooses no reading of ambiguous values. */
export function ruleQuestion(proposer: FixProposer, fix: ProposedFix): ChoiceQuestion<RuleAnswer> {
  const { cause, rules, needsAnswer } = fix;
  const [first] = rules;
  const field = proposer.rejects.contract.field(cause.field ?? '');
  const before = field && proposer.mappingOf(field);
  const asked = field && before && { proposer, fix, field, before };
  const skip: AnswerChoice<RuleAnswer> = { label: 'skip: leave these rows', value: { rule: undefined } };
  const all = { label: 'accept this and all further rules', value: { rule: first, isAll: true } };
  return {
    message: needsAnswer ? 'Which rule is right?' : 'Use this rule?',
    answers: [
      ...rules.slice(0, RULES_SHOWN).map((rule) => ruleAnswer(rule, fix, field)),
      ...(needsAnswer ? [] : [all]),
      ...(asked === undefined ? [] : steps(asked)),
      skip,
    ],
    marked: needsAnswer && first !== undefined ? skip : undefined,
  };
}

/** Its line in a mapping file; one of several readings of a value in words, with a value that they read differently. */
function ruleAnswer(
  rule: Rule,
  { cause, rules, needsAnswer }: ProposedFix,
  field: Field | undefined,
): AnswerChoice<RuleAnswer> {
  const mapping = field && mappingOf(rule.document, field);
  const isReading = rule.isAmbiguous && cause.kind !== 'missing' && mapping !== undefined;
  const example =
    rule.examples.find(({ before, after }) =>
      rules.some(({ examples }) => examples.some((other) => other.before === before && other.after !== after)),
    ) ?? rule.examples[0];
  const isShown = isReading && example?.after !== undefined;
  return {
    label: printable(isReading ? describeField(mapping) : rule.line, LABEL_LENGTH),
    value: { rule },
    proposed: {
      value: { rule },
      option: ['--rule', rule.line],
      objection: needsAnswer ? objectionTo(cause.kind) : undefined,
      consequence: {
        rows: cause.rows,
        invalid: cause.rows - rule.valid,
        why: `repairs ${plural(rule.repaired, 'row')}`,
        before: isShown ? printable(example?.before ?? '', VALUE_LENGTH) : undefined,
        after: isShown && example?.after !== undefined ? readable(example.after) : '',
      },
    },
  };
}

function objectionTo(kind: ProposedFix['cause']['kind']): string {
  return kind === 'missing' ? 'no column has the value' : 'several readings are possible';
}

/** The steps that can lead to a rule. */
function steps(asked: AskedCause): readonly AnswerChoice<RuleAnswer>[] {
  const { fix, field, before, proposer } = asked;
  const isMissing = fix.cause.kind === 'missing';
  const takesConstant = isMissing && withConstant(field, before, '').length > 0;
  const columns = isMissing ? columnAnswers(asked) : [];
  const line = fix.rules[0]?.line ?? proposer.lineOf(field);
  const ask = `Which column is ${field.name}, where it is empty?`;
  return [
    ...(columns.length > 0 ? [{ label: 'another column', next: () => ({ message: ask, answers: columns }) }] : []),
    ...(takesConstant ? [{ label: 'one value for these rows', next: () => constantQuestion(asked) }] : []),
    {
      label: 'write the rule, as in a mapping file',
      next: () =>
        textQuestion('The rule:', line, (text) => {
          const mapping = parseRuleLine(text, 'the rule')[field.name];
          return mapping === undefined ? `Write a rule for ${field.name}.` : ruleOf(asked, mapping);
        }),
    },
  ];
}

/** Columns that have values in these rows. */
function columnAnswers(asked: AskedCause): readonly AnswerChoice<RuleAnswer>[] {
  const { proposer, fix, before } = asked;
  return proposer.columns.flatMap((column) => {
    const [added] = withColumn(before, column);
    const values = added === undefined ? [] : proposer.valuesOf(column, fix.cause);
    if (added === undefined || values.length === 0) return [];
    return [{ label: columnLabel(column, values), next: () => columnStep(asked, added) }];
  });
}

function columnStep(asked: AskedCause, { mapping }: FieldFix): ChoiceQuestion<RuleAnswer> | Settled<RuleAnswer> {
  const rule = ruleOf(asked, mapping);
  return typeof rule === 'object'
    ? { value: { rule } }
    : { message: `${rule} Choose again:`, answers: columnAnswers(asked) };
}

function constantQuestion(asked: AskedCause): ChoiceQuestion<RuleAnswer> | TextQuestion<RuleAnswer> {
  const { field, before } = asked;
  const message = `${field.name} for these rows?`;
  const ruleFor = (value: string): Rule | string =>
    ruleOf(asked, withConstant(field, before, value.trim())[0]?.mapping);
  if (field.kind.name !== 'enum') return textQuestion(message, '', ruleFor);
  const answers = (field.kind.values ?? []).flatMap((value) => {
    const rule = ruleFor(value);
    return typeof rule === 'object' ? [{ label: value, value: { rule } }] : [];
  });
  return { message: answers.length === 0 ? NO_EFFECT : message, answers };
}

/** Parses one line of the fields of a mapping file. @param name of the line, for messages */
export function parseRuleLine(line: string, name: string): MappingDocument['fields'] {
  return parseMapping(`fields:\n  ${line}\n`, name).fields;
}

/** A text that leads to a rule. */
function textQuestion(
  message: string,
  initial: string,
  ruleFor: (text: string) => Rule | string,
): TextQuestion<RuleAnswer> {
  return {
    message,
    initial,
    check(text) {
      try {
        const rule = ruleFor(text);
        return typeof rule === 'string' ? rule : undefined;
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        return printable(error.problems[0]?.message ?? error.message);
      }
    },
    answer(text) {
      const rule = ruleFor(text);
      return { value: { rule: typeof rule === 'string' ? undefined : rule } };
    },
  };
}

/** The rule, or why there is none. @throws ProblemError if the mapping is not valid */
function ruleOf({ proposer, fix }: AskedCause, mapping: FieldMapping | undefined): Rule | string {
  return (mapping && proposer.ruleFor(fix.cause, mapping)) ?? NO_EFFECT;
}
