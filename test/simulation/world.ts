/**
 * One simulation, all of it decided by its seed: files, options, a network, one or two machines, people and timers that
 * start the program, and what happens to it. At the end everything works again, and somebody finishes what is left.
 */
import { Disk } from './disk.ts';
import { current, DESK, Ended, type Host, type Machine, Process, type ProcessPlan } from './machine.ts';
import { Network, NO_FAULTS, type Phase } from './network.ts';
import { Random, Schedule } from './schedule.ts';

export type Program = (...given: readonly unknown[]) => void;

export interface InputFile {
  readonly name: string;
  /** What identifies the record of each row, in order; undefined for a row that is invalid. */
  readonly rows: readonly (string | undefined)[];
}

/** What happened, for the judge. */
export interface History {
  readonly seed: number;
  readonly type: 'signals' | 'social';
  readonly files: readonly InputFile[];
  readonly network: Network;
  readonly disk: Disk;
  readonly processes: readonly Process[];
  /** Files that somebody uploaded. */
  readonly uploaded: ReadonlySet<string>;
  /** Requests a second; undefined without a limit. */
  readonly rate: number | undefined;
  /** Errors in a process that nothing caught. */
  readonly uncaught: readonly string[];
  /** After a power cut that took what was not synced: the files of each run. Undefined if there was none. */
  readonly cut: PowerCut | undefined;
  /** What runs said when a process had finished them, and at the end. */
  readonly said: readonly Said[];
  /** Why the simulation did not come to its end. */
  readonly stuck: string | undefined;
  readonly trace: readonly string[];
  /** What went wrong, or could have. */
  readonly troubles: readonly string[];
}

/** Two files of a run at a moment. */
export interface Said {
  readonly run: string;
  /** In simulated milliseconds. */
  readonly at: number;
  readonly results: string;
  readonly undelivered: string;
}

export interface PowerCut {
  /** In simulated milliseconds. */
  readonly at: number;
  readonly runs: readonly (Said & { readonly journal: string })[];
}

/** Where all runs are. */
export const RUNS = `${DESK}/signals-runs`;
const MINUTE = 60_000;
/** So long that another machine takes over from a process that stands still. */
const LONG = 200_000;

/** Steps after which a simulation is said to make no progress. */
const LIMIT = 150_000;

interface Options {
  readonly isTraced?: boolean;
  /** Troubles that do not happen: {@link History.troubles}. */
  readonly without?: readonly string[];
}

export async function simulate(program: Program, seed: number, options: Options = {}): Promise<History> {
  return new World(program, seed, options).run();
}

/** The fewest troubles of a seed with which a promise is still broken. */
export async function shrink(
  program: Program,
  { seed, troubles }: History,
  isBroken: (history: History) => boolean,
): Promise<readonly string[]> {
  let without: readonly string[] = [];
  for (const trouble of troubles) {
    const tried = [...without, trouble];
    if (isBroken(await simulate(program, seed, { without: tried }))) without = tried;
  }
  return without;
}

class World {
  readonly #program: Program;
  readonly #seed: number;
  readonly #random: Random;
  readonly #schedule = new Schedule();
  readonly #machine: Machine;
  readonly #hosts: readonly Host[];
  readonly #trace: string[] = [];
  readonly #uncaught: string[] = [];
  readonly #uploaded = new Set<string>();
  readonly #type: History['type'];
  readonly #files: readonly InputFile[];
  readonly #options: readonly string[];
  readonly #rate: number | undefined;
  readonly #isSynced: boolean;
  /** How much goes wrong, from 0 to 1. */
  readonly #trouble: number;

  readonly #without: ReadonlySet<string>;
  readonly #troubles = new Set<string>();

  constructor(program: Program, seed: number, { isTraced = false, without = [] }: Options) {
    const random = new Random(seed);
    this.#without = new Set(without);
    this.#program = program;
    this.#seed = seed;
    this.#random = random;
    const disk = new Disk(random.fork());
    const network = new Network(this.#schedule, random.fork());
    this.#machine = {
      schedule: this.#schedule,
      disk,
      network,
      random: random.fork(),
      processes: [],
      trace: isTraced ? (line) => this.#trace.push(`${this.#schedule.now.toFixed(2)}  ${line}`) : () => undefined,
    };
    this.#type = random.pick(['signals', 'social'] as const);
    this.#trouble = random.pick([0, 0.5, 1, 1]);
    this.#hosts = ['alpha', ...(random.chance(0.4) ? ['beta'] : [])].map((name) => ({
      name,
      boot: `boot-${name}`,
      clockOffset: random.integer(-2, 2) * 1000,
    }));
    this.#isSynced = random.chance(0.3);
    this.#rate = random.chance(0.2) ? random.integer(5, 50) : undefined;
    this.#files = this.#writeFiles();
    this.#options = this.#pickOptions();
    this.#setNetwork();
  }

  async run(): Promise<History> {
    const onRejection = (error: unknown): void => {
      if (error instanceof Ended || current()?.isGone === true) return;
      this.#uncaught.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    };
    // The test runner would take the last words of a killed process for an error.
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', onRejection);
    let stuck: string | undefined;
    try {
      const actors = this.#plan();
      await Promise.all(actors.map((act) => act()).concat(this.#drive(() => this.#pending === 0)));
      this.#heal();
      await Promise.all([this.#finish(), this.#drive(() => this.#pending === 0)]);
    } catch (error) {
      stuck = error instanceof Error ? (error.stack ?? error.message) : String(error);
    } finally {
      process.off('unhandledRejection', onRejection);
      for (const other of others) process.on('unhandledRejection', other);
    }
    return {
      seed: this.#seed,
      type: this.#type,
      files: this.#files,
      network: this.#machine.network,
      disk: this.#machine.disk,
      processes: this.#machine.processes,
      uploaded: this.#uploaded,
      rate: this.#rate,
      cut: this.#cut,
      said: [...this.#said, ...this.#runs().map((run) => this.#sayingOf(run))],
      uncaught: this.#uncaught,
      stuck,
      trace: this.#trace,
      troubles: [...this.#troubles],
    };
  }

  /** Whether a trouble that was picked happens. Ask after all random numbers for it are drawn. */
  #happens(trouble: string): boolean {
    this.#troubles.add(trouble);
    return !this.#without.has(trouble);
  }

  #isHealed = false;
  #cut: PowerCut | undefined;
  readonly #said: Said[] = [];
  /** Actors that have not ended. */
  #pending = 0;

  #drive(isDone: () => boolean): Promise<void> {
    return this.#schedule.until(isDone, LIMIT);
  }

  #writeFiles(): readonly InputFile[] {
    const random = this.#random;
    const { disk } = this.#machine;
    for (const folder of ['/home/.config', '/tmp']) disk.place(`${folder}/.keep`, '');
    const isObjects = random.chance(0.3);
    const rows = random.pick([1, 7, 30, 80]);
    const rowOf = (number: number): string | undefined => {
      if (number % 11 === 5) return undefined;
      if (number % 29 === 3 && this.#trouble > 0) return `poison ${number}`;
      if (number % 31 === 4 && this.#type === 'signals') return `rejected ${number}`;
      return `record ${number}`;
    };
    const from = random.integer(0, rows);
    const files = [
      { name: 'märz', first: 0 },
      // Another file, although most of its records may be the same.
      { name: 'april', first: Math.max(1, from) },
    ].map(({ name, first }) => ({
      name: `${name}.${isObjects ? 'ndjson' : 'csv'}`,
      rows: Array.from({ length: rows }, (_, index) => rowOf(first + index)),
    }));
    for (const { name, rows: list } of files) {
      const objects = list.map((record) => this.#cells(record));
      const lines = isObjects
        ? objects.map((object) => JSON.stringify(object))
        : [
            Object.keys(objects[0] ?? {}).join(','),
            ...objects.map((object) => Object.values(object).map(quoted).join(',')),
          ];
      disk.place(`${DESK}/${name}`, `${lines.join('\n')}\n`);
    }
    const columns = Object.keys(this.#cells('x'));
    const variant = this.#type === 'signals' ? 'variant: b\n' : '';
    disk.place(
      `${DESK}/map.yaml`,
      `type: ${this.#type}\n${variant}fields:\n${columns.map((column) => `  ${column}: ${column}\n`).join('')}`,
    );
    return files;
  }

  #cells(record: string | undefined): Readonly<Record<string, string>> {
    const text = record?.endsWith('7') === true ? 'line one\nline two, "quoted"' : 'text';
    if (this.#type === 'social')
      return {
        platform: record === undefined ? '' : 'linkedin',
        engagement_type: 'like',
        engager_name: record ?? 'nobody',
        post_content: text,
      };
    return {
      company_name: record === undefined ? '' : 'Acme',
      company_domain: 'acme.com',
      signal_title: record ?? 'nothing',
      signal_source: 'news',
      description: text,
    };
  }

  #pickOptions(): readonly string[] {
    const random = this.#random;
    const options = [
      '-m',
      'map.yaml',
      '--batch-size',
      String(random.pick([3, 10, 100])),
      '--concurrency',
      String(random.pick([1, 3, 8])),
    ];
    const settings: string[] = [
      `timeout=${random.pick([2, 30])}s`,
      `retry_max_time=${random.pick([5, 600])}s`,
      `retries=${random.pick([0, 1, 8])}`,
    ];
    if (this.#isSynced) settings.push('fsync=yes');
    if (random.chance(0.3)) settings.push('engine=reference');
    if (random.chance(0.3)) settings.push('isolate=yes');
    if (random.chance(0.3)) settings.push('canary=no');
    if (random.chance(0.3)) settings.push('max_bytes=1KB');
    if (this.#rate !== undefined) options.push('--rate', `${this.#rate}/s`);
    return [...options, ...settings.flatMap((setting) => ['--setting', setting])];
  }

  #setNetwork(): void {
    const random = this.#random;
    const { network, disk } = this.#machine;
    network.latency = random.pick([2, 50, 800]);
    for (const fault of ['lost', 'cut', 'torn', 'garbage', 'error', 'limit', 'silent'] as const) {
      const part = random.pick([0.02, 0.1, 0.4]);
      if (random.chance(0.5 * this.#trouble) && this.#happens(fault))
        network.faults[fault] = fault === 'silent' ? part / 4 : part;
    }
    const overlooked = random.pick([0.2, 0.7]);
    if (random.chance(0.4 * this.#trouble) && this.#happens('records that are refused later'))
      network.faults.overlooked = overlooked;
    const largest = random.integer(300, 3000);
    if (random.chance(0.2) && this.#happens('small requests only')) network.faults.largest = largest;
    const phases: Phase[] = [];
    for (let until = 0; until < 5 * MINUTE && random.chance(0.8 * this.#trouble); ) {
      until += random.pick([20, 500, 20_000]);
      phases.push({
        until,
        mode: random.pick(['well', 'well', 'down', 'busy', 'broken', 'limited', 'locked'] as const),
      });
    }
    if (phases.length > 0 && this.#happens('outages')) network.phases = phases;
    const failing = random.pick([0.02, 0.1, 0.3]);
    if (random.chance(0.3 * this.#trouble) && this.#happens('short writes'))
      Object.assign(disk.faults, { short: 0.3, failing });
    if (random.chance(0.15 * this.#trouble) && this.#happens('errors of the disk')) disk.faults.eio = 0.005;
    const full = disk.used + random.integer(100, 90_000);
    const fullAt = random.next() * 2000;
    const space = random.pick([5, 300, 60_000]);
    if (random.chance(0.25 * this.#trouble) && this.#happens('full disk')) {
      this.#schedule.in(fullAt, undefined, () => {
        if (this.#isHealed) return;
        disk.capacity = full;
        this.#machine.trace(`the disk is full at ${full} bytes`);
        this.#schedule.in(space, undefined, () => {
          disk.capacity = Number.POSITIVE_INFINITY;
        });
      });
    }
  }

  /** People and timers, who work at the same time. */
  #plan(): readonly (() => Promise<void>)[] {
    const random = this.#random;
    const [first, other] = this.#files.map(({ name }) => name);
    if (first === undefined || other === undefined) throw new Error('no files');
    const actors = [this.#actor(first, 0)];
    const second = this.#actor(random.pick([first, other, other]), random.pick([0, 30, 5000]));
    const third = this.#actor(undefined, random.pick([20, 200, 70_000]));
    if (random.chance(0.5) && this.#happens('a second person')) actors.push(second);
    if (random.chance(0.2) && this.#happens('a third person')) actors.push(third);
    if (random.chance(0.4 * this.#trouble) && this.#happens('power cut, clock or key'))
      actors.push(() => this.#disaster());
    return actors;
  }

  /** Uploads a file, or only resumes, and then resumes a few times. */
  #actor(file: string | undefined, delay: number): () => Promise<void> {
    const random = this.#random.fork();
    const host = random.pick(this.#hosts);
    const count = random.integer(1, 4);
    return () =>
      this.#act(async () => {
        await this.#wait(delay);
        for (let n = 0; n < count; n += 1) {
          const isUpload = file !== undefined && (n === 0 || random.chance(0.3));
          const argv = isUpload
            ? ['upload', file, ...this.#options, ...(random.chance(0.1) ? ['--again'] : [])]
            : ['resume', ...random.pick([[], ['--all'], ['--refused'], ['--unknown'], ['--again']])];
          if (isUpload) this.#uploaded.add(file);
          await this.#start(host, argv, this.#disasters(random));
          await this.#wait(random.pick([1, 200, 3000, 65_000]));
        }
      });
  }

  #disasters(random: Random): Partial<ProcessPlan> {
    const soon = (): number => random.integer(1, random.pick([300, 600, 2000]));
    if (!random.chance(0.8)) return {};
    const kind = random.pick(['kill', 'kill', 'late', 'late', 'signal', 'stop'] as const);
    if (kind === 'kill') return { killAfter: soon() };
    if (kind === 'late') return { killAfterMs: random.next() * 4 * this.#machine.network.latency + random.next() * 20 };
    if (kind === 'signal') return { signalAfter: { steps: soon(), name: random.pick(['SIGINT', 'SIGTERM'] as const) } };
    return { stopAfter: { steps: soon(), ms: random.pick([2000, 50_000, LONG]) } };
  }

  /** Somebody sees that a process stands still, and resumes its run, from another machine if there is one. */
  #rescue(one: Process): Promise<void> {
    return this.#act(async () => {
      while (!one.isGone && one.stoppedUntil === 0) await this.#wait(500);
      if (!one.isGone)
        await this.#start(this.#hosts.find((host) => host !== one.plan.host) ?? one.plan.host, ['resume']);
    });
  }

  /** The power fails, a clock is set, or the service gives out another key. */
  #disaster(): Promise<void> {
    return this.#act(async () => {
      await this.#wait(this.#random.pick([30, 300, 10_000]));
      const kind = this.#random.pick(['power', 'power', 'clock', 'key'] as const);
      if (kind === 'power') this.#cutPower();
      else if (kind === 'key') this.#machine.network.key = 'second-key';
      else {
        const host = this.#random.pick(this.#hosts);
        host.clockOffset += this.#random.pick([-3_600_000, -5000, 5000, 3_600_000]);
        this.#machine.trace(`the clock of ${host.name} is set`);
      }
    });
  }

  #cutPower(): void {
    const { disk, processes, trace } = this.#machine;
    trace('the power fails');
    for (const one of processes) one.end(null, 'power cut');
    disk.powerCut();
    for (const host of this.#hosts) host.boot += "'";
    if (this.#isSynced) return;
    const runs = this.#runs().map((run) => {
      const journal = disk.text(`${RUNS}/${run}/journal.ndjson`) ?? '';
      return { journal, ...this.#sayingOf(run) };
    });
    this.#cut = { at: this.#schedule.now, runs };
  }

  #runs(): readonly string[] {
    return this.#machine.disk.names(RUNS).filter((name) => !name.startsWith('.'));
  }

  #sayingOf(run: string): Said {
    const textOf = (name: string): string => this.#machine.disk.text(`${RUNS}/${run}/${name}`) ?? '';
    return { run, at: this.#schedule.now, results: textOf('results.csv'), undelivered: textOf('undelivered.ndjson') };
  }

  /** Everything works again, and nothing that was stopped is left. */
  #heal(): void {
    const { network, disk, processes } = this.#machine;
    this.#isHealed = true;
    this.#machine.trace('everything works again');
    for (const one of processes) one.end(null, 'the machine was started anew');
    network.phases = [];
    Object.assign(network.faults, NO_FAULTS);
    network.latency = 5;
    disk.heal();
  }

  /** Somebody finishes each run, and uploads the files again. */
  #finish(): Promise<void> {
    const [host] = this.#hosts;
    if (host === undefined) throw new Error('no host');
    return this.#act(async () => {
      await this.#wait(3 * MINUTE);
      const resume = async (run: string): Promise<void> => {
        for (let n = 0; n < 20; n += 1) {
          const { exitCode } = await this.#start(host, [
            'resume',
            run,
            '--setting',
            'retry_max_time=600s',
            '--setting',
            'timeout=30s',
          ]);
          if (exitCode !== 6 && exitCode !== 7) break;
          await this.#wait(MINUTE);
        }
      };
      const before = this.#runs();
      for (const run of before) await resume(run);
      for (const file of this.#uploaded) await this.#start(host, ['upload', file, ...this.#options]);
      for (const run of this.#runs()) if (!before.includes(run)) await resume(run);
    });
  }

  async #act(work: () => Promise<void>): Promise<void> {
    this.#pending += 1;
    await work();
    this.#pending -= 1;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#schedule.in(ms, undefined, resolve));
  }

  async #start(host: Host, argv: readonly string[], disasters: Partial<ProcessPlan> = {}): Promise<Process> {
    const { network } = this.#machine;
    const env = { SIGNALS_BASE_URL: 'http://127.0.0.1:8080', SIGNALS_API_KEY: network.key, NO_COLOR: '1' };
    const what = Object.keys(disasters)[0];
    const happens = what === undefined || this.#happens(`${what} of process ${this.#machine.processes.length}`);
    const started = new Process(this.#machine, { host, argv, env, ...(happens ? disasters : {}) });
    started.start(this.#program);
    if (happens && disasters.stopAfter?.ms === LONG) void this.#rescue(started);
    await started.ended;
    if (started.run !== '' && [0, 3, 4].includes(started.exitCode ?? 1)) this.#said.push(this.#sayingOf(started.run));
    return started;
  }
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
