/** The question of `signals fix` about one cause. */
import type { Field } from '../../contract/index.ts';
import { printable } from '../../lib/printable.ts';
import { plural } from '../../lib/units.ts';
import type { FieldFix } from '../../map/fix/field-fix.ts';
import { withColumn, withConstant } from '../../map/fix/missing-fixes.ts';
import { describeField, type FieldMapping, type MappingDocument } from '../../map/index.ts';
import { ProblemError } from '../../model/problem.ts';
import type { FixProposer } from '../../plan/fix/fix-proposer.ts';
import { mappingOf, type ProposedFix, type Rule } from '../../plan/fix/rule.ts';
import { columnLabel, readable } from '../../questions/field-examples.ts';
import { BACK, type Prompts } from '../../questions/question.ts';
import type { RuleExample } from '../../report/fix-text.ts';

/** Rules that are offered. */
const RULES_SHOWN = 10;
const LABEL_LENGTH = 100;
const VALUE_LENGTH = 40;

const NO_EFFECT = 'That repairs none of these rows.';

/** How the user says what the rule is. Undefined: the user goes back. */
const STEPS = { column: askColumn, constant: askConstant, edit: askLine };

type Step = keyof typeof STEPS;

/** A cause with its field, and the field's mapping so far. */
interface AskedField {
  readonly prompts: Prompts;
  readonly proposer: FixProposer;
  readonly fix: ProposedFix;
  readonly field: Field;
  readonly before: FieldMapping;
}

/** The answer about one cause. `all`: the first rule, and all further ones that need no answer. */
export type RuleAnswer = Rule | 'all' | 'skip' | typeof BACK;

/** Asks until the answer is a rule that repairs rows. Enter chooses no reading of ambiguous values. */
export async function askRule(
  prompts: Prompts,
  proposer: FixProposer,
  fix: ProposedFix,
  canGoBack: boolean,
): Promise<RuleAnswer> {
  const { cause, rules, needsAnswer } = fix;
  const field = proposer.rejects.contract.field(cause.field ?? '');
  const before = field && proposer.mappingOf(field);
  const asked = field && before && { prompts, proposer, fix, field, before };
  for (;;) {
    const answer = await prompts.select<RuleAnswer | Step>(
      needsAnswer ? 'Which rule is right?' : 'Use this rule?',
      [
        ...rules.slice(0, RULES_SHOWN).map((rule) => ({ value: rule, label: ruleLabel(rule, fix, field) })),
        ...(needsAnswer ? [] : [{ value: 'all' as const, label: 'accept this and all further rules' }]),
        ...(asked === undefined ? [] : stepChoices(asked)),
        { value: 'skip', label: 'skip: leave these rows' },
        ...(canGoBack ? [{ value: BACK, label: 'back' } as const] : []),
      ],
      { initial: needsAnswer && rules.length > 0 ? 'skip' : undefined },
    );
    if (typeof answer === 'object' || answer === 'all' || answer === 'skip' || answer === BACK) return answer;
    const rule = asked && (await STEPS[answer](asked));
    if (rule !== undefined) return rule;
  }
}

/** Its line in a mapping file; one of several readings of a value in words: `03/04/2026 -> 3 April 2026: … day first`. */
function ruleLabel(rule: Rule, { rules }: ProposedFix, field: Field | undefined): string {
  const repairs = `(repairs ${plural(rule.repaired, 'row')})`;
  const mapping = field && mappingOf(rule.document, field);
  if (!rule.isAmbiguous || mapping === undefined) return `${printable(rule.line, LABEL_LENGTH)} ${repairs}`;
  const differs = ({ before, after }: RuleExample): boolean =>
    rules.some(({ examples }) => examples.some((other) => other.before === before && other.after !== after));
  const { before, after } = rule.examples.find(differs) ?? rule.examples[0] ?? {};
  const example = after === undefined ? '' : `${printable(before ?? '', VALUE_LENGTH)} -> ${readable(after)}: `;
  return `${example}${printable(describeField(mapping), LABEL_LENGTH)} ${repairs}`;
}

/** The steps that can lead to a rule. */
function stepChoices(asked: AskedField): readonly { readonly value: Step; readonly label: string }[] {
  const { fix, field, before } = asked;
  const isMissing = fix.cause.kind === 'missing';
  const takesConstant = isMissing && withConstant(field, before, '').length > 0;
  return [
    ...(isMissing && columnsFor(asked).length > 0 ? [{ value: 'column' as const, label: 'another column' }] : []),
    ...(takesConstant ? [{ value: 'constant' as const, label: 'one value for these rows' }] : []),
    { value: 'edit', label: 'write the rule, as in a mapping file' },
  ];
}

/** Columns that have values in these rows. */
function columnsFor({ proposer, fix: { cause }, before }: AskedField) {
  return proposer.columns.flatMap((column) => {
    const [added] = withColumn(before, column);
    const values = added === undefined ? [] : proposer.valuesOf(column, cause);
    return added === undefined || values.length === 0 ? [] : [{ value: added, label: columnLabel(column, values) }];
  });
}

async function askColumn(asked: AskedField): Promise<Rule | undefined> {
  const choices = [...columnsFor(asked), { value: BACK, label: 'back' } as const];
  let message = `Which column is ${asked.field.name}, where it is empty?`;
  for (;;) {
    const answer = await asked.prompts.select<FieldFix | typeof BACK>(message, choices);
    if (answer === BACK) return undefined;
    const rule = ruleOf(asked, answer.mapping);
    if (typeof rule === 'object') return rule;
    message = `${rule} Choose again:`;
  }
}

async function askConstant(asked: AskedField): Promise<Rule | undefined> {
  const { prompts, field, before } = asked;
  const message = `${field.name} for these rows?`;
  const ruleFor = (value: string): Rule | string =>
    ruleOf(asked, withConstant(field, before, value.trim())[0]?.mapping);
  if (field.kind.name !== 'enum') return askRuleText(asked, message, '', ruleFor);
  const values = (field.kind.values ?? []).map((value) => ({ value, label: value }));
  const value = await prompts.select(message, [...values, { value: BACK, label: 'back' }]);
  const rule = value === BACK ? undefined : ruleFor(value);
  return typeof rule === 'object' ? rule : undefined;
}

/** Parses one line of the fields of a mapping file. @param name of the line, for messages */
export async function ruleParser(name: string): Promise<(line: string) => MappingDocument['fields']> {
  const { parseMapping } = await import('../../map/parse-document.ts');
  return (line) => parseMapping(`fields:\n  ${line}\n`, name).fields;
}

async function askLine(asked: AskedField): Promise<Rule | undefined> {
  const { proposer, fix, field } = asked;
  const parse = await ruleParser('the rule');
  return askRuleText(asked, 'The rule:', fix.rules[0]?.line ?? proposer.lineOf(field), (line) => {
    const mapping = parse(line)[field.name];
    return mapping === undefined ? `Write a rule for ${field.name}.` : ruleOf(asked, mapping);
  });
}

/** Asks for a text until it leads to a rule. Undefined: the user goes back. */
async function askRuleText(
  { prompts }: AskedField,
  message: string,
  initial: string,
  ruleFor: (text: string) => Rule | string,
): Promise<Rule | undefined> {
  const rules: Rule[] = [];
  const check = (text: string): string | undefined => {
    if (text.trim() === '') return undefined;
    try {
      const rule = ruleFor(text);
      if (typeof rule === 'string') return rule;
      rules.push(rule);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return printable(error.problems[0]?.message ?? error.message);
    }
  };
  const typed = await prompts.text(`${message} (empty: back)`, { initial, check });
  return typed.trim() === '' ? undefined : rules.at(-1);
}

/** The rule, or why there is none. @throws ProblemError if the mapping is not valid */
function ruleOf({ proposer, fix }: AskedField, mapping: FieldMapping | undefined): Rule | string {
  return (mapping && proposer.ruleFor(fix.cause, mapping)) ?? NO_EFFECT;
}
