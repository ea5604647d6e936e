/**
 * Prompts on a terminal. The only module that imports @clack/prompts, on the first prompt. Prompts are drawn on stderr,
 * because stdout may be a pipe, and require `streams.interactive`. Texts from a file must go through printable() first.
 */
import { Writable } from 'node:stream';
import { BACK, Cancelled, type Check, type Choice, type Prompts, type TextOptions } from '../questions/question.ts';
import type { Output, Streams } from './streams.ts';

/** Ends the bar that clack leaves below a cancelled prompt. */
const CORNER = '\x1b[A└\n';

/** @param signal cancels an open prompt */
export function createPrompts({
  streams,
  signal,
}: {
  readonly streams: Streams;
  readonly signal?: AbortSignal;
}): Prompts {
  const output = streams.color.err ? streams.stderr : withoutColor(streams);

  /** @param escaped the answer of Escape; without it, Escape cancels */
  async function ask<T>(
    question: (clack: Clack, common: Common) => Promise<T | symbol>,
    escaped?: { readonly value: T } | undefined,
  ): Promise<T> {
    if (!streams.interactive) throw new Error('cannot prompt: the streams are not interactive');
    const clack = await import('@clack/prompts');
    const inputEnded = new AbortController();
    const cancel = (): void => inputEnded.abort();
    // clack does not notice the end of its input, so the program would end without a message.
    let lastKey: string | undefined;
    const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
      lastKey = key?.name;
      if (key?.ctrl === true && key.name === 'd') cancel();
    };
    streams.stdin.on('end', cancel).on('close', cancel).on('keypress', onKey);
    try {
      const answer = await question(clack, {
        input: streams.stdin,
        output,
        signal: signal === undefined ? inputEnded.signal : AbortSignal.any([inputEnded.signal, signal]),
      });
      if (typeof answer !== 'symbol') return answer;
      if (lastKey === 'escape' && escaped !== undefined) return escaped.value;
      output.write(CORNER);
      throw new Cancelled();
    } finally {
      streams.stdin.off('end', cancel).off('close', cancel).off('keypress', onKey);
    }
  }

  return {
    askHidden: (message: string, check?: Check): Promise<string> =>
      ask<string>((clack, common) => clack.password({ ...common, message, clearOnError: true, ...validation(check) })),

    confirm: (message: string, { initial = true }: { readonly initial?: boolean } = {}): Promise<boolean> =>
      ask<boolean>((clack, common) => clack.confirm({ ...common, message, initialValue: initial })),

    text(message: string, options: TextOptions = {}): Promise<string> {
      const { initial: initialValue = '', check, escapes = false } = options;
      return ask<string>(
        (clack, common) => clack.text({ ...common, message, initialValue, ...validation(check) }),
        escapes ? { value: '' } : undefined,
      );
    },

    async select<const T>(
      message: string,
      choices: readonly Choice<T>[],
      { initial }: { readonly initial?: T | undefined } = {},
    ): Promise<T> {
      const options = choices.map((choice, value) => ({ ...choice, value }));
      const initialValue = choices.findIndex(({ value }) => value === initial);
      const back = choices.findIndex(({ value }) => value === BACK);
      const index = await ask<number>(
        (clack, common) => clack.select({ ...common, message, options, initialValue: Math.max(0, initialValue) }),
        back === -1 ? undefined : { value: back },
      );
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

function validation(check: Check | undefined) {
  return check === undefined ? {} : { validate: (answer: string | undefined) => check(answer ?? '') };
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
