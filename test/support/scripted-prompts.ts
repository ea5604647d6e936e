/** A user at prompts who gives prepared answers. */
import type { Prompts } from '../../src/questions/question.ts';

export interface Script {
  readonly prompts: Prompts;
  /** The questions so far, with their choices. */
  readonly asked: {
    readonly message: string;
    readonly labels: readonly string[];
    readonly initial?: string | undefined;
  }[];
  /** Answers that were not used. */
  readonly left: string[];
}

/** @param answers typed texts, and beginnings of the labels of choices */
export function scripted(...answers: readonly string[]): Script {
  const left = [...answers];
  const asked: Script['asked'] = [];
  const next = (message: string): string => {
    const answer = left.shift();
    if (answer === undefined) throw new Error(`no answer is prepared for: ${message}`);
    return answer;
  };
  return {
    asked,
    left,
    prompts: {
      askHidden: async (message) => next(message),
      confirm: async (message) => next(message) === 'yes',
      async text(message, { initial, check } = {}) {
        asked.push({ message, labels: [], initial });
        for (;;) {
          const answer = next(message);
          const problem = check?.(answer);
          if (problem === undefined) return answer;
          asked.push({ message: problem, labels: [] });
        }
      },
      async select(message, choices, { initial } = {}) {
        const labels = choices.map(({ label }) => label);
        asked.push({ message, labels, initial: choices.find(({ value }) => value === initial)?.label });
        const wanted = next(message);
        const choice = choices.find(({ label }) => label.startsWith(wanted));
        if (choice === undefined) throw new Error(`"${wanted}" begins none of: ${labels.join(' | ')}`);
        return choice.value;
      },
    },
  };
}
