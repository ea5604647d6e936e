/** Which rules are used: one decision for each cause, given by `--rule`, accepted without a user, or asked. */
import type { Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import { describeField, type FieldMapping, type MappingDocument, parseMapping } from '../map/index.ts';
import { ProblemError, problemsOf } from '../model/problem.ts';
import { readable } from '../questions/field-examples.ts';
import {
  type AnswerChoice,
  type Ask,
  acceptable,
  answerLines,
  BACK,
  Cancelled,
  type ChoiceQuestion,
  converse,
} from '../questions/question.ts';
import type { Style } from '../report/text-layout.ts';
import { describeFixCause, ruleLines } from './fix-text.ts';
import {
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
import type { RowsToFix } from './rows-to-fix.ts';

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
  readonly ask?: Ask | undefined;
  readonly style: Style;
  readonly command: (line: string) => string;
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

/** One question for each cause. @throws Cancelled if the user stops */
export async function decideRules(session: RuleSession): Promise<RuleDecisions> {
  const { names, print, given, ask, style } = session;
  const decided = await converse<RuleDecisions, RuleAnswer, RuleQuestion>({
    start: { repair: session.repair, accepted: [], open: [] },
    next({ repair }) {
      const fix = nextFix(repair);
      if (fix === undefined) return undefined;
      const { cause, rules, needsAnswer } = fix;
      print(`\n${describeFixCause(cause, names)}`);
      const mapping = given.findLast(({ field }) => field.name === cause.field)?.mapping;
      const rule = mapping && ruleFor(repair, cause, mapping);
      const isReading = needsAnswer && cause.kind !== 'missing';
      const shown = rule !== undefined ? [rule] : isReading ? rules : needsAnswer ? [] : rules.slice(0, 1);
      for (const line of shown.flatMap((each) => ruleLines(each, cause.rows, names, style))) print(line);
      return rule === undefined ? ruleQuestion(repair, fix) : { value: { fix, rule } };
    },
    apply({ repair, accepted, open }, { fix, rule, isOpen }) {
      return rule === undefined
        ? { repair: withoutRule(repair, fix, isOpen), accepted, open: [...open, fix] }
        : { repair: withRule(repair, rule), accepted: [...accepted, { fix, rule }], open };
    },
    ask: async (question, canGoBack) => (ask === undefined ? acceptRule(session, question) : ask(question, canGoBack)),
    canGoBack: false,
  });
  if (decided === BACK) throw new Cancelled();
  return decided;
}

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

const RULES_SHOWN = 15;
const LABEL_LENGTH = 100;
const VALUE_LENGTH = 40;

/** Without a rule, the rows of the cause are left. */
export interface RuleAnswer {
  readonly fix: ProposedFix;
  readonly rule: Rule | undefined;
  /** Whether the user can still choose a rule, with another command. */
  readonly isOpen?: boolean;
}

interface RuleQuestion extends ChoiceQuestion<RuleAnswer> {
  readonly fix: ProposedFix;
}

/** Enter chooses nothing that only the user knows. */
export function ruleQuestion(repair: Repair, fix: ProposedFix): RuleQuestion {
  const { cause, rules, needsAnswer } = fix;
  const field = repair.rejects.contract.field(cause.field ?? '');
  const before = field && mappingOf(repair.document, field);
  const line = rules[0]?.line ?? (field && before && renderedLine(field, before));
  const skip = { label: 'skip: leave these rows', value: { fix, rule: undefined } };
  return {
    fix,
    message: needsAnswer ? 'How should these rows be repaired?' : 'Use this rule?',
    answers: [
      ...rules.slice(0, RULES_SHOWN).map((rule) => ruleAnswer(rule, fix, field)),
      ...(field && line ? [writtenRule(repair, fix, field, line)] : []),
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

function writtenRule(repair: Repair, fix: ProposedFix, field: Field, initial: string): AnswerChoice<RuleAnswer> {
  const read = (text: string) => {
    try {
      const mapping = parseRuleLine(text, 'the rule')[field.name];
      const rule = mapping && ruleFor(repair, fix.cause, mapping);
      return rule === undefined
        ? `That repairs none of these rows: write a rule for ${field.name}.`
        : { value: { fix, rule } };
    } catch (error) {
      return printable(problemsOf(error)[0]?.message ?? '');
    }
  };
  return {
    label: 'write the rule, as in a mapping file',
    next: () => ({ message: 'The rule:', initial, read }),
  };
}

/** Parses one line of the fields of a mapping file. @param name of the line, for messages */
function parseRuleLine(line: string, name: string): MappingDocument['fields'] {
  return parseMapping(`fields:\n  ${line}\n`, name).fields;
}
