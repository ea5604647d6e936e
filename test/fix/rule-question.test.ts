import { describe, expect, it } from 'vitest';
import { ruleQuestion } from '../../src/fix/decide-rules.ts';
import type { FieldMapping } from '../../src/map/index.ts';
import { createAsk } from '../../src/questions/question.ts';
import { proposerOf } from '../support/fix-proposer.ts';
import { scripted } from '../support/scripted-prompts.ts';

const COLUMNS = ['Company', 'Site', 'Title', 'Kind', 'Account', 'Empty'];

/** Asks about the first cause of one row. */
function ask(cells: readonly string[], fields: Readonly<Record<string, FieldMapping>>, ...answers: readonly string[]) {
  const proposer = proposerOf(COLUMNS, [cells], fields);
  const fix = proposer.next();
  if (fix === undefined) throw new Error('there is no cause');
  const script = scripted(...answers);
  const answer = createAsk(script.prompts)(ruleQuestion(proposer, fix), true);
  return { script, answer: answer.then((given) => (given === 'back' ? given : (given.rule ?? 'skip'))) };
}

const noTitle = ['Acme', 'acme.example', '', 'news', 'Acme Ltd', ''];

describe('the question about a cause', () => {
  it('offers other columns that have values, with examples, and goes back from each step', async () => {
    const steps = ['another column', 'back', 'one value', '', 'write the rule', '', 'another column', 'Account'];
    const { script, answer } = ask(noTitle, {}, ...steps);
    expect(await answer).toMatchObject({ line: 'signal_title: { first: [ Title, Account ] }', valid: 1 });
    const columns = script.asked.find(({ message }) => message.startsWith('Which column is signal_title'))?.labels;
    expect(columns).toContain('Account   Acme Ltd');
    expect(columns?.filter((label) => /^(?:Title|Empty)\b/.test(label))).toEqual([]);
  });

  it('asks for a rule again in one sentence, beside the text that was typed', async () => {
    const typed = [
      'signal_title: { column: "Title" x',
      'signal_title: Nowhere',
      'signal_title: Empty',
      'company_name: Title',
    ];
    const { script, answer } = ask(noTitle, {}, 'write', ...typed, 'signal_title: Account');
    expect(await answer).toMatchObject({ line: 'signal_title: Account' });
    const [, , ...problems] = script.asked.map(({ message }) => message);
    expect(problems).toHaveLength(typed.length);
    expect(problems.filter((message) => message.includes('\\n'))).toEqual([]);
    expect(problems.slice(2)).toEqual(['That repairs none of these rows.', 'Write a rule for signal_title.']);
  });

  it('shows the readings of a date in words and chooses none of them on Enter', async () => {
    const cells = ['Acme', 'acme.example', 'Hires', 'news', '05/11/2026', ''];
    const { script, answer } = ask(cells, { detected_at: { column: 'Account' } }, 'the date in "Account", day first');
    expect(await answer).toMatchObject({ line: expect.stringContaining('d/M/yyyy') });
    expect(script.asked[0]).toMatchObject({
      labels: [
        'the date in "Account", month first: 05/11/2026 -> 11 May 2026 (repairs 1 row)',
        'the date in "Account", day first: 05/11/2026 -> 5 November 2026 (repairs 1 row)',
        'write the rule, as in a mapping file',
        'skip: leave these rows',
        'back',
      ],
      initial: 'skip: leave these rows',
    });
  });
});
