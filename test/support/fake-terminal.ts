import { PassThrough, Writable } from 'node:stream';
import { Streams } from '../../src/terminal/streams.ts';

export interface Fake {
  readonly streams: Streams;
  readonly stdin: PassThrough;
  /** What was written so far. */
  out(): string;
  err(): string;
  /** Types the text once `prompt` stands on stderr; in the order of the calls. */
  answer(prompt: string, keys: string): void;
}

type StreamOptions = ConstructorParameters<typeof Streams>[0];

/** Standard streams in memory, of a terminal or of pipes. */
export function fakeStreams(
  options: { terminal?: boolean; input?: string } & Partial<Omit<StreamOptions, 'stdin' | 'stdout' | 'stderr'>> = {},
): Fake {
  const terminal = options.terminal === true;
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal, setRawMode: () => stdin });
  if (!terminal) stdin.end(options.input ?? '');
  const answers: { prompt: string; keys: string }[] = [];
  let seen = 0;
  const stdout = collector(terminal, () => undefined);
  const stderr = collector(terminal, (text) => {
    const next = answers[0];
    if (next === undefined || !text.slice(seen).includes(next.prompt)) return;
    seen = text.length;
    answers.shift();
    setImmediate(() => stdin.write(next.keys));
  });
  const streams = new Streams({ env: {}, ...options, stdin, stdout: stdout.stream, stderr: stderr.stream });
  return {
    streams,
    stdin,
    out: stdout.text,
    err: stderr.text,
    answer: (prompt, keys) => {
      answers.push({ prompt, keys });
    },
  };
}

function collector(isTTY: boolean, written: (text: string) => void) {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      text += String(chunk);
      written(text);
      done();
    },
  });
  return { stream: Object.assign(stream, isTTY ? { isTTY, columns: 100 } : {}), text: () => text };
}
