/** The question of `signals fix` about one cause. */
import { printable } from '../../lib/printable.ts';
import { plural } from '../../lib/units.ts';
import { withColumn, withConstant } from '../../map/fix/missing-fixes.ts';
import type { FieldMapping } from '../../map/index.ts';
import { ProblemError } from '../../model/problem.ts';
import type { FixProposer } from '../../plan/fix/fix-proposer.ts';
import type { ProposedFix, Rule } from '../../plan/fix/rule.ts';
import type { Prompts } from '../../terminal/prompts.ts';

/** Rules that are offered. */
const RULES_SHOWN = 10;
const LABEL_LENGTH = 100;

type HowToWrite = 'column' | 'constant' | 'edit';

/** Asks until the answer is a rule that repairs rows. `all`: the first rule, and all further ones that need no answer. */
export async function askRule(
  prompts: Prompts,
  proposer: FixProposer,
  fix: ProposedFix,
): Promise<Rule | 'all' | 'skip'> {
  const { cause, rules, needsAnswer } = fix;
  const isMissing = cause.kind === 'missing';
  let message = needsAnswer ? 'Which rule is right?' : 'Use this rule?';
  for (;;) {
    const answer = await prompts.select<Rule | 'all' | 'skip' | HowToWrite>(message, [
      ...rules.slice(0, RULES_SHOWN).map((rule) => ({
        value: rule,
        label: printable(rule.line, LABEL_LENGTH),
        hint: `repairs ${plural(rule.repaired, 'row')}`,
      })),
      ...(needsAnswer ? [] : [{ value: 'all' as const, label: 'accept this and all further rules' }]),
      ...(isMissing ? [{ value: 'column' as const, label: 'another column' }] : []),
      ...(isMissing ? [{ value: 'constant' as const, label: 'one value for these rows' }] : []),
      ...(cause.field === undefined ? [] : [{ value: 'edit' as const, label: 'write the rule, as in a mapping file' }]),
      { value: 'skip', label: 'skip: leave these rows' },
    ]);
    if (typeof answer === 'object' || answer === 'all' || answer === 'skip') return answer;
    try {
      const mapping = await askMapping(prompts, proposer, fix, answer);
      const rule = typeof mapping === 'string' ? undefined : proposer.ruleFor(cause, mapping);
      if (rule !== undefined) return rule;
      message = typeof mapping === 'string' ? mapping : 'That repairs none of these rows.';
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      message = printable(error.message);
    }
    message += ' Choose again:';
  }
}

/** A mapping for the cause's field, or what is wrong with the answer. @throws ProblemError if a typed rule is not valid */
async function askMapping(
  prompts: Prompts,
  proposer: FixProposer,
  { cause, rules }: ProposedFix,
  how: HowToWrite,
): Promise<FieldMapping | string> {
  const field = proposer.rejects.contract.field(cause.field ?? '');
  const before = field && proposer.mappingOf(field);
  if (field === undefined || before === undefined) return 'The field is not mapped.';
  if (how === 'column') {
    const columns = proposer.columns.map((name) => ({ value: name, label: printable(name) }));
    const [fix] = withColumn(
      before,
      await prompts.select(`Which column is ${field.name}, where it is empty?`, columns),
    );
    return fix?.mapping ?? 'A column cannot be added to this field.';
  }
  if (how === 'constant') {
    const values = field.kind.name === 'enum' ? (field.kind.values ?? []) : [];
    const message = `${field.name} for these rows?`;
    const value =
      values.length > 0
        ? await prompts.select(
            message,
            values.map((each) => ({ value: each, label: each })),
          )
        : await prompts.text(message, { check: (text) => (text.trim() === '' ? 'Enter a value.' : undefined) });
    const [fix] = withConstant(field, before, value.trim());
    return fix?.mapping ?? 'A constant cannot be added to this field.';
  }
  const given = rules[0]?.line ?? proposer.lineOf(field);
  const typed = await prompts.text('The rule:', { initial: given });
  const { parseMapping } = await import('../../map/parse-document.ts');
  const { fields } = parseMapping(`fields:\n  ${typed}\n`, 'the rule');
  return fields[field.name] ?? `Write a rule for ${field.name}.`;
}
