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

/** The way back to the question before. Escape takes it, where it is offered. */
export const BACK = 'back';

/** Returns what is wrong with an answer, in a sentence, to prompt again; undefined if the answer is valid. */
export type Check = (answer: string) => string | undefined;

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

export interface TextOptions {
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
  select<const T>(
    message: string,
    choices: readonly Choice<T>[],
    options?: { readonly initial?: T | undefined },
  ): Promise<T>;
}

/** What an answer does to the sampled rows. Texts are printable. */
export interface Consequence {
  /** Which rows it repairs, or makes invalid, with an example. Empty if there is nothing to say. */
  readonly why: string;
  /** A value in the row; empty if it is made of several, undefined if values are sent as they are. */
  readonly before: string | undefined;
  /** What is sent for it; empty without an example. */
  readonly after: string;
}

/** It settles the question by its value, after a further question, or ends all: without a value and a next question. */
export interface AnswerChoice<T> {
  readonly label: string;
  readonly consequence?: Consequence | undefined;
  readonly value?: T;
  /** What is asked on a terminal before the question is settled. `--accept` takes the value. */
  readonly next?: () => Next<T>;
  /** Of an answer that the program proposes: the option that gives it, such as `['--set', 'signal_source=news']`. */
  readonly option?: readonly [name: string, value: string];
  /** Why `--accept` does not take the proposal, as a clause. */
  readonly objection?: string | undefined;
}

export interface Settled<T> {
  readonly value: T;
}

export const STOP = { label: 'stop here' } as const;

export interface ChoiceQuestion<T> {
  /** What is asked. Printable. */
  readonly message: string;
  /** The best first. */
  readonly answers: readonly AnswerChoice<T>[];
  /** The answer that Enter gives. Default: the first. */
  readonly marked?: AnswerChoice<T> | typeof BACK | undefined;
}

/** A question that is answered by typing. An empty answer goes back. */
export interface TextQuestion<T> {
  readonly message: string;
  readonly initial: string;
  /** Returns what is wrong with a text, in a sentence, to prompt again. */
  readonly read: (typed: string) => Settled<T> | string;
}

export type UserQuestion<T> = ChoiceQuestion<T> | TextQuestion<T>;

type Next<T> = UserQuestion<T> | Settled<T>;

/** Asks a question and those that its answers lead to. */
export type Ask = <T>(question: UserQuestion<T>, canGoBack: boolean) => Promise<T | typeof BACK>;

export function createAsk(prompts: Prompts): Ask {
  async function ask<T>(question: UserQuestion<T>, canGoBack: boolean): Promise<T | typeof BACK> {
    if (!('answers' in question)) return type(question);
    const { answers, message, marked } = question;
    for (;;) {
      const choices: readonly Choice<AnswerChoice<T> | typeof BACK>[] = [
        ...answers.map((value) => ({ value, label: answerLabel(value) })),
        ...(canGoBack ? [{ value: BACK, label: BACK } as const] : []),
      ];
      const chosen = await prompts.select(message, choices, { initial: marked });
      if (chosen === BACK) return BACK;
      const { value, next } = chosen;
      if (next === undefined) {
        if (value === undefined) throw new Cancelled();
        return value;
      }
      const settled = await follow(next());
      if (settled !== BACK) return settled;
    }
  }

  async function type<T>({ message, initial, read }: TextQuestion<T>): Promise<T | typeof BACK> {
    const next = (text: string): Settled<T> | string => (text.trim() === '' ? BACK : read(text));
    const typed = await prompts.text(`${message} (empty: back)`, {
      initial,
      check(text) {
        const found = next(text);
        return typeof found === 'string' && found !== BACK ? found : undefined;
      },
      escapes: true,
    });
    const found = next(typed);
    return typeof found === 'string' ? BACK : found.value;
  }

  async function follow<T>(next: Next<T>): Promise<T | typeof BACK> {
    return 'value' in next ? next.value : ask(next, true);
  }

  return ask;
}

/** Questions of which each answer decides what is asked next. */
export interface Conversation<S extends object, A, Q extends UserQuestion<A>> {
  readonly start: S;
  /** What is open, or settled without a question. Undefined at the end. */
  readonly next: (state: S) => Q | Settled<A> | undefined;
  readonly apply: (state: S, answer: A) => S;
  readonly ask: (question: Q, canGoBack: boolean, state: S) => Promise<A | typeof BACK>;
  /** Whether there is a question before the first one. */
  readonly canGoBack: boolean;
}

/** To go back is to return to the last state in which something was asked. */
export async function converse<S extends object, A, Q extends UserQuestion<A> = UserQuestion<A>>(
  about: Conversation<S, A, Q>,
): Promise<S | typeof BACK> {
  const asked: S[] = [];
  for (let state = about.start; ; ) {
    const next = about.next(state);
    if (next === undefined) return state;
    const answer = 'value' in next ? next.value : await about.ask(next, about.canGoBack || asked.length > 0, state);
    if (answer === BACK) {
      const before = asked.pop();
      if (before === undefined) return BACK;
      state = before;
    } else {
      if (!('value' in next)) asked.push(state);
      state = about.apply(state, answer);
    }
  }
}

/** What `--accept` takes: the first proposal, if nothing objects to it; otherwise the objection. */
export function acceptable<T>({ answers }: ChoiceQuestion<T>): { readonly value: T } | { readonly objection: string } {
  const first = answers.find(({ option }) => option !== undefined);
  if (first?.value === undefined) return { objection: 'there is no proposal' };
  return first.objection === undefined ? { value: first.value } : { objection: first.objection };
}

/** Each proposal, and below it the words that give it. */
export function answerLines<T>(
  { answers }: ChoiceQuestion<T>,
  wordsOf: (option: NonNullable<AnswerChoice<T>['option']>) => string,
): readonly string[] {
  return answers.flatMap((answer) =>
    answer.option === undefined ? [] : [answerLabel(answer), `  ${wordsOf(answer.option)}`],
  );
}

/** `the date in "Announced", day first: 03/04/2026 -> 3 April 2026 (cannot use 3 of 100 values, such as "Q3")`. */
export function answerLabel({ label, consequence }: AnswerChoice<unknown>): string {
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
