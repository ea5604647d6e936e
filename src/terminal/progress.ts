/**
 * Shows the progress of a run (its figures: progress-meter.ts) on a terminal, or as plain lines. It reads events and changes nothing: a run without
 * progress is the same run. The only importer of cli-progress, which is loaded only for a terminal.
 */
import { clearScreenDown, cursorTo } from 'node:readline';
import type { MultiBar } from 'cli-progress';
import { displayWidth } from '../lib/printable.ts';
import type { RunEvent } from '../model/event.ts';
import type { RunState } from '../model/run-state.ts';
import { wrapLines } from '../report/text-layout.ts';
import { ProgressMeter, type ProgressMeterOptions, renderLive, renderPlain } from './progress-meter.ts';
import type { Output } from './streams.ts';

export interface ProgressOptions extends ProgressMeterOptions {
  readonly stream: Output;
  /** From {@link loadBars}; undefined for plain lines. */
  readonly bars: Bars | undefined;
  /** Time between plain lines, in milliseconds. Default: 10 s, and a minute after ten minutes. */
  readonly everyMs?: number | undefined;
}

export type Bars = typeof MultiBar;

/** Loads cli-progress if the stream can draw. */
export async function loadBars({ draws }: { readonly draws: boolean }): Promise<Bars | undefined> {
  return draws ? (await import('cli-progress')).default.MultiBar : undefined;
}

export interface Progress {
  on(event: RunEvent, runState: RunState): void;
  /** Writes a line that the display does not overwrite. It must be safe for a terminal. */
  note(line: string): void;
  /** Ends the display and restores the terminal. May be called twice. */
  stop(): void;
}

type Display = Pick<Progress, 'note' | 'stop'>;

const FRAMES_PER_SECOND = 10;
const TICK_MS = 1_000;
const CLEAR_RIGHT = '\x1b[K';
const LIVE_LINES = [0, 1, 2, 3] as const;

export function createProgress(options: ProgressOptions): Progress {
  const { bars, stream } = options;
  const meter = new ProgressMeter(options);
  let display: Display | undefined;
  let isStopped = false;
  return {
    on(event, runState) {
      if (isStopped) return;
      meter.update(event, runState);
      display ??= bars === undefined ? plainDisplay(options, meter) : liveDisplay(bars, options, meter);
    },
    note(line) {
      if (display !== undefined) display.note(line);
      else stream.write(bars === undefined ? timed(line) : `${line}\n`);
    },
    stop() {
      isStopped = true;
      display?.stop();
      display = undefined;
    },
  };
}

/** Draws four lines in place. cli-progress owns the timer and the cursor; each line is a bar with our own text. */
function liveDisplay(Multi: Bars, { stream, now }: ProgressOptions, meter: ProgressMeter): Display {
  let lines: readonly string[] = [];
  const bars = new Multi({
    stream,
    fps: FRAMES_PER_SECOND,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
    // Keeps the terminal's wrapping on, which a killed run could not restore. Our lines are cut to the width.
    linewrap: true,
    // Redraws unchanged lines, so that other output does not stay on top of them.
    forceRedraw: true,
  });
  const draw = (): void => {
    const view = meter.view();
    // Some terminals wrap as soon as the last column is filled.
    if (view !== undefined) lines = renderLive(view, sizeOf(stream).columns - 1);
  };
  let clearedAt = Number.NEGATIVE_INFINITY;
  // A terminal that became narrower has wrapped our lines, and some tell us only later: where they are now is unknown.
  // So the screen is scrolled away, but not at each step of a window that is dragged.
  const clearWrapped = (): void => {
    const { columns, rows } = sizeOf(stream);
    if (lines.every((line) => displayWidth(line) <= columns)) return;
    if (now() - clearedAt > TICK_MS) stream.write('\n'.repeat(rows));
    clearedAt = now();
    cursorTo(stream, 0, 0);
    clearScreenDown(stream);
  };
  bars.on('redraw-pre', clearWrapped);
  bars.on('redraw-pre', draw);
  bars.on('stop-pre-clear', clearWrapped);
  draw();
  for (const index of LIVE_LINES) {
    bars.create(1, 0, {}, { format: () => lines[index] ?? '' });
  }
  const stop = (): void => {
    process.removeListener('exit', stop);
    bars.stop();
  };
  // Restores the cursor if a second Ctrl-C ends the process.
  process.once('exit', stop);
  // The note is written over the display: each of its lines ends by clearing what is behind it.
  const note = (text: string): void => {
    for (const line of wrapLines(text, sizeOf(stream).columns - 1)) bars.log(`${line}${CLEAR_RIGHT}\n`);
  };
  return { stop, note };
}

/** Asks the system, because `columns` changes only when the event loop gets to it. */
function sizeOf(stream: Output): { readonly columns: number; readonly rows: number } {
  const [columns, rows] = stream.getWindowSize?.() ?? [stream.columns, undefined];
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Writes whole lines without escape codes, each with its time. A run shorter than the first interval writes none. The
 * beginning and the end of an outage are written at once.
 */
function plainDisplay({ stream, now, everyMs }: ProgressOptions, meter: ProgressMeter): Display {
  const began = now();
  let due = reportIntervalMs(0, everyMs);
  let wasOutage = false;
  const timer = setInterval(
    () => {
      const view = meter.view();
      const elapsed = now() - began;
      const isOutage = view?.waiting?.giveUpAt !== undefined;
      if (view === undefined || (elapsed < due && isOutage === wasOutage)) return;
      wasOutage = isOutage;
      stream.write(timed(renderPlain(view)));
      due = elapsed + reportIntervalMs(elapsed, everyMs ?? (isOutage ? OUTAGE_EVERY_MS : undefined));
    },
    Math.min(TICK_MS, due),
  );
  timer.unref();
  return { stop: () => clearInterval(timer), note: (line) => void stream.write(timed(line)) };
}

const USUAL_MS = 10_000;
const OUTAGE_EVERY_MS = 60_000;
const LONG_RUN_EVERY_MS = 60_000;
const LONG_RUN_MS = 600_000;

/** Time between two lines about the progress, in milliseconds. @param givenMs `log_interval`, which replaces it */
export function reportIntervalMs(elapsedMs: number, givenMs: number | undefined): number {
  return givenMs ?? (elapsedMs >= LONG_RUN_MS ? LONG_RUN_EVERY_MS : USUAL_MS);
}

/** A line of a log: the time in UTC, to the second. */
function timed(line: string): string {
  return `${new Date().toISOString().slice(0, 19)}Z ${line}\n`;
}
