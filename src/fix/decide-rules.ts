/** Which rules are used: one decision for each cause, given by `--rule`, accepted without a user, or asked. */
import type { Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import { describeField, type FieldMapping, type MappingDocument } from '../map/index.ts';
import { parseMapping } from '../map/parse-document.ts';
import { ProblemError } from '../model/problem.ts';
import { columnLabel, readable } from '../questions/field-examples.ts';
import {
  type AnswerChoice,
  type Ask,
  acceptable,
  answerLines,
  BACK,
  Cancelled,
  type ChoiceQuestion,
  type Settled,
  type TextQuestion,
} from '../questions/question.ts';
import type { Style } from '../report/text-layout.ts';
import { type FieldFix, withColumn, withConstant } from './candidates.ts';
import type { FixProposer } from './fix-proposer.ts';
import { describeFixCause, ruleLines } from './fix-text.ts';
import { mappingOf, type ProposedFix, type Rule } from './rule.ts';

export interface RuleDecisions {
  readonly accepted: readonly { readonly fix: ProposedFix; readonly rule: Rule }[];
  /** Causes without a rule: skipped, or only the user knows the answer. */
  readonly open: readonly ProposedFix[];
}

/** How decisions are made. */
export interface RuleSession {
  readonly proposer: FixProposer;
  /** Names of the inputs. */
  readonly names: readonly string[];
  readonly print: (line: string) => void;
  readonly given: readonly GivenRule[];
  /** Asks the user. Absent without a terminal: then every rule is used that nothing objects to. */
  readonly asking?: AskingRules | undefined;
  /** The command that uses a rule. */
  readonly command: (line: string) => string;
}

export interface AskingRules {
  readonly ask: Ask;
  readonly style: Style;
  /** After Ctrl-C: whether the rules so far are saved. */
  readonly confirmSave: (question: string) => Promise<boolean>;
}

/** A rule of `--rule`. */
export interface GivenRule {
  readonly field: Field;
  readonly mapping: FieldMapping;
}

/** @throws ProblemError if it is not one valid line of a mapping file */
export function parseGivenRule(line: string, { rejects: { contract } }: FixProposer): GivenRule {
  const [[name, mapping] = [], ...others] = Object.entries(parseRuleLine(line, '--rule'));
  const field = contract.field(name ?? '');
  if (field === undefined || mapping === undefined || others.length > 0) {
    const expected = 'a line such as "detected_at: { column: Date, as: date, format: d/M/yyyy }"';
    throw new ProblemError({ code: 'usage', message: `--rule is "${line}": expected ${expected}.` });
  }
  return { field, mapping };
}

interface Decision extends RuleAnswer {
  readonly fix: ProposedFix;
  /** Whether the user was asked, so that a later question can go back to this one. */
  readonly isAsked: boolean;
  readonly undo: () => void;
}

/** @throws Cancelled if the user stops, and does not save the rules so far */
export async function decideRules(session: RuleSession): Promise<RuleDecisions> {
  const { proposer, names, print } = session;
  const decided: Decision[] = [];
  for (let fix = proposer.next(); fix !== undefined; fix = proposer.next()) {
    print(`\n${describeFixCause(fix.cause, names)}`);
    const undo = proposer.mark();
    const answer = await decide(session, fix, decided);
    if (answer === BACK) {
      // Rules that needed no question follow from the answer before them.
      const asked = decided.findLastIndex(({ isAsked }) => isAsked);
      for (const last of decided.splice(Math.max(0, asked)).toReversed()) last.undo();
      continue;
    }
    decided.push({ fix, undo, ...answer });
    if (answer.isEnd === true) break;
    if (answer.rule !== undefined) proposer.accept(answer.rule);
  }
  return {
    accepted: decided.flatMap(({ fix, rule }) => (rule === undefined ? [] : [{ fix, rule }])),
    open: decided.flatMap(({ fix, rule }) => (rule === undefined ? [fix] : [])),
  };
}

/** `isEnd`: the user ends the questions, and keeps the rules so far. */
type Decided = RuleAnswer & { readonly isAsked: boolean; readonly isEnd?: boolean };

async function decide(
  session: RuleSession,
  fix: ProposedFix,
  decided: readonly Decision[],
): Promise<Decided | typeof BACK> {
  const { proposer, given, asking } = session;
  const mapping = given.findLast(({ field }) => field.name === fix.cause.field)?.mapping;
  const rule = mapping && proposer.ruleFor(fix.cause, mapping, 'as in --rule');
  if (rule !== undefined) {
    show(session, fix, [rule]);
    return { rule, isAsked: false };
  }
  return asking === undefined ? acceptRule(session, fix) : askRule(session, asking, fix, decided);
}

function show({ names, print, asking }: RuleSession, { cause }: ProposedFix, rules: readonly Rule[]): void {
  for (const line of rules.flatMap((each) => ruleLines(each, cause.rows, names, asking?.style))) print(line);
}

/** A rule that nothing objects to. */
function acceptRule(session: RuleSession, fix: ProposedFix): Decided {
  const { proposer, print, command } = session;
  const question = ruleQuestion(proposer, fix);
  const accepted = acceptable(question);
  if ('value' in accepted) {
    const { rule } = accepted.value;
    show(session, fix, rule === undefined ? [] : [rule]);
    return { rule, isAsked: false };
  }
  const isReading = fix.cause.kind !== 'missing';
  if (isReading) show(session, fix, fix.rules);
  const lines = answerLines(question, ([, line]) => command(line));
  const why = isReading ? accepted.objection : 'no column has the value';
  print(lines.length === 0 ? `  Not repaired: ${why}.` : `  Needs your answer: ${why}. To save one of them:`);
  for (const line of lines) print(`    ${line}`);
  proposer.leaveOpen(fix);
  return { rule: undefined, isAsked: false };
}

/** One question for each cause, until the user accepts all further rules. */
async function askRule(
  session: RuleSession,
  { ask, confirmSave }: AskingRules,
  fix: ProposedFix,
  decided: readonly Decision[],
): Promise<Decided | typeof BACK> {
  const { proposer } = session;
  const [first] = fix.rules;
  show(session, fix, fix.rules.slice(0, fix.needsAnswer ? 2 : 1));
  const isAll = decided.findLast(({ isAsked }) => isAsked)?.isAll === true;
  if (isAll && !fix.needsAnswer && first !== undefined) return { rule: first, isAsked: false };
  const rules = decided.filter(({ rule }) => rule !== undefined).length;
  const canGoBack = decided.some(({ isAsked }) => isAsked);
  try {
    const answer = await ask(ruleQuestion(proposer, fix), canGoBack);
    if (answer === BACK) return BACK;
    if (answer.rule === undefined) proposer.skip(fix);
    return { ...answer, isAll: answer.isAll === true || isAll, isAsked: true };
  } catch (error) {
    if (!(error instanceof Cancelled) || rules === 0) throw error;
    if (!(await confirmSave(`Save the ${plural(rules, 'rule')} accepted so far?`))) throw error;
    return { rule: undefined, isAsked: true, isEnd: true };
  }
}

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
function parseRuleLine(line: string, name: string): MappingDocument['fields'] {
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
