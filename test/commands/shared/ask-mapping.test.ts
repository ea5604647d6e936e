import { describe, expect, it } from 'vitest';
import { askQuestions } from '../../../src/commands/shared/ask-mapping.ts';
import { contracts } from '../../../src/contract/index.ts';
import type { Prompts } from '../../../src/terminal/prompts.ts';

/** Answers in order; select answers by the label. */
function prompts(...answers: readonly string[]): { prompts: Prompts; asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const next = (message: string): string => {
    asked.push(message);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nothing to answer to: ${message}`);
    return answer;
  };
  return {
    asked,
    prompts: {
      askHidden: async (message) => next(message),
      confirm: async (message) => next(message) === 'yes',
      text: async (message) => next(message),
      select: async (message, choices) => {
        const label = next(message);
        const choice = choices.find((each) => each.label === label);
        if (choice === undefined) throw new Error(`${label} is none of ${choices.map((each) => each.label).join()}`);
        return choice.value;
      },
    },
  };
}

const about = {
  contract: contracts.signals,
  open: ['signal_title', 'signal_source'],
  columns: ['Company', 'What', 'A', 'B'],
  questions: [
    {
      field: 'signal_source',
      why: 'no column contains it',
      options: [{ field: 'signal_source', mapping: { value: 'news' }, columns: [], confidence: 0.6, reason: 'news' }],
    },
    {
      field: 'funding_amount',
      why: '"A" and "B" both fit',
      options: ['A', 'B'].map((column) => ({
        field: 'funding_amount',
        mapping: { column },
        columns: [column],
        confidence: 0.9,
        reason: 'amounts',
      })),
    },
  ],
} as const;

describe('questions about a mapping', () => {
  it('ask for what is required first, offer the proposals, and take another column or a value', async () => {
    const one = prompts('another column', 'What', '{ value: news }', 'B');
    expect(await askQuestions(one.prompts, about)).toEqual({
      signal_title: { column: 'What' },
      signal_source: { value: 'news' },
      funding_amount: { column: 'B' },
    });
    expect(one.asked[0]).toBe('signal_title (required): no candidate. What happened, in a few words.');
    const other = prompts('nothing: stop here', 'one value for every row', 'web_visit', 'nothing: leave the field out');
    expect(await askQuestions(other.prompts, about)).toEqual({ signal_source: { value: 'web_visit' } });
  });
});
