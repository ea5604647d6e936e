/** Which rules are used: one decision for each cause, given by `--rule`, accepted without a user, or asked. */
import type { Field } from '../contract/index.ts';
import { plural } from '../lib/units.ts';
import type { FieldMapping } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import { type Ask, acceptable, answerLines, BACK, Cancelled } from '../questions/question.ts';
import type { Style } from '../report/text-layout.ts';
import type { FixProposer } from './fix-proposer.ts';
import { describeFixCause, ruleLines } from './fix-text.ts';
import type { ProposedFix, Rule } from './rule.ts';
import { parseRuleLine, type RuleAnswer, ruleQuestion } from './rule-question.ts';

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
  print(
    `  Needs your answer: ${isReading ? accepted.objection : 'no column has the value'}.${lines.length === 0 ? '' : ' To save one of them:'}`,
  );
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
