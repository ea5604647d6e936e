/**
 * One simulation, all of it decided by its seed: files, options, a network, one or two machines, people and timers that
 * start the program, and what happens to it. Some uploads are divided into shards, come from a pipe, or are handed over to another
 * machine. At the end everything works again, and somebody finishes what is left.
 */
import { Disk } from './disk.ts';
import { AWAY, current, DESK, Ended, type Host, type Machine, Process, type ProcessPlan } from './machine.ts';
import { Network, NO_FAULTS, type Phase } from './network.ts';
import { RateStore } from './rate-store.ts';
import { Random, Schedule } from './schedule.ts';

export type Program = (...given: readonly unknown[]) => void;

export interface InputFile {
  readonly name: string;
  /** What identifies the record of each row, in order; undefined for a row that is invalid. */
  readonly rows: readonly (string | undefined)[];
  /** Its bytes, as a pipe brings them, and where each row ends in them. */
  readonly parts: readonly Buffer[];
  readonly ends: readonly number[];
}

/** What happened, for the judge. */
export interface History {
  readonly seed: number;
  readonly type: 'signals' | 'social';
  readonly files: readonly InputFile[];
  readonly network: Network;
  readonly disk: Disk;
  readonly processes: readonly Process[];
  /** Files that somebody uploaded, with the number of rows that must be accounted for: of a pipe those that have arrived. */
  readonly uploaded: ReadonlyMap<string, number>;
  /** The folders of all runs at the end, without those that may not send. */
  readonly runs: readonly string[];
  readonly shards: number;
  /** What `runs merge` says of all shards at the end. */
  readonly merged: Process | undefined;
  readonly handOver: HandOver | undefined;
  /** Requests a second; undefined without a limit. */
  readonly rate: number | undefined;
  /** Of all processes together, if they have one. */
  readonly rateStore: RateStore | undefined;
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

/** `at`: when the archive of a run is there; `began`: when packing it began. In simulated milliseconds. */
export type HandOver = { readonly run: string; readonly began: number; readonly at: number };

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

const ARCHIVE = `${DESK}/handed-over.tar.gz`;
/** More than the program reads before it begins a run. */
const LONG_CELL = 'x'.repeat(2 ** 18);
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
  readonly #uploaded = new Map<string, number>();
  readonly #kind: 'plain' | 'shards' | 'pipe' | 'archive';
  readonly #isPiped: boolean;
  /** Whether files have rows twice, and `--dedupe` leaves the second ones out. */
  readonly #isRepeated: boolean;
  /** The machine of each shard. */
  readonly #shards: readonly Host[];
  readonly #away: Host;
  readonly #type: History['type'];
  readonly #files: readonly InputFile[];
  readonly #options: readonly string[];
  readonly #rate: number | undefined;
  /** Whether all processes share the rate. */
  readonly #isShared: boolean;
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
      rateStore: new RateStore(this.#schedule, random.fork()),
      random: random.fork(),
      processes: [],
      cutPower: () => this.#cutPower(),
      trace: isTraced ? (line) => this.#trace.push(`${this.#schedule.now.toFixed(2)}  ${line}`) : () => undefined,
    };
    this.#type = random.pick(['signals', 'social'] as const);
    this.#trouble = random.pick([0, 0.5, 1, 1]);
    this.#kind = random.pick(['plain', 'plain', 'shards', 'shards', 'pipe', 'pipe', 'archive', 'archive'] as const);
    this.#hosts = ['alpha', ...(random.chance(this.#kind === 'archive' ? 0.7 : 0.4) ? ['beta'] : [])].map((name) => ({
      name,
      desk: DESK,
      boot: `boot-${name}`,
      clockOffset: random.integer(-2, 2) * 1000,
    }));
    this.#away = { name: 'away', desk: AWAY, boot: 'boot-away', clockOffset: 0 };
    this.#isPiped = this.#kind === 'pipe' || (this.#kind === 'archive' && random.chance(0.3));
    this.#isRepeated = this.#kind === 'shards' && random.chance(0.6);
    const places = random.chance(0.5) ? [...this.#hosts, this.#away] : this.#hosts;
    this.#shards =
      this.#kind === 'shards' ? Array.from({ length: random.integer(2, 3) }, () => random.pick(places)) : [];
    this.#isSynced = random.chance(this.#kind === 'pipe' || this.#kind === 'archive' ? 0.6 : 0.3);
    this.#rate = random.chance(this.#kind === 'shards' ? 0.5 : 0.2) ? random.integer(3, 12) : undefined;
    this.#isShared = this.#rate !== undefined && random.chance(this.#kind === 'shards' ? 0.8 : 0.5);
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
      rateStore: this.#isShared ? this.#machine.rateStore : undefined,
      cut: this.#cut,
      said: [...this.#said, ...this.#runs().map((run) => this.#sayingOf(run))],
      runs: this.#runs(),
      shards: this.#shards.length,
      merged: this.#merged,
      handOver: this.#handOver,
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
  #hasBadDisk = false;
  #cut: PowerCut | undefined;
  readonly #said: Said[] = [];
  /** Whether the pipe was read to its end. */
  #isCopied = false;
  #merged: Process | undefined;
  #packing: Omit<HandOver, 'at'> | undefined;
  #handOver: HandOver | undefined;
  /** Actors that have not ended. */
  #pending = 0;

  #drive(isDone: () => boolean): Promise<void> {
    return this.#schedule.until(isDone, LIMIT);
  }

  #writeFiles(): readonly InputFile[] {
    const random = this.#random;
    const { disk } = this.#machine;
    const desks = [DESK, AWAY];
    for (const folder of ['/tmp', ...desks.map((desk) => `${desk}/home/.config`)]) disk.place(`${folder}/.keep`, '');
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
      rows: Array.from({ length: rows }, (_, index) => {
        const number = first + index;
        return rowOf(this.#isRepeated && number % 13 === 9 ? number >> 1 : number);
      }),
    }));
    const long = this.#isPiped ? random.integer(0, rows >> 1) : undefined;
    const columns = Object.keys(this.#cells('x'));
    const variant = this.#type === 'signals' ? 'variant: b\n' : '';
    const fields = columns.map((column) => `  ${column}: ${column}\n`).join('');
    for (const desk of desks) disk.place(`${desk}/map.yaml`, `type: ${this.#type}\n${variant}fields:\n${fields}`);
    return files.map(({ name, rows: list }) => {
      const objects = list.map((record, index) => ({
        ...this.#cells(record),
        ...(long === undefined ? {} : { notes: index === long ? LONG_CELL : '' }),
      }));
      const head = isObjects ? '' : `${Object.keys(objects[0] ?? {}).join(',')}\n`;
      const lines = objects.map((object) =>
        isObjects ? `${JSON.stringify(object)}\n` : `${Object.values(object).map(quoted).join(',')}\n`,
      );
      let end = Buffer.byteLength(head);
      const ends = lines.map((line) => (end += Buffer.byteLength(line)));
      const bytes = Buffer.from(head + lines.join(''));
      for (const desk of desks) disk.place(`${desk}/${name}`, bytes.toString());
      const cuts = Array.from({ length: 4 }, () => random.integer(ends[long ?? 0] ?? 0, bytes.length));
      const starts = [0, ...cuts.sort((one, other) => one - other)];
      return { name, rows: list, ends, parts: starts.map((start, n) => bytes.subarray(start, starts[n + 1])) };
    });
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
      String(this.#rate === undefined ? random.pick([3, 10, 100]) : random.pick([1, 3])),
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
    if (this.#isRepeated) options.push('--dedupe');
    return [...options, ...settings.flatMap((setting) => ['--setting', setting])];
  }

  #setNetwork(): void {
    const random = this.#random;
    const { network, disk, rateStore } = this.#machine;
    network.latency = random.pick([2, 50, 800]);
    for (const fault of ['lost', 'cut', 'torn', 'garbage', 'error', 'limit', 'silent'] as const) {
      const part = random.pick([0.02, 0.1, 0.4]);
      if (random.chance(0.5 * this.#trouble) && this.#happens(fault))
        network.faults[fault] = fault === 'silent' ? part / 4 : part;
    }
    const overlooked = random.pick([0.2, 0.7]);
    if (random.chance(0.4 * this.#trouble) && this.#happens('records that are refused later'))
      network.faults.overlooked = overlooked;
    const losing = random.next() * 3000;
    if (this.#isShared && random.chance(0.5 * this.#trouble) && this.#happens('a rate store that forgets'))
      this.#schedule.in(losing, undefined, () => rateStore.loseData());
    const unreachable = random.pick([0.05, 0.5]);
    if (this.#isShared && random.chance(0.5 * this.#trouble) && this.#happens('a rate store that fails'))
      rateStore.failing = unreachable;
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
    this.#hasBadDisk = disk.faults.short + disk.faults.eio > 0;
    if (random.chance(0.25 * this.#trouble) && this.#happens('full disk')) {
      this.#hasBadDisk = true;
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
    const actors = this.#shards.map((_, shard) => this.#actor(first, random.pick([0, 0, 30, 5000]), shard));
    if (actors.length === 0) actors.push(this.#actor(first, 0));
    const second = this.#actor(random.pick([first, other, other]), random.pick([0, 30, 5000]));
    const third = this.#actor(undefined, random.pick([20, 200, 70_000]));
    const canRepeat = this.#kind === 'plain' || (this.#kind === 'archive' && !this.#isPiped);
    if (random.chance(this.#kind === 'archive' ? 0.8 : 0.5) && canRepeat && this.#happens('a second person'))
      actors.push(second);
    if (this.#kind === 'archive') actors.push(this.#packer(random.pick([50, 1000, 30_000])));
    if (random.chance(0.2) && this.#happens('a third person')) actors.push(third);
    if (random.chance(0.4 * this.#trouble) && this.#happens('power cut, clock or key'))
      actors.push(() => this.#disaster());
    return actors;
  }

  /** Uploads a file, or only resumes, and then resumes a few times. */
  #actor(file: string | undefined, delay: number, shard?: number): () => Promise<void> {
    const random = this.#random.fork();
    const host = this.#shards[shard ?? -1] ?? random.pick(this.#hosts);
    const count = random.integer(1, this.#kind === 'archive' ? 2 : 4);
    return () =>
      this.#act(async () => {
        await this.#wait(delay);
        for (let n = 0; n < count; n += 1) {
          const isUpload = file !== undefined && (n === 0 || (random.chance(0.3) && !this.#isPiped));
          const isForced = random.chance(0.1) && this.#kind === 'plain';
          const choices = [
            [],
            ['--all'],
            ['--refused'],
            ['--unknown'],
            ...(this.#kind === 'archive' ? [] : [['--again']]),
          ];
          const disasters = this.#disasters(random);
          if (isUpload) await this.#upload(host, file, shard, { again: isForced ? ['--again'] : [], disasters });
          else await this.#start(host, ['resume', ...random.pick(choices)], disasters);
          await this.#wait(random.pick([1, 200, 3000, 65_000]));
        }
      });
  }

  async #upload(
    host: Host,
    file: string,
    shard: number | undefined,
    {
      again = [],
      disasters = {},
    }: { readonly again?: readonly string[]; readonly disasters?: Partial<ProcessPlan> } = {},
  ): Promise<void> {
    const { rows, parts } = this.#files.find(({ name }) => name === file) ?? { rows: [], parts: [] };
    const divided = shard === undefined ? [] : ['--run-id', 'nightly', '--shard', `${shard}/${this.#shards.length}`];
    const pipe = this.#isPiped ? { parts, gap: this.#random.pick([0, 5, 300, 3000]) } : undefined;
    if (!this.#isPiped) this.#uploaded.set(file, rows.length);
    const argv = ['upload', this.#isPiped ? '-' : file, ...this.#options, ...divided, ...again];
    const { run, exitCode } = await this.#start(host, argv, { ...disasters, pipe });
    if (!this.#isPiped) return;
    // If the service stops a run, the pipe is still read to its end, unless somebody stops that, or the disk.
    const isDisturbed = disasters.signalAfter !== undefined || this.#hasBadDisk;
    const stop = /"stop": \{\s*"code": "(?:outage|key|answers|refusals|wait|canary)"/;
    const isStopped = stop.test(this.#machine.disk.text(`${runsOf(DESK)}/${run}/summary.json`) ?? '');
    this.#isCopied = [0, 3, 4].includes(exitCode ?? 1) || ([5, 6].includes(exitCode ?? 1) && isStopped && !isDisturbed);
    if (this.#isCopied) this.#uploaded.set(file, rows.length);
    else this.#countCopied();
  }

  /** Of a pipe that was not read to its end, the rows count that are in the run folder. */
  #countCopied(): void {
    const [first] = this.#files;
    const run = this.#runs().find((one) => one.includes('stdin'));
    if (first === undefined || this.#isCopied) return;
    const copied = Buffer.byteLength(this.#machine.disk.text(`${run}/stdin.spool`) ?? '');
    this.#uploaded.set(first.name, first.ends.filter((end) => end <= copied).length);
  }

  /** Hands the first run over, and resumes it on another machine. */
  #packer(delay: number): () => Promise<void> {
    const random = this.#random.fork();
    return () =>
      this.#act(async () => {
        await this.#wait(delay);
        for (let n = 0; n < 4; n += 1) {
          const run = this.#machine.disk.names(runsOf(DESK)).find((name) => /m-rz|stdin/.test(name));
          if (run !== undefined && this.#handOver === undefined) {
            this.#packing ??= { run, began: this.#schedule.now };
            const argv = ['runs', 'pack', this.#packing.run, '--hand-over', '--yes', '--to', ARCHIVE];
            const moments = [100, 'ftruncate', 'fdatasync', 'rename'];
            const stop = { stopAfter: { steps: random.pick(moments), ms: LONG } };
            const disasters = random.chance(0.3) ? stop : this.#disasters(random, moments);
            await this.#start(random.pick(this.#hosts), argv, disasters);
          }
          await this.#wait(random.pick([1, 3000]));
          const argv = ['resume', ...random.pick([[ARCHIVE], [ARCHIVE], []])];
          if (this.#handOver !== undefined) await this.#start(this.#away, argv, this.#disasters(random, [100, 300]));
        }
      });
  }

  /** @param moments before which operation, or after how many steps at most */
  #disasters(random: Random, moments: readonly (number | string)[] = [300, 600, 2000]): Partial<ProcessPlan> {
    const soonAt = (moment: number | string) => (typeof moment === 'string' ? moment : random.integer(1, moment));
    const soon = () => soonAt(random.pick(moments));
    if (!random.chance(0.8)) return {};
    // Without fsync=yes, most of what a cut breaks is no promise.
    if (this.#isSynced && random.chance(0.4)) return { cutAfter: soon() };
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
      if (one.isGone) return;
      const { host, argv } = one.plan;
      const other = this.#hosts.find(({ name }) => name !== host.name) ?? host;
      await this.#start(host.desk === DESK ? other : host, ['resume', ...(argv[1] === 'pack' ? argv.slice(2, 3) : [])]);
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
    if (this.#isPiped) this.#countCopied();
    for (const host of [...this.#hosts, this.#away]) host.boot += "'";
    if (this.#isSynced) return;
    const runs = this.#runs().map((run) => {
      const journal = disk.text(`${run}/journal.ndjson`) ?? '';
      return { journal, ...this.#sayingOf(run) };
    });
    this.#cut = { at: this.#schedule.now, runs };
  }

  /** The folders of all runs, without one that was handed over. */
  #runs(): readonly string[] {
    const folders = [DESK, AWAY].flatMap((desk) =>
      this.#machine.disk.names(runsOf(desk)).map((name) => `${runsOf(desk)}/${name}`),
    );
    const handedOver = `${runsOf(DESK)}/${this.#handOver?.run}`;
    return folders.filter((folder) => !folder.includes('/.') && folder !== handedOver);
  }

  #sayingOf(folder: string): Said {
    const textOf = (name: string): string => this.#machine.disk.text(`${folder}/${name}`) ?? '';
    return {
      run: folder.split('/').at(-1) ?? '',
      at: this.#schedule.now,
      results: textOf('results.csv'),
      undelivered: textOf('undelivered.ndjson'),
    };
  }

  /** Everything works again, and nothing that was stopped is left. */
  #heal(): void {
    const { network, disk, processes, rateStore } = this.#machine;
    this.#isHealed = true;
    this.#machine.trace('everything works again');
    for (const one of processes) one.end(null, 'the machine was started anew');
    network.phases = [];
    Object.assign(network.faults, NO_FAULTS);
    network.latency = 5;
    rateStore.failing = 0;
    disk.heal();
  }

  /** Somebody finishes each run, and uploads the files again. */
  #finish(): Promise<void> {
    const [host] = this.#hosts;
    if (host === undefined) throw new Error('no host');
    return this.#act(async () => {
      await this.#wait(3 * MINUTE);
      const resume = async (run: string): Promise<void> => {
        for (let n = 0; n < (this.#isPiped ? 3 : 20); n += 1) {
          const { exitCode } = await this.#start(run.startsWith(AWAY) ? this.#away : host, [
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
      if (this.#handOver !== undefined) await this.#start(this.#away, ['resume', ARCHIVE]);
      const before = this.#runs();
      for (const run of before) await resume(run);
      const [first] = this.#files;
      for (const file of this.#isPiped ? [] : this.#uploaded.keys()) {
        for (const [shard, place] of this.#shards.entries()) await this.#upload(place, file, shard);
        const isGone = this.#handOver !== undefined && file === first?.name;
        if (this.#shards.length === 0 && !isGone) await this.#upload(host, file, undefined);
      }
      // An upload may have made the folder of a shard again.
      for (const run of this.#runs()) if (this.#shards.length > 0 || !before.includes(run)) await resume(run);
      const shards = this.#shards.map(({ desk }, shard) => `${runsOf(desk)}/nightly-${shard}of${this.#shards.length}`);
      if (shards.length > 0) this.#merged = await this.#start(host, ['runs', 'merge', ...shards, '--json']);
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

  async #start(
    host: Host,
    argv: readonly string[],
    { pipe, ...disasters }: Partial<ProcessPlan> = {},
  ): Promise<Process> {
    const { network } = this.#machine;
    const env = { SIGNALS_BASE_URL: 'http://127.0.0.1:8080', SIGNALS_API_KEY: network.key, NO_COLOR: '1' };
    const store = this.#isShared ? { SIGNALS_RATE_STORE: 'redis://store' } : {};
    const what = Object.keys(disasters)[0];
    const happens = what === undefined || this.#happens(`${what} of process ${this.#machine.processes.length}`);
    const started = new Process(this.#machine, {
      host,
      argv,
      env: { ...env, ...store },
      pipe,
      ...(happens ? disasters : {}),
    });
    started.start(this.#program);
    if (happens && disasters.stopAfter?.ms === LONG) void this.#rescue(started);
    await started.ended;
    // Packing finishes nothing: what a full disk cut off is still there.
    if (started.run !== '' && argv[0] !== 'runs' && [0, 3, 4].includes(started.exitCode ?? 1))
      this.#said.push(this.#sayingOf(`${runsOf(host.desk)}/${started.run}`));
    if (this.#packing !== undefined && this.#machine.disk.text(ARCHIVE) !== undefined)
      this.#handOver ??= { ...this.#packing, at: this.#schedule.now };
    return started;
  }
}

function runsOf(desk: string): string {
  return `${desk}/signals-runs`;
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
