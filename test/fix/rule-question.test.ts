import { describe, expect, it } from 'vitest';
import { decideRules, ruleQuestion } from '../../src/fix/decide-rules.ts';
import { nextFix } from '../../src/fix/propose-fix.ts';
import type { FieldMapping } from '../../src/map/index.ts';
import { createAsk } from '../../src/questions/question.ts';
import { plain } from '../../src/report/text-layout.ts';
import { repairOf } from '../support/repairs.ts';
import { scripted } from '../support/scripted-prompts.ts';

const COLUMNS = ['Company', 'Site', 'Title', 'Kind', 'Account', 'Empty'];

/** Asks about the first cause of one row. */
function ask(cells: readonly string[], fields: Readonly<Record<string, FieldMapping>>, ...answers: readonly string[]) {
  const repair = repairOf(COLUMNS, [cells], fields);
  const fix = nextFix(repair);
  if (fix === undefined) throw new Error('there is no cause');
  const script = scripted(...answers);
  const answer = createAsk(script.prompts)(ruleQuestion(repair, fix), true);
  return { script, answer: answer.then((given) => (given === 'back' ? given : (given.rule ?? 'skip'))) };
}

const noTitle = ['Acme', 'acme.example', '', 'news', 'Acme Ltd', ''];

describe('the question about a cause', () => {
  it('offers no column and no constant without a sign of one, and goes back from the rule that is written', async () => {
    const { script, answer } = ask(noTitle, {}, 'write the rule', '', 'skip');
    expect(await answer).toBe('skip');
    expect(script.asked[0]?.initial).toBe('skip: leave these rows');
    const asDomain = { company_domain: { column: 'Site', as: 'domain' } } as const;
    const other = ask(['Acme', '', 'Hires', 'news', 'Acme Ltd', 'none'], asDomain, 'skip');
    expect(await other.answer).toBe('skip');
    expect(other.script.asked[0]?.labels).toEqual([
      'write the rule, as in a mapping file',
      'skip: leave these rows',
      'back',
    ]);
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
    expect(new Set(problems.slice(2))).toEqual(
      new Set(['That repairs none of these rows: write a rule for signal_title.']),
    );
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

describe('the decisions about causes', () => {
  const rows = [
    ['Acme', 'acme.example', 'Hires', 'Presse', '', ''],
    ['Beta', 'beta.example', 'Hires', 'news', 'high', ''],
  ];

  async function decide(...answers: readonly string[]) {
    const { asked, prompts } = scripted(...answers);
    const repair = repairOf(COLUMNS, rows, { hotness_score: { column: 'Account' } });
    const session = { repair, names: ['in.csv'], print: () => undefined, given: [], command: (line: string) => line };
    const decided = await decideRules({ ...session, ask: createAsk(prompts), style: plain });
    return { asked: asked.map(({ labels }) => labels[0]), decided };
  }

  it('go back to the question before, which is then the same, and forget its answer', async () => {
    const { asked, decided } = await decide('yes', 'back', 'skip', 'yes');
    expect(asked).toEqual(['yes', 'yes', 'yes', 'yes']);
    expect(decided.accepted.map(({ rule }) => rule.line)).toEqual([expect.stringMatching(/^hotness_score/)]);
    expect(decided.open.map(({ cause }) => cause.field)).toEqual(['signal_source']);
  });
});
