/** Which rules are used: one decision for each cause, given by `--rule`, accepted without a user, or asked. */
import type { Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import { describeField, type FieldMapping, type MappingDocument, parseMapping } from '../map/index.ts';
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
  converse,
  type Settled,
  type TextQuestion,
} from '../questions/question.ts';
import type { Style } from '../report/text-layout.ts';
import { withColumn, withConstant } from './candidates.ts';
import { describeFixCause, ruleLines } from './fix-text.ts';
import {
  inputColumns,
  mappingOf,
  nextFix,
  type ProposedFix,
  type Repair,
  type Rule,
  renderedLine,
  ruleFor,
  withoutRule,
  withRule,
} from './propose-fix.ts';
import type { RowsToFix } from './rejected-rows.ts';

export interface RuleDecisions {
  readonly repair: Repair;
  readonly accepted: readonly { readonly fix: ProposedFix; readonly rule: Rule }[];
  /** Causes without a rule: skipped, or only the user knows the answer. */
  readonly open: readonly ProposedFix[];
}

export interface RuleSession {
  readonly repair: Repair;
  readonly names: readonly string[];
  readonly print: (line: string) => void;
  readonly given: readonly GivenRule[];
  /** Asks the user. Absent without a terminal: then every rule is used that nothing objects to. */
  readonly asking?: AskingRules | undefined;
  readonly command: (line: string) => string;
}

export interface AskingRules {
  readonly ask: Ask;
  readonly style: Style;
  /** After Ctrl-C: whether the rules so far are saved. */
  readonly confirmSave: (question: string) => Promise<boolean>;
}

export interface GivenRule {
  readonly field: Field;
  readonly mapping: FieldMapping;
}

/** @throws ProblemError if it is not one valid line of a mapping file */
export function parseGivenRule(line: string, { contract }: RowsToFix): GivenRule {
  const [[name, mapping] = [], ...others] = Object.entries(parseRuleLine(line, '--rule'));
  const field = contract.field(name ?? '');
  if (field === undefined || mapping === undefined || others.length > 0) {
    const expected = 'a line such as "detected_at: { column: Date, as: date, format: d/M/yyyy }"';
    throw new ProblemError({ code: 'usage', message: `--rule is "${line}": expected ${expected}.` });
  }
  return { field, mapping };
}

interface Stage extends RuleDecisions {
  /** Whether all further rules that need no answer are accepted. */
  readonly isAll?: boolean;
  readonly isEnd?: boolean;
}

/** One question for each cause. @throws Cancelled if the user stops, and does not save the rules so far */
export async function decideRules(session: RuleSession): Promise<RuleDecisions> {
  const { names, print, given, asking } = session;
  const decided = await converse<Stage, RuleAnswer, RuleQuestion>({
    start: { repair: session.repair, accepted: [], open: [] },
    next({ repair, isAll, isEnd }) {
      const fix = isEnd === true ? undefined : nextFix(repair);
      if (fix === undefined) return undefined;
      const { cause, rules, needsAnswer } = fix;
      print(`\n${describeFixCause(cause, names)}`);
      const mapping = given.findLast(({ field }) => field.name === cause.field)?.mapping;
      const rule = mapping && ruleFor(repair, cause, mapping);
      const isReading = needsAnswer && cause.kind !== 'missing';
      const shown = rule !== undefined ? [rule] : isReading ? rules : needsAnswer ? [] : rules.slice(0, 1);
      for (const line of shown.flatMap((each) => ruleLines(each, cause.rows, names, asking?.style))) print(line);
      const settled = rule ?? (isAll === true && !needsAnswer ? rules[0] : undefined);
      return settled === undefined ? ruleQuestion(repair, fix) : { value: { fix, rule: settled } };
    },
    apply({ repair, accepted, open, isAll = false }, { fix, rule, ...answer }) {
      const ends = { isAll: isAll || answer.isAll === true, isEnd: answer.isEnd === true };
      return rule === undefined
        ? { repair: withoutRule(repair, fix, answer.isOpen), accepted, open: [...open, fix], ...ends }
        : { repair: withRule(repair, rule), accepted: [...accepted, { fix, rule }], open, ...ends };
    },
    ask: async (question, canGoBack, { accepted }) =>
      asking === undefined ? acceptRule(session, question) : askRule(asking, question, canGoBack, accepted.length),
    canGoBack: false,
  });
  if (decided === BACK) throw new Cancelled();
  return decided;
}

/** A rule that nothing objects to. */
function acceptRule({ print, command }: RuleSession, question: RuleQuestion): RuleAnswer {
  const accepted = acceptable(question);
  if ('value' in accepted) return accepted.value;
  const { fix } = question;
  const lines = answerLines(question, ([, line]) => command(line));
  const why = objectionTo(fix);
  print(lines.length === 0 ? `  Not repaired: ${why}.` : `  Needs your answer: ${why}. To save one of them:`);
  for (const line of lines) print(`    ${line}`);
  return { fix, rule: undefined, isOpen: true };
}

async function askRule(
  { ask, confirmSave }: AskingRules,
  question: RuleQuestion,
  canGoBack: boolean,
  rules: number,
): Promise<RuleAnswer | typeof BACK> {
  try {
    return await ask(question, canGoBack);
  } catch (error) {
    if (!(error instanceof Cancelled) || rules === 0) throw error;
    if (!(await confirmSave(`Save the ${plural(rules, 'rule')} accepted so far?`))) throw error;
    return { fix: question.fix, rule: undefined, isEnd: true };
  }
}

const RULES_SHOWN = 15;
const LABEL_LENGTH = 100;
const VALUE_LENGTH = 40;
const NO_EFFECT = 'That repairs none of these rows.';

/** Without a rule, the rows of the cause are left. */
export interface RuleAnswer {
  readonly fix: ProposedFix;
  readonly rule: Rule | undefined;
  /** Whether all further rules that need no answer are accepted too. */
  readonly isAll?: boolean;
  /** Whether the user can still choose a rule, with another command. */
  readonly isOpen?: boolean;
  /** Whether the user ends the questions, and keeps the rules so far. */
  readonly isEnd?: boolean;
}

interface RuleQuestion extends ChoiceQuestion<RuleAnswer> {
  readonly fix: ProposedFix;
}

interface AskedCause {
  readonly repair: Repair;
  readonly fix: ProposedFix;
  readonly field: Field;
  readonly before: FieldMapping;
}

/** Enter chooses nothing that only the user knows. */
export function ruleQuestion(repair: Repair, fix: ProposedFix): RuleQuestion {
  const { cause, rules, needsAnswer } = fix;
  const [first] = rules;
  const field = repair.rejects.contract.field(cause.field ?? '');
  const before = field && mappingOf(repair.document, field);
  const skip = { label: 'skip: leave these rows', value: { fix, rule: undefined } };
  const all = { label: 'accept this and all further rules', value: { fix, rule: first, isAll: true } };
  return {
    fix,
    message: needsAnswer ? 'How should these rows be repaired?' : 'Use this rule?',
    answers: [
      ...rules.slice(0, RULES_SHOWN).map((rule) => ruleAnswer(rule, fix, field)),
      ...(needsAnswer ? [] : [all]),
      ...(field && before ? steps({ repair, fix, field, before }) : []),
      skip,
    ],
    marked: needsAnswer ? skip : undefined,
  };
}

/** Its line in a mapping file; one of several readings of a value in words, with a value that they read differently. */
function ruleAnswer(rule: Rule, fix: ProposedFix, field: Field | undefined): AnswerChoice<RuleAnswer> {
  const { cause, rules, needsAnswer } = fix;
  // Its line and its examples are printed before the question.
  if (!needsAnswer && rule === rules[0]) return { label: 'yes', value: { fix, rule }, option: ['--rule', rule.line] };
  const mapping = field && mappingOf(rule.document, field);
  const isReading = rule.isAmbiguous && cause.kind !== 'missing' && mapping !== undefined;
  const example =
    rule.examples.find(({ before, after }) =>
      rules.some(({ examples }) => examples.some((other) => other.before === before && other.after !== after)),
    ) ?? rule.examples[0];
  const { before = '', after } = isReading && example !== undefined ? example : {};
  return {
    label: printable(isReading ? describeField(mapping) : rule.line, LABEL_LENGTH),
    consequence: {
      why: `repairs ${plural(rule.repaired, 'row')}`,
      before: after === undefined ? undefined : printable(before, VALUE_LENGTH),
      after: after === undefined ? '' : readable(after),
    },
    value: { fix, rule },
    option: ['--rule', rule.line],
    objection: needsAnswer ? objectionTo(fix) : undefined,
  };
}

function objectionTo({ cause }: ProposedFix): string {
  return cause.kind === 'missing' ? 'no column has the value' : 'several readings are possible';
}

function steps(asked: AskedCause): readonly AnswerChoice<RuleAnswer>[] {
  const { fix, field, before } = asked;
  const isMissing = fix.cause.kind === 'missing';
  // The values of a list are rules already.
  const takesConstant = isMissing && field.kind.name !== 'enum' && withConstant(field, before, '') !== undefined;
  const columns = isMissing ? columnAnswers(asked) : [];
  const line = fix.rules[0]?.line ?? renderedLine(field, before);
  const ask = `Which column should fill an empty ${field.name}?`;
  const askConstant = () =>
    textQuestion(`${field.name} for these rows?`, '', (text) =>
      settledBy(asked, withConstant(field, before, text.trim())),
    );
  return [
    ...(columns.length > 0 ? [{ label: 'another column', next: () => ({ message: ask, answers: columns }) }] : []),
    ...(takesConstant ? [{ label: 'one value for these rows', next: askConstant }] : []),
    {
      label: 'write the rule, as in a mapping file',
      next: () =>
        textQuestion('The rule:', line, (text) => {
          const mapping = parseRuleLine(text, 'the rule')[field.name];
          return mapping === undefined ? `Write a rule for ${field.name}.` : settledBy(asked, mapping);
        }),
    },
  ];
}

/** Columns that repair a row, with values that would be sent. */
function columnAnswers({ repair, fix, before }: AskedCause): readonly AnswerChoice<RuleAnswer>[] {
  return inputColumns(repair).flatMap((column) => {
    const mapping = withColumn(before, column);
    const rule = mapping && ruleFor(repair, fix.cause, mapping);
    const values = rule?.examples.map(({ after }) => String(after)) ?? [];
    return rule === undefined ? [] : [{ label: columnLabel(column, values), value: { fix, rule } }];
  });
}

/** Parses one line of the fields of a mapping file. @param name of the line, for messages */
function parseRuleLine(line: string, name: string): MappingDocument['fields'] {
  return parseMapping(`fields:\n  ${line}\n`, name).fields;
}

function textQuestion(
  message: string,
  initial: string,
  read: (text: string) => Settled<RuleAnswer> | string,
): TextQuestion<RuleAnswer> {
  return {
    message,
    initial,
    read(text) {
      try {
        return read(text);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        return printable(error.problems[0]?.message ?? error.message);
      }
    },
  };
}

/** The rule, or why there is none. @throws ProblemError if the mapping is not valid */
function settledBy({ repair, fix }: AskedCause, mapping: FieldMapping | undefined): Settled<RuleAnswer> | string {
  const rule = mapping && ruleFor(repair, fix.cause, mapping);
  return rule === undefined ? NO_EFFECT : { value: { fix, rule } };
}
