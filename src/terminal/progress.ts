/**
 * Progress on a screen, or as plain lines where there is none. A reader of events: it holds nothing that anybody
 * else needs, and a run without it is the same run. The only importer of cli-progress, and only where it draws.
 *
 * Times are measured in short steps between looks at the clock that is handed in, and a step backwards or far
 * ahead (a clock that was set, a machine that slept) counts as nothing: no such jump ever reaches the screen.
 */
import type { MultiBar } from 'cli-progress';
import { cutToWidth, printable } from '../lib/printable.ts';
import { count, humanBytes, humanDuration, plural, UNKNOWN } from '../lib/units.ts';
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { RecordType } from '../model/record.ts';

export interface ProgressOptions {
  readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Given where the stream is a terminal on which lines may be drawn anew: {@link loadBars}. */
  readonly bars: Bars | undefined;
  /** Milliseconds of any clock. */
  readonly now: () => number;
  readonly type: RecordType;
  /** Bytes of all inputs; undefined where one of them is a pipe. */
  readonly totalBytes: number | undefined;
  /** A check sends nothing: a row that was read is done, and nothing is said of deliveries. */
  readonly checking?: boolean;
  /** Between two plain lines; six times as long once the run is longer than 10 minutes. Default: 10 s. */
  readonly plainEveryMs?: number;
}

/** What draws bars. */
export type Bars = typeof MultiBar;

/** Resolves to nothing, at no cost, where nothing is drawn. */
export async function loadBars({ draws }: { readonly draws: boolean }): Promise<Bars | undefined> {
  return draws ? (await import('cli-progress')).default.MultiBar : undefined;
}

export interface Progress {
  on(event: RunEvent, ledger: Ledger): void;
  /** Writes a line so that the display does not draw over it. The line is safe for a terminal already. */
  note(line: string): void;
  /** Ends the display and gives the terminal back as it was. Nothing is shown afterwards; may be called twice. */
  stop(): void;
}

interface Display {
  note(line: string): void;
  stop(): void;
}

/** What a display shows, as plain data: the renderers below know no clock and no stream. */
export interface View {
  readonly type: RecordType;
  readonly rows: Ledger['rows'];
  readonly batches: Ledger['batches'];
  readonly service: Ledger['service'];
  readonly bytesRead: number;
  /** Undefined where nobody knows yet. */
  readonly bytesTotal: number | undefined;
  readonly checking?: boolean;
  /** Records delivered a second, of a check rows read a second, over the last seconds. */
  readonly rate: number | undefined;
  readonly msLeft: number | undefined;
  /** The throttle: why all sending waits, and for how long yet. */
  readonly paused: { readonly why: string; readonly ms: number } | undefined;
  /** Requests at once, where the service made them fewer than was asked for. */
  readonly concurrency?: number;
}

const FRAMES_PER_SECOND = 10;
const TICK_MS = 1_000;
const PLAIN_EVERY_MS = 10_000;
const LONG_RUN_MS = 600_000;
const LONG_FACTOR = 6;
/** A longer step of the clock is a jump: the display looks at it ten times a second, or once. */
const JUMP_MS = 30_000;
const WINDOW_MS = 10_000;
const SAMPLE_MS = 250;
/** Before that, a rate is an accident. */
const SETTLED_MS = 2_000;
/** A longer forecast is no help to anybody. */
const FORECAST_LIMIT_MS = 99 * 3_600_000;
const WHY_LIMIT = 120;

export function createProgress(options: ProgressOptions): Progress {
  let ledger: Ledger | undefined;
  const time = createStopwatch(options.now);
  const speed = createSpeed();
  let pause: { readonly from: number; readonly ms: number; readonly why: string } | undefined;
  let display: Display | undefined;
  let stopped = false;

  const look = (): View | undefined => {
    if (ledger === undefined) return undefined;
    const elapsed = time.elapsed();
    const bytesRead = sum(ledger.sources.map((source) => source.read));
    const ended = ledger.sources.every((source) => source.ended);
    const bytesTotal = ended ? bytesRead : options.totalBytes;
    const { rows } = ledger;
    const checking = options.checking === true;
    const settled = checking ? rows.read : rows.read - rows.pending;
    const done = rows.read === 0 ? 0 : bytesRead * (settled / rows.read);
    speed.add({ at: elapsed, jumps: time.jumps(), records: checking ? rows.read : rows.delivered, done });
    return {
      type: options.type,
      checking,
      rows,
      batches: ledger.batches,
      service: ledger.service,
      bytesRead,
      bytesTotal,
      rate: speed.records(),
      msLeft: bytesTotal === undefined ? undefined : speed.left(bytesTotal - done),
      paused: pause && { why: pause.why, ms: Math.max(0, pause.ms - (elapsed - pause.from)) },
      ...(ledger.throttle.concurrency === undefined ? {} : { concurrency: ledger.throttle.concurrency }),
    };
  };

  return {
    on(event, books) {
      if (stopped) return;
      ledger = books;
      if (event.event === 'throttle.changed' && event.state !== 'paced') {
        pause =
          event.state === 'open'
            ? undefined
            : { from: time.elapsed(), ms: event.ms ?? 0, why: event.why ?? 'sending paused' };
      }
      display ??=
        options.bars === undefined
          ? plainDisplay(options, time.elapsed, look)
          : liveDisplay(options.bars, options.stream, look);
    },
    note(line) {
      if (display === undefined) options.stream.write(`${line}\n`);
      else display.note(line);
    },
    stop() {
      stopped = true;
      display?.stop();
      display = undefined;
    },
  };
}

/** Bars of cli-progress, each a line of our own: it owns the timer and the cursor, we own the words. */
function liveDisplay(Multi: Bars, stream: ProgressOptions['stream'], look: () => View | undefined): Display {
  let lines: readonly string[] = [];
  const bars = new Multi({
    stream,
    fps: FRAMES_PER_SECOND,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
    // Leaves the terminal's own wrapping on: the lines are cut here, and a killed run must not leave it off.
    linewrap: true,
    // Draws unchanged lines too, so that whatever else was written over them is gone with the next frame.
    forceRedraw: true,
  });
  const draw = (): void => {
    const view = look();
    // One column stays free: some terminals wrap as soon as the last one is filled.
    if (view !== undefined) lines = renderLive(view, (stream.columns || 80) - 1);
  };
  bars.on('redraw-pre', draw);
  draw();
  for (const index of LIVE_LINES) {
    bars.create(1, 0, {}, { format: () => lines[index] ?? '' });
  }
  const stop = (): void => {
    process.removeListener('exit', stop);
    bars.stop();
  };
  // A second Ctrl-C ends the process at once: the cursor must come back all the same.
  process.once('exit', stop);
  return { stop, note: (line) => bars.log(`${line}\n`) };
}

/** Whole lines, no escape codes. A run shorter than the first interval says nothing: its summary says it all. */
function plainDisplay(
  { stream, plainEveryMs = PLAIN_EVERY_MS }: ProgressOptions,
  elapsed: () => number,
  look: () => View | undefined,
): Display {
  let due = plainEveryMs;
  const timer = setInterval(
    () => {
      const view = look();
      const at = elapsed();
      if (view === undefined || at < due) return;
      stream.write(`${renderPlain(view)}\n`);
      due = at + (at >= LONG_RUN_MS ? plainEveryMs * LONG_FACTOR : plainEveryMs);
    },
    Math.min(TICK_MS, plainEveryMs),
  );
  timer.unref();
  return { stop: () => clearInterval(timer), note: (line) => void stream.write(`${line}\n`) };
}

const LIVE_LINES = [0, 1, 2] as const;
const BAR_MIN = 8;
const BAR_MAX = 30;

/** Three lines, none wider than `columns`. */
export function renderLive(view: View, columns: number): readonly string[] {
  const facts = [
    readText(view),
    view.rate === undefined ? undefined : `${count(view.rate)} ${rateUnit(view)}`,
    `${humanLeft(view.msLeft)} left`,
  ]
    .filter((fact) => fact !== undefined)
    .join('  ');
  const share = shareRead(view);
  const room = columns - facts.length - 8;
  const bar = share === undefined || room < BAR_MIN ? '' : `${drawBar(share, Math.min(room, BAR_MAX))}  `;
  const percent = share === undefined ? '' : `${percentage(share)}  `;
  return [
    `${bar}${percent}${facts}`,
    [
      plural(view.rows.read, 'row'),
      `${count(view.rows.invalid)} invalid`,
      `${plural(view.batches.sealed, 'batch', 'batches')}`,
      ...deliveredText(view),
      ...troubles(view),
    ].join(' · '),
    [...pausedText(view), ...pacedText(view), ...serviceText(view)].join(' · '),
  ].map((line) => cutToWidth(line, columns));
}

/** One line, without its line end. */
export function renderPlain(view: View): string {
  const share = shareRead(view);
  return [
    ...pausedText(view),
    ...pacedText(view),
    share === undefined ? readText(view) : `${percentage(share)} (${readText(view)})`,
    plural(view.rows.read, 'row'),
    `${count(view.rows.invalid)} invalid`,
    plural(view.batches.sealed, 'batch', 'batches'),
    ...deliveredText(view),
    ...troubles(view),
    ...serviceText(view),
    `${view.rate === undefined ? UNKNOWN : count(view.rate)} ${rateUnit(view)}`,
    `${humanLeft(view.msLeft)} left`,
  ].join(', ');
}

function readText({ bytesRead, bytesTotal }: View): string {
  return bytesTotal === undefined
    ? `${humanBytes(bytesRead)} read`
    : `${humanBytes(bytesRead)} of ${humanBytes(bytesTotal)}`;
}

/** From 0 to 1, or undefined where the total is not known. An input that grew is never more than all. */
function shareRead({ bytesRead, bytesTotal }: View): number | undefined {
  if (bytesTotal === undefined) return undefined;
  return bytesTotal === 0 ? 1 : Math.min(1, Math.max(0, bytesRead / bytesTotal));
}

/** Rounded down: 100% is everything. */
function percentage(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

function drawBar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function troubles({ rows }: View): readonly string[] {
  return (['refused', 'exhausted', 'unknown'] as const)
    .filter((state) => rows[state] > 0)
    .map((state) => `${count(rows[state])} ${state}`);
}

function deliveredText({ checking, rows }: View): readonly string[] {
  return checking === true ? [] : [`${count(rows.delivered)} delivered`];
}

function rateUnit({ checking }: View): string {
  return checking === true ? 'rows/s' : 'records/s';
}

function serviceText({ type, service, checking }: View): readonly string[] {
  if (checking === true) return [];
  return type === 'social'
    ? [`${count(service.promoted)} promoted`]
    : [
        `${count(service.accepted)} accepted`,
        `${count(service.deduplicated)} deduplicated`,
        `${count(service.rejected)} rejected`,
      ];
}

function pausedText({ paused }: View): readonly string[] {
  if (paused === undefined) return [];
  const left = paused.ms > 0 ? ` ${wholeSeconds(paused.ms)}` : '';
  return [`paused${left}: ${printable(paused.why, WHY_LIMIT)}`];
}

function pacedText({ concurrency }: View): readonly string[] {
  return concurrency === undefined ? [] : [`concurrency limited to ${concurrency}`];
}

function humanLeft(ms: number | undefined): string {
  return ms === undefined ? UNKNOWN : wholeSeconds(ms);
}

/** A countdown in tenths would only flicker. */
function wholeSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : humanDuration(seconds * 1000);
}

/** Milliseconds since its making, without the jumps of its clock. */
function createStopwatch(now: () => number): { elapsed(): number; jumps(): number } {
  let last = now();
  let total = 0;
  let jumps = 0;
  return {
    elapsed() {
      const at = now();
      const step = at - last;
      last = at;
      if (step >= 0 && step <= JUMP_MS) total += step;
      else jumps += 1;
      return total;
    },
    jumps: () => jumps,
  };
}

interface Sample {
  readonly at: number;
  readonly jumps: number;
  readonly records: number;
  /** Bytes of input of which all is done. */
  readonly done: number;
}

/** Speeds over a sliding window. Bounded by the window: a sample every quarter of a second at most. */
function createSpeed(): {
  add(sample: Sample): void;
  records(): number | undefined;
  left(bytes: number): number | undefined;
} {
  let samples: Sample[] = [];
  const span = (): { ms: number; records: number; done: number } | undefined => {
    const first = samples[0];
    const last = samples.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < SETTLED_MS) return undefined;
    return { ms: last.at - first.at, records: last.records - first.records, done: last.done - first.done };
  };
  return {
    add(sample) {
      const last = samples.at(-1);
      if (last !== undefined && last.jumps !== sample.jumps) samples = [];
      else if (last !== undefined && sample.at - last.at < SAMPLE_MS) return;
      samples.push(sample);
      samples = samples.filter(({ at }) => sample.at - at <= WINDOW_MS);
    },
    records() {
      const window = span();
      return window && Math.max(0, window.records / (window.ms / 1000));
    },
    left(bytes) {
      const window = span();
      if (window === undefined || window.done <= 0) return undefined;
      const ms = (Math.max(0, bytes) * window.ms) / window.done;
      return ms <= FORECAST_LIMIT_MS ? ms : undefined;
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
