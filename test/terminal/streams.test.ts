import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStreams, Streams } from '../../src/terminal/streams.ts';
import { bundleModule } from '../support/bundle-module.ts';
import { fakeStreams } from '../support/fake-terminal.ts';

const escape1 = String.fromCharCode(0x1b);

describe('colour', () => {
  const table: readonly (readonly [boolean, NodeJS.ProcessEnv, boolean, boolean])[] = [
    [false, {}, false, false],
    [true, {}, false, true],
    [true, { NO_COLOR: '1' }, false, false],
    [true, { NO_COLOR: '0' }, false, false],
    [true, { NO_COLOR: '' }, false, true],
    [true, { TERM: 'dumb' }, false, false],
    [true, { CI: 'true' }, false, false],
    [true, { CI: 'false' }, false, true],
    [false, { FORCE_COLOR: '1' }, false, true],
    [false, { FORCE_COLOR: '' }, false, true],
    [true, { FORCE_COLOR: '0' }, false, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1', CI: '1' }, false, true],
    [true, { FORCE_COLOR: '1' }, true, false],
    [true, {}, true, false],
  ];
  it.each(table)(
    'with a terminal: %j, environment: %j, --no-color: %j is %j',
    async (terminal, env, noColor, color) => {
      const stream = (): PassThrough => Object.assign(new PassThrough(), { isTTY: terminal });
      const streams = await openStreams({ stdin: stream(), stdout: stream(), stderr: stream(), env, noColor });
      expect(streams.color).toEqual({ out: color, err: color });
      const dressed = streams.style.out.bold(streams.style.out.red('x'));
      if (color) expect(dressed).toBe(`${escape1}[1m${escape1}[31mx${escape1}[39m${escape1}[22m`);
      else expect(dressed).toBe('x');
    },
  );

  it('is decided for each stream: the summary in a file is plain while the terminal is not', () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    const streams = new Streams({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: terminal, env: {} });
    expect(streams.color).toEqual({ out: false, err: true });
    expect(streams.width()).toBe(120);
  });
});

describe('interactive', () => {
  it.each([
    [true, {}, false, true],
    [false, {}, false, false],
    [true, {}, true, false],
    [true, { CI: '1' }, false, false],
    [true, { TERM: 'dumb' }, false, false],
  ] as const)('with a terminal: %j, environment: %j, --yes: %j is %j', (terminal, env, yes, interactive) => {
    expect(fakeStreams({ terminal, env, yes }).streams.interactive).toBe(interactive);
  });
});

describe('width', () => {
  it('follows the terminal, and is 80 without one', () => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
    const streams = new Streams({ stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: {} });
    expect(streams.width()).toBe(40);
    stderr.columns = 50;
    expect(streams.width()).toBe(50);
    stderr.columns = 0;
    expect(streams.width()).toBe(80);
    expect(fakeStreams().streams.width()).toBe(80);
  });
});

describe('a reader that went away', () => {
  function broken(code: string): Writable {
    return new Writable({
      autoDestroy: false,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });
  }

  it('ends the output to that stream, and leaves the other one alone', async () => {
    const stdout = broken('EPIPE');
    const stderr = new PassThrough();
    const streams = new Streams({ stdin: new PassThrough(), stdout, stderr, env: {} });
    streams.out('a');
    streams.out('b');
    await new Promise(setImmediate);
    stdout.write = () => {
      throw new Error('written after its failure');
    };
    streams.out('c');
    streams.err('still here');
    expect(streams.failures.get('stdout')).toMatchObject({ code: 'EPIPE' });
    expect(streams.failures.has('stderr')).toBe(false);
    expect(String(stderr.read())).toBe('still here');
  });

  it('leaves no stack trace in a real process', async () => {
    const root = path.join(import.meta.dirname, '..', '..');
    mkdirSync(path.join(root, 'test', '.tmp'), { recursive: true });
    const folder = mkdtempSync(path.join(root, 'test', '.tmp', 'streams-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await bundleModule('src/terminal/streams.ts', folder);
    writeFileSync(
      path.join(folder, 'main.mjs'),
      `
      import { openStreams, Streams } from './streams.mjs';
      const { stdin, stdout, stderr, env } = process;
      const streams = new Streams({ stdin, stdout, stderr, env });
      const timer = setInterval(() => {
        streams.out('line\\n'.repeat(1000));
        const failure = streams.failures.get('stdout');
        if (failure === undefined) return;
        streams.err(failure.code);
        clearInterval(timer);
      }, 1);
      `,
    );
    const child = spawn(process.execPath, [path.join(folder, 'main.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] });
    let complaints = '';
    child.stderr.on('data', (chunk) => {
      complaints += String(chunk);
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect([code, complaints]).toEqual([0, 'EPIPE']);
  });
});
