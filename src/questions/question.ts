/**
 * A question as a value: what is asked, and its answers, each with its consequence for the sampled rows. Three renderers:
 * `createAsk` on a terminal, `acceptable` for `--accept`, and `answerLines` for commands that continue without a terminal.
 */

/** Thrown when the user answers with Ctrl-C, Ctrl-D or "stop here", or the terminal closes. */
export class Cancelled extends Error {
  constructor() {
    super('Cancelled at a prompt.');
    this.name = 'Cancelled';
  }
}

/** The way back to the question before. Escape takes it, where it is offered; every search finds it. */
export const BACK = 'back';

/** Returns what is wrong with an answer, in a sentence, to prompt again; undefined if the answer is valid. */
export type Check = (answer: string) => string | undefined;

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** Shown while the choice is marked. */
  readonly hint?: string;
}

export interface TextOptions {
  /** Selected by an empty answer. */
  readonly default?: string | undefined;
  /** Text to edit. */
  readonly initial?: string | undefined;
  readonly check?: Check;
  /** Whether Escape is an empty answer. */
  readonly escapes?: boolean;
}

/** What asks a user. Each rejects with {@link Cancelled} if the user stops. */
export interface Prompts {
  /** For a key. The answer is shown as dots. */
  askHidden(message: string, check?: Check): Promise<string>;
  confirm(message: string, options?: { readonly initial?: boolean }): Promise<boolean>;
  text(message: string, options?: TextOptions): Promise<string>;
  /** A long list can be searched by typing. */
  select<const T>(
    message: string,
    choices: readonly Choice<T>[],
    options?: { readonly initial?: T | undefined },
  ): Promise<T>;
}

/** What an answer does to the sampled rows. Texts are printable. */
export interface Consequence {
  /** Rows that it is about. */
  readonly rows: number;
  /** Rows of these that are then invalid. */
  readonly invalid: number;
  /** Why, with an example. Empty if none is. */
  readonly why: string;
  /** A value in the row; empty if it is made of several, undefined if values are sent as they are. */
  readonly before: string | undefined;
  /** What is sent for it; empty without an example. */
  readonly after: string;
}

/** An answer that the program proposes. */
export interface Proposed<T> {
  /** What `--accept` takes, without further questions. */
  readonly value: T;
  readonly consequence?: Consequence | undefined;
  /** The option that gives the answer: `['--set', 'signal_source=news']`. */
  readonly option: readonly [name: string, value: string];
  /** Why `--accept` does not take it, as a clause. */
  readonly objection: string | undefined;
}

interface AnswerText<T> {
  /** Printable. */
  readonly label: string;
  /** Absent for an answer that only the user can give. */
  readonly proposed?: Proposed<T> | undefined;
}

/** An answer settles the question, leads to another one, or ends all. */
export type AnswerChoice<T> = AnswerText<T> &
  (Settled<T> | { readonly next: () => UserQuestion<T> | Settled<T> } | { readonly stop: true });

export interface Settled<T> {
  readonly value: T;
}

export const STOP = { label: 'stop here', stop: true } as const;

/** A question with a list of answers. */
export interface ChoiceQuestion<T> {
  /** What is asked. Printable. */
  readonly message: string;
  /** The best first. */
  readonly answers: readonly AnswerChoice<T>[];
  /** The answer that Enter gives. Default: the first. */
  readonly marked?: AnswerChoice<T> | typeof BACK | undefined;
  /** The words of the way back. */
  readonly back?: string | undefined;
}

/** A question that is answered by typing. An empty answer goes back. */
export interface TextQuestion<T> {
  readonly message: string;
  /** Text to edit. */
  readonly initial: string;
  readonly check: Check;
  readonly answer: (typed: string) => UserQuestion<T> | Settled<T>;
}

export type UserQuestion<T> = ChoiceQuestion<T> | TextQuestion<T>;

/** Asks a question and those that its answers lead to. */
export type Ask = <T>(question: UserQuestion<T>, canGoBack: boolean) => Promise<T | typeof BACK>;

/** Each step can go back to the one before, without losing what was typed. */
export function createAsk(prompts: Prompts): Ask {
  const drafts = new Map<string, string>();

  async function ask<T>(question: UserQuestion<T>, canGoBack: boolean): Promise<T | typeof BACK> {
    if (!('answers' in question)) return type(question);
    let { marked } = question;
    for (;;) {
      const { answers, message, back = BACK } = question;
      const choices: readonly Choice<AnswerChoice<T> | typeof BACK>[] = [
        ...answers.map((value) => ({ value, label: answerLabel(value) })),
        ...(canGoBack ? [{ value: BACK, label: back } as const] : []),
      ];
      const chosen = await prompts.select(message, choices, { initial: marked });
      if (chosen === BACK) return BACK;
      if ('stop' in chosen) throw new Cancelled();
      if ('value' in chosen) return chosen.value;
      const settled = await follow(chosen.next());
      if (settled !== BACK) return settled;
      marked = chosen;
    }
  }

  async function type<T>({ message, initial, check, answer }: TextQuestion<T>): Promise<T | typeof BACK> {
    for (;;) {
      const typed = await prompts.text(`${message} (empty: back)`, {
        initial: drafts.get(message) ?? initial,
        check: (text) => (text.trim() === '' ? undefined : check(text)),
        escapes: true,
      });
      if (typed.trim() === '') return BACK;
      drafts.set(message, typed);
      const settled = await follow(answer(typed));
      if (settled !== BACK) return settled;
    }
  }

  async function follow<T>(next: UserQuestion<T> | Settled<T>): Promise<T | typeof BACK> {
    return 'value' in next ? next.value : ask(next, true);
  }

  return ask;
}

/** Marks the equal answer. */
export function markedAnswer<T>(
  answers: readonly AnswerChoice<T>[],
  isMarked: (value: T) => boolean,
): AnswerChoice<T> | undefined {
  return answers.find((answer) => 'value' in answer && isMarked(answer.value));
}

/** What `--accept` takes: the first proposal, if nothing objects to it; otherwise the objection. */
export function acceptable<T>({ answers }: ChoiceQuestion<T>): Settled<T> | { readonly objection: string } {
  const [first] = answers.flatMap(({ proposed }) => proposed ?? []);
  if (first === undefined) return { objection: 'there is no proposal' };
  const { value, objection } = first;
  return objection === undefined ? { value } : { objection };
}

/** Each proposal, and below it the words that give it. */
export function answerLines<T>(
  { answers }: ChoiceQuestion<T>,
  wordsOf: (option: Proposed<T>['option']) => string,
): readonly string[] {
  return answers.flatMap((answer) =>
    answer.proposed === undefined ? [] : [answerLabel(answer), `  ${wordsOf(answer.proposed.option)}`],
  );
}

/** `the date in "Announced", day first: 03/04/2026 -> 3 April 2026 (3 of 100 values do not fit, such as "Q3")`. */
export function answerLabel<T>({ label, proposed }: AnswerChoice<T>): string {
  const { consequence } = proposed ?? {};
  if (consequence === undefined) return label;
  const { before, after, why } = consequence;
  const change =
    before === undefined || before === after
      ? `: ${after}`
      : before === ''
        ? ` -> ${after}`
        : `: ${before} -> ${after}`;
  return `${label}${after === '' ? '' : change}${why === '' ? '' : ` (${why})`}`;
}
