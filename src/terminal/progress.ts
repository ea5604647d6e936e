/**
 * Shows the progress of a run on a terminal, or as plain lines. It reads events and changes nothing: a run without
 * progress is the same run. The only importer of cli-progress, which is loaded only for a terminal.
 */
import type { MultiBar } from 'cli-progress';
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import { ProgressMeter, type ProgressMeterOptions } from './progress-meter.ts';
import { renderLive, renderPlain } from './progress-text.ts';

export interface ProgressOptions extends ProgressMeterOptions {
  readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** From {@link loadBars}; undefined for plain lines. */
  readonly bars: Bars | undefined;
}

export type Bars = typeof MultiBar;

/** Loads cli-progress if the stream can draw. */
export async function loadBars({ draws }: { readonly draws: boolean }): Promise<Bars | undefined> {
  return draws ? (await import('cli-progress')).default.MultiBar : undefined;
}

export interface Progress {
  on(event: RunEvent, ledger: Ledger): void;
  /** Writes a line that the display does not overwrite. It must be safe for a terminal. */
  note(line: string): void;
  /** Ends the display and restores the terminal. May be called twice. */
  stop(): void;
}

interface Display {
  note(line: string): void;
  stop(): void;
}

const FRAMES_PER_SECOND = 10;
const TICK_MS = 1_000;
const PLAIN_EVERY_MS = 10_000;
/** After {@link LONG_RUN_MS}. */
const LONG_RUN_EVERY_MS = 60_000;
const LONG_RUN_MS = 600_000;
const LIVE_LINES = [0, 1, 2] as const;

export function createProgress(options: ProgressOptions): Progress {
  const { bars, stream } = options;
  const meter = new ProgressMeter(options);
  let display: Display | undefined;
  let isStopped = false;
  return {
    on(event, ledger) {
      if (isStopped) return;
      meter.update(event, ledger);
      display ??= bars === undefined ? plainDisplay(options, meter) : liveDisplay(bars, stream, meter);
    },
    note(line) {
      if (display === undefined) stream.write(`${line}\n`);
      else display.note(line);
    },
    stop() {
      isStopped = true;
      display?.stop();
      display = undefined;
    },
  };
}

/** Draws three lines in place. cli-progress owns the timer and the cursor; each line is a bar with our own text. */
function liveDisplay(Multi: Bars, stream: ProgressOptions['stream'], meter: ProgressMeter): Display {
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
  // Restores the cursor if a second Ctrl-C ends the process.
  process.once('exit', stop);
  return { stop, note: (line) => bars.log(`${line}\n`) };
}

/** Writes whole lines without escape codes. A run shorter than the first interval writes none. */
function plainDisplay({ stream, now }: ProgressOptions, meter: ProgressMeter): Display {
  const began = now();
  let due = PLAIN_EVERY_MS;
  const timer = setInterval(() => {
    const view = meter.view();
    const elapsed = now() - began;
    if (view === undefined || elapsed < due) return;
    stream.write(`${renderPlain(view)}\n`);
    due = elapsed + (elapsed >= LONG_RUN_MS ? LONG_RUN_EVERY_MS : PLAIN_EVERY_MS);
  }, TICK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer), note: (line) => void stream.write(`${line}\n`) };
}
