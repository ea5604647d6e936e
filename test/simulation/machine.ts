/**
 * Simulated machines and processes. A process runs the whole program, bundled, with its own clock, timers, random numbers,
 * disk and network; it can be killed, stopped and continued between any two of its steps, and at each operation on the disk.
 */
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Readable, Transform, Writable } from 'node:stream';
import vm from 'node:vm';
import zlib from 'node:zlib';
import type { Disk, User } from './disk.ts';
import type { Network } from './network.ts';
import type { RateStore } from './rate-store.ts';
import type { Random, Schedule, Step } from './schedule.ts';

const require = createRequire(import.meta.url);

/** Ends a process in the middle of a call. Code that catches it fails at its next call in the same way. */
export class Ended extends Error {}

/** The folder in which a process starts, and in which its home is: of machines that share a disk, and of one with its own. */
export const DESK = '/desk';
export const AWAY = '/away';

const EPOCH = Date.UTC(2026, 0, 1);

export interface Host {
  readonly name: string;
  readonly desk: string;
  boot: string;
  /** Added to its wall clock, in milliseconds. */
  clockOffset: number;
}

export interface Machine {
  readonly schedule: Schedule;
  readonly disk: Disk;
  readonly network: Network;
  readonly rateStore: RateStore;
  readonly random: Random;
  readonly trace: (line: string) => void;
  readonly processes: Process[];
  cutPower(): void;
}

export interface ProcessPlan {
  readonly host: Host;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What arrives on its stdin, part by part, with so many milliseconds between them. */
  readonly pipe?: { readonly parts: readonly Buffer[]; readonly gap: number } | undefined;
  /** After how many of its steps and operations, or before which operation, it is killed. */
  readonly killAfter?: number | string | undefined;
  /** After how many of its steps and operations, or before which operation, the power of all machines fails. */
  readonly cutAfter?: number | string | undefined;
  /** After how many milliseconds it is killed. */
  readonly killAfterMs?: number | undefined;
  /** After how many of its steps and operations it gets a signal. */
  readonly signalAfter?: { readonly steps: number | string; readonly name: 'SIGINT' | 'SIGTERM' } | undefined;
  /** After how many of its steps it stands still, and for how many milliseconds. */
  readonly stopAfter?: { readonly steps: number | string; readonly ms: number } | undefined;
}

/** The program, as a function of what it gets from Node. */
const NAMES = [
  'require',
  'module',
  'exports',
  'process',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
  'Math',
  'WebAssembly',
  'AbortSignal',
  '__filename',
  '__dirname',
] as const;

export function compileProgram(code: string): (...given: readonly unknown[]) => void {
  return new vm.Script(`(function (${NAMES.join(', ')}) {${code}\n})`, { filename: 'program.cjs' }).runInThisContext();
}

/** The process whose step runs now. */
let running: Process | undefined;
export const current = (): Process | undefined => running;

export class Process implements User {
  readonly name: string;
  readonly pid: number;
  readonly plan: ProcessPlan;
  stdout = '';
  stderr = '';
  /** The run whose journal it wrote last. */
  run = '';
  /** Undefined while it runs; null after a kill. */
  exitCode: number | null | undefined;
  stoppedUntil = 0;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #startedAt: number;
  #steps = 0;
  #onEnd = (): void => undefined;
  /** Resolves when it ends. */
  readonly ended = new Promise<void>((resolve) => {
    this.#onEnd = resolve;
  });
  readonly #signals = new Map<string, Set<(name: string) => void>>();

  constructor(machine: Machine, plan: ProcessPlan) {
    this.#machine = machine;
    this.plan = plan;
    this.pid = 100 + machine.processes.length;
    this.name = `${plan.host.name}/${this.pid}`;
    this.#random = machine.random.fork();
    this.#startedAt = machine.schedule.now;
    machine.processes.push(this);
  }

  get cwd(): string {
    return this.plan.host.desk;
  }

  get isGone(): boolean {
    return this.exitCode !== undefined;
  }

  enter(step: () => void): void {
    running = this;
    try {
      this.#count('step');
      step();
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
  }

  #count(what: string): void {
    this.#steps += 1;
    const { killAfter, cutAfter, signalAfter, stopAfter } = this.plan;
    const isNow = (moment: number | string | undefined): boolean =>
      this.#steps === moment || what.split(' ')[0] === moment;
    if (isNow(killAfter)) this.end(null, `killed before ${what}`);
    if (isNow(cutAfter)) this.#machine.cutPower();
    if (stopAfter !== undefined && isNow(stopAfter.steps)) {
      this.stoppedUntil = this.#machine.schedule.now + stopAfter.ms;
      this.#machine.trace(`${this.name} stands still for ${stopAfter.ms} ms`);
    }
    if (signalAfter !== undefined && isNow(signalAfter.steps)) this.signal(signalAfter.name);
    if (this.isGone) throw new Ended();
  }

  signal(name: string): void {
    this.#machine.trace(`${this.name} gets ${name}`);
    const listeners = this.#signals.get(name);
    if (listeners === undefined || listeners.size === 0) this.end(null, name);
    else {
      this.#machine.schedule.in(0, this, () => {
        for (const listener of [...listeners]) listener(name);
      });
    }
  }

  end(exitCode: number | null, why: string): void {
    if (this.isGone) return;
    this.exitCode = exitCode;
    this.#machine.disk.release(this);
    this.#onEnd();
    this.#machine.trace(`${this.name} ends: ${exitCode ?? why}`);
  }

  // What the disk asks of its user.

  date(): number {
    return EPOCH + this.#machine.schedule.now + this.plan.host.clockOffset;
  }

  before(operation: string, file: string): void {
    if (this.isGone) throw new Ended();
    this.#count(`${operation} ${file}`);
    this.#machine.trace(`${this.name} ${operation} ${file}`);
    if (operation === 'write') this.run = /([^/]+)\/journal\.ndjson(?:\.tmp)?$/.exec(file)?.[1] ?? this.run;
  }

  later<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#machine.schedule.in(this.#random.next() * 0.5, this, () => {
        try {
          resolve(work());
        } catch (error) {
          if (error instanceof Ended) throw error;
          reject(error);
        }
      });
    });
  }

  proc(file: string): string | undefined {
    const { host } = this.plan;
    if (file.endsWith('boot_id')) return `${host.boot}\n`;
    if (file === '/proc/self/ns/pid') return 'pid:[4026531836]';
    const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(file)?.[1]);
    const other = this.#machine.processes.find((one) => one.pid === pid);
    if (other === undefined || other.isGone || other.plan.host.name !== host.name || other.plan.host.boot !== host.boot)
      return undefined;
    return `${pid} (node) S${' 0'.repeat(18)} ${Math.round(other.#startedAt * 10)} 0 0`;
  }

  /** Loads the program and runs its command. */
  start(program: (...given: readonly unknown[]) => void): void {
    const { schedule, trace } = this.#machine;
    trace(`${this.name} starts: signals ${this.plan.argv.join(' ')}`);
    const { killAfterMs } = this.plan;
    if (killAfterMs !== undefined)
      schedule.in(killAfterMs, undefined, () => this.end(null, `killed after ${killAfterMs} ms`));
    schedule.in(0, this, () => {
      const module = { exports: {} as { main?: (early: readonly string[]) => Promise<never> } };
      const globals = this.#globals(module);
      program(...NAMES.map((name) => globals[name]));
      module.exports.main?.([]).catch((error: unknown) => {
        if (!this.isGone && !(error instanceof Ended)) {
          this.stderr += error instanceof Error ? (error.stack ?? error.message) : String(error);
          this.end(70, 'an error that nothing caught');
        }
      });
    });
  }

  #globals(module: { readonly exports: object }): Readonly<Record<(typeof NAMES)[number], unknown>> {
    const { schedule, disk, network, rateStore } = this.#machine;
    const timer = (delay: number, run: () => void) => {
      const handle = { step: schedule.in(delay, this, run), unref: () => handle };
      return handle;
    };
    type Timer = { step: Step };
    const setTimer = (run: (...given: unknown[]) => void, delay = 0, ...given: unknown[]) =>
      timer(Math.max(1, Number(delay)), () => run(...given));
    const clearTimer = (handle: Timer | undefined): void => {
      if (handle?.step !== undefined) handle.step.isCancelled = true;
    };
    const setInterval = (run: () => void, delay: number): Timer => {
      const again = (): void => {
        handle.step = schedule.in(delay, this, again);
        run();
      };
      const handle = timer(delay, again);
      return handle;
    };
    const setImmediate = (run: (...given: unknown[]) => void, ...given: unknown[]) => timer(0, () => run(...given));
    const date = (): number => this.date();
    class SimulatedDate extends Date {
      constructor(...given: readonly unknown[]) {
        if (given.length === 0) super(date());
        // @ts-expect-error: any arguments of Date
        else super(...given);
      }
      static override now(): number {
        return date();
      }
    }
    const monotonic = (): number => schedule.now - this.#startedAt + 40;
    const sleep = (delay = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const handle = setTimer(() => {
          signal?.removeEventListener('abort', onAbort);
          resolve(value);
        }, delay);
        const onAbort = (): void => {
          clearTimer(handle);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      });

    const files = disk.modulesFor(this);
    const net = network.modulesFor(this);
    const random = this.#random;
    const modules: Readonly<Record<string, unknown>> = {
      fs: files.fs,
      'fs/promises': files.promises,
      os: { ...os, hostname: () => this.plan.host.name, homedir: () => `${this.cwd}/home`, tmpdir: () => '/tmp' },
      path: {
        ...path,
        resolve: (...parts: readonly string[]) => path.resolve(this.cwd, ...parts),
        relative: (from: string, to: string) => path.relative(path.resolve(this.cwd, from), path.resolve(this.cwd, to)),
      },
      'timers/promises': {
        setTimeout: sleep,
        setImmediate: (value?: unknown) => new Promise((resolve) => setImmediate(() => resolve(value))),
      },
      crypto: {
        ...crypto,
        randomUUID: () => uuid(random),
        randomBytes: (size: number) => Buffer.from(Array.from({ length: size }, () => random.integer(0, 255))),
      },
      diagnostics_channel: net.channels,
      undici: net.undici,
      '@redis/client': rateStore.moduleFor(this),
      zlib: { ...zlib, createGzip: () => whole(zlib.gzipSync), createGunzip: () => whole(zlib.gunzipSync) },
    };
    const simulated = this.#process();
    const load = (name: string): unknown => {
      const plain = name.replace(/^node:/, '');
      if (plain === 'process') return simulated;
      if (plain in modules) return modules[plain];
      return require(name);
    };
    const math = Object.create(Math, { random: { value: () => random.next() } });
    return {
      require: load,
      module,
      exports: module.exports,
      process: simulated,
      setTimeout: setTimer,
      clearTimeout: clearTimer,
      setInterval,
      clearInterval: clearTimer,
      setImmediate,
      clearImmediate: clearTimer,
      Date: SimulatedDate,
      performance: { now: monotonic, timeOrigin: EPOCH },
      Math: math,
      WebAssembly: SYNCHRONOUS,
      AbortSignal,
      __filename: '/opt/signals/main.js',
      __dirname: '/opt/signals',
    };
  }

  #process(): object {
    const output = (name: 'stdout' | 'stderr', fd: number): Writable =>
      Object.assign(
        new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            this[name] += chunk.toString();
            done();
          },
        }),
        { fd, isTTY: false },
      );
    const stdin = Object.assign(new Readable({ read: () => undefined }), { fd: 0, isTTY: false });
    const { parts, gap } = this.plan.pipe ?? { parts: [], gap: 0 };
    // In order, also after a stop.
    const left = [...parts, null];
    for (const index of parts.length > 0 ? left.keys() : [])
      this.#machine.schedule.in(gap * index, this, () => stdin.push(left.shift()));
    const simulated = {
      argv: ['/usr/bin/node', '/usr/bin/signals', ...this.plan.argv],
      execPath: '/usr/bin/node',
      env: { HOME: `${this.cwd}/home`, PATH: '/usr/bin', ...this.plan.env },
      pid: this.pid,
      platform: 'linux',
      versions: process.versions,
      stdin,
      stdout: output('stdout', 1),
      stderr: output('stderr', 2),
      cwd: () => this.cwd,
      nextTick: process.nextTick,
      on: (name: string, listener: (name: string) => void) => {
        this.#signals.set(name, (this.#signals.get(name) ?? new Set()).add(listener));
        return simulated;
      },
      once: (name: string, listener: (name: string) => void) => simulated.on(name, listener),
      off: (name: string, listener: (name: string) => void) => {
        this.#signals.get(name)?.delete(listener);
        return simulated;
      },
      removeAllListeners: (name: string) => {
        this.#signals.delete(name);
        return simulated;
      },
      exitCode: undefined,
      kill: (_pid: number, name: string) => {
        this.end(name === 'SIGINT' ? 130 : 143, name);
        throw new Ended();
      },
      exit: (code = 0) => {
        this.end(code, 'exit');
        throw new Ended();
      },
    };
    return simulated;
  }
}

/** Compresses in the same step, because another thread would answer at any time. */
function whole(convert: (bytes: Buffer) => Buffer): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(void chunks.push(chunk)),
    flush(done) {
      try {
        const bytes = convert(Buffer.concat(chunks));
        for (let at = 0; at < bytes.length; at += 4096) this.push(bytes.subarray(at, at + 4096));
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function uuid(random: Random): string {
  const digits = (count: number): string =>
    Array.from({ length: count }, () => random.integer(0, 15).toString(16)).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
}

const compiled = new Map<string, WebAssembly.Module>();

function moduleOf(bytes: Uint8Array): WebAssembly.Module {
  const key = crypto.hash('sha1', bytes);
  const module = compiled.get(key) ?? new WebAssembly.Module(new Uint8Array(bytes));
  compiled.set(key, module);
  return module;
}

/** Compiled in the same step, because another thread would answer at any time. */
const SYNCHRONOUS: object = Object.create(WebAssembly, {
  Module: {
    value: function Module(bytes: Uint8Array) {
      return moduleOf(bytes);
    },
  },
  validate: { value: () => true },
  compile: { value: async (bytes: Uint8Array) => moduleOf(bytes) },
  instantiate: {
    value: async (source: Uint8Array | WebAssembly.Module, imports?: object) => {
      if (source instanceof WebAssembly.Module) return Reflect.construct(WebAssembly.Instance, [source, imports]);
      const module = moduleOf(source);
      return { module, instance: Reflect.construct(WebAssembly.Instance, [module, imports]) };
    },
  },
});
