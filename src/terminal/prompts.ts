/**
 * Prompts on a terminal. The only module that imports @clack/prompts, on the first prompt. Prompts are drawn on stderr,
 * because stdout may be a pipe, and require `streams.interactive`. Texts from a file must go through printable() first.
 */
import { Writable } from 'node:stream';
import type { Output, Streams } from './streams.ts';

/** Thrown when the user answers with Ctrl-C, Ctrl-D or Escape, or the terminal closes. */
export class Cancelled extends Error {
  constructor() {
    super('Cancelled at a prompt.');
    this.name = 'Cancelled';
  }
}

/** Returns what is wrong with an answer, in a sentence, to prompt again; undefined if the answer is valid. */
export type Check = (answer: string) => string | undefined;

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** Shown while the choice is marked. */
  readonly hint?: string;
}

/** The choice that every search finds. */
export const BACK = 'back';

export interface TextOptions {
  /** Selected by an empty answer. */
  readonly default?: string | undefined;
  /** Text to edit. */
  readonly initial?: string | undefined;
  readonly check?: Check;
}

/** From this many choices on, a list can be searched. */
const SEARCHED = 16;

export type Prompts = ReturnType<typeof createPrompts>;

/** @param signal cancels an open prompt */
export function createPrompts({ streams, signal }: { readonly streams: Streams; readonly signal?: AbortSignal }) {
  const output = streams.color.err ? streams.stderr : withoutColor(streams);

  async function ask<T>(question: (clack: Clack, common: Common) => Promise<T | symbol>): Promise<T> {
    if (!streams.interactive) throw new Error('cannot prompt: the streams are not interactive');
    const clack = await import('@clack/prompts');
    const inputEnded = new AbortController();
    const cancel = (): void => inputEnded.abort();
    // clack does not notice the end of its input, so the program would end without a message.
    const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
      if (key?.ctrl === true && key.name === 'd') cancel();
    };
    streams.stdin.on('end', cancel).on('close', cancel).on('keypress', onKey);
    try {
      const answer = await question(clack, {
        input: streams.stdin,
        output,
        signal: signal === undefined ? inputEnded.signal : AbortSignal.any([inputEnded.signal, signal]),
      });
      if (typeof answer === 'symbol') throw new Cancelled();
      return answer;
    } finally {
      streams.stdin.off('end', cancel).off('close', cancel).off('keypress', onKey);
    }
  }

  return {
    /** For a key. The answer is shown as dots. */
    askHidden: (message: string, check?: Check): Promise<string> =>
      ask<string>((clack, common) => clack.password({ ...common, message, clearOnError: true, ...validation(check) })),

    confirm: (message: string, { initial = true }: { readonly initial?: boolean } = {}): Promise<boolean> =>
      ask<boolean>((clack, common) => clack.confirm({ ...common, message, initialValue: initial })),

    text(message: string, options: TextOptions = {}): Promise<string> {
      const { default: placeholder = '', initial: initialValue = '', check } = options;
      const asked = { message, placeholder, initialValue, defaultValue: placeholder };
      return ask<string>((clack, common) => clack.text({ ...common, ...asked, ...validation(check, placeholder) }));
    },

    /** A long list can be searched by typing. */
    async select<const T>(
      message: string,
      choices: readonly Choice<T>[],
      { initial }: { readonly initial?: T | undefined } = {},
    ): Promise<T> {
      const options = choices.map((choice, value) => ({ ...choice, value }));
      const initialValue = choices.findIndex(({ value }) => value === initial);
      const filter = (search: string, { value, label }: { readonly value: number; readonly label?: string }): boolean =>
        choices[value]?.value === BACK || label?.toLowerCase().includes(search.toLowerCase()) === true;
      const index = await ask<number>((clack, common) => {
        const asked = { ...common, message, options, initialValue: Math.max(0, initialValue) };
        return choices.length < SEARCHED ? clack.select(asked) : clack.autocomplete({ ...asked, filter });
      });
      const chosen = choices[index];
      if (chosen === undefined) throw new Error('the answer is not one of the choices');
      return chosen.value;
    },
  };
}

type Clack = typeof import('@clack/prompts');

interface Common {
  readonly input: Streams['stdin'];
  readonly output: Writable;
  readonly signal: AbortSignal;
}

function validation(check: Check | undefined, initial = '') {
  if (check === undefined) return {};
  // An empty answer selects the default, so the default is checked.
  return {
    validate: (answer: string | undefined) => check(answer === undefined || answer === '' ? initial : answer),
  };
}

/** clack ignores NO_COLOR and --no-color. Only colour codes are removed: clack draws with the other escape codes. */
function withoutColor(streams: Streams): Output {
  const introducer = String.fromCharCode(0x1b);
  const color = new RegExp(`${introducer}\\[[0-9;]*m`, 'g');
  const plain = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      streams.stderr.write(String(chunk).replace(color, ''));
      done();
    },
  });
  return Object.defineProperties(plain, { isTTY: { value: true }, columns: { get: () => streams.width() } });
}
