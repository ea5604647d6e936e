/**
 * Questions on a terminal. The only place that imports @clack/prompts, and only when something is asked. Questions
 * are drawn on stderr, because stdout may be a pipe. Ask only where `streams.interactive` says that somebody is
 * there. Messages are drawn as they are: what comes from a file goes through printable() first.
 */
import { Writable } from 'node:stream';
import type { Output, Streams } from './streams.ts';

/** Thrown where the user answers with Ctrl-C, Ctrl-D or Escape, and where the terminal goes away. */
export class Cancelled extends Error {
  constructor() {
    super('Cancelled at a prompt.');
    this.name = 'Cancelled';
  }
}

/** What is wrong with an answer, in a sentence; undefined where nothing is. The question is then asked again. */
export type Check = (answer: string) => string | undefined;

export interface Prompts {
  /** A key: shown as dots. */
  askHidden(message: string, check?: Check): Promise<string>;
  /** Yes or no. */
  confirm(message: string, options?: { readonly initial?: boolean }): Promise<boolean>;
  /** A line of text; an empty answer is the default. */
  text(message: string, options?: { readonly default?: string; readonly check?: Check }): Promise<string>;
  select<T extends string>(
    message: string,
    choices: readonly { readonly value: T; readonly label: string; readonly hint?: string }[],
    options?: { readonly initial?: T },
  ): Promise<T>;
}

/** @param signal aborts a question that stands open */
export function createPrompts(streams: Streams, signal?: AbortSignal): Prompts {
  const output = streams.color.err ? streams.stderr : withoutColor(streams);

  async function ask<T extends string | boolean>(
    question: (clack: Clack, common: Common) => Promise<T | symbol>,
  ): Promise<T> {
    if (!streams.interactive) throw new Error('cannot prompt: the streams are not interactive');
    const clack = await import('@clack/prompts');
    const gone = new AbortController();
    const cancel = (): void => gone.abort();
    // clack does not notice the end of its input, and the program would end without a word.
    const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
      if (key?.ctrl === true && key.name === 'd') cancel();
    };
    streams.stdin.on('end', cancel).on('close', cancel).on('keypress', onKey);
    try {
      const answer = await question(clack, {
        input: streams.stdin,
        output,
        signal: signal === undefined ? gone.signal : AbortSignal.any([gone.signal, signal]),
      });
      if (typeof answer === 'symbol') throw new Cancelled();
      return answer;
    } finally {
      streams.stdin.off('end', cancel).off('close', cancel).off('keypress', onKey);
    }
  }

  return {
    askHidden: (message, check) =>
      ask<string>((clack, common) =>
        clack.password({ ...common, message, clearOnError: true, ...validation(check) }),
      ),
    confirm: (message, options = {}) =>
      ask<boolean>((clack, common) =>
        clack.confirm({ ...common, message, initialValue: options.initial ?? true }),
      ),
    text: (message, options = {}) =>
      ask<string>((clack, common) =>
        clack.text({
          ...common,
          message,
          ...(options.default === undefined
            ? {}
            : { defaultValue: options.default, placeholder: options.default }),
          ...validation(options.check, options.default),
        }),
      ),
    select: (message, choices, options = {}) =>
      ask<(typeof choices)[number]['value']>(async (clack, common) => {
        const answer = await clack.select<string>({
          ...common,
          message,
          options: choices.map(({ value, label, hint }) => ({
            value,
            label,
            ...(hint === undefined ? {} : { hint }),
          })),
          ...(options.initial === undefined ? {} : { initialValue: options.initial }),
        });
        if (typeof answer === 'symbol') return answer;
        const choice = choices.find(({ value }) => value === answer);
        if (choice === undefined) throw new Error('the answer is not one of the choices');
        return choice.value;
      }),
  };
}

type Clack = typeof import('@clack/prompts');

interface Common {
  readonly input: Streams['stdin'];
  readonly output: Writable;
  readonly signal: AbortSignal;
}

function validation(check: Check | undefined, instead = '') {
  if (check === undefined) return {};
  // An empty answer takes the default, so the default is what must hold.
  return {
    validate: (answer: string | undefined) => check(answer === undefined || answer === '' ? instead : answer),
  };
}

/** clack colours whatever NO_COLOR and --no-color say. Only colour is taken out: it cannot draw without the rest. */
function withoutColor(streams: Streams): Output {
  const introducer = String.fromCharCode(0x1b);
  const color = new RegExp(`${introducer}\\[[0-9;]*m`, 'g');
  const plain = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      streams.err(String(chunk).replace(color, ''));
      done();
    },
  });
  return Object.defineProperties(plain, {
    isTTY: { value: true },
    columns: { get: () => streams.width() },
  });
}
