import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { displayWidth } from '../../src/lib/printable.ts';
import type { RunEvent, ThrottleChanged } from '../../src/model/event.ts';
import type { Ledger } from '../../src/model/ledger.ts';
import { createProgress, loadBars, type Progress, type ProgressOptions } from '../../src/terminal/progress.ts';
import { type ProgressView, renderLive, renderPlain } from '../../src/terminal/progress-text.ts';
import { books, type Parts, started } from '../support/ledgers.ts';

/** A terminal that stores what is written. */
class Screen extends Writable {
  readonly isTTY: boolean;
  columns: number;
  text = '';
  writes = 0;

  constructor(isTTY: boolean, columns = 80) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.writes += 1;
    done();
  }

  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }
}

const ESC = '\x1b';
const MB = 1_000_000;

/** The lines of the last frame, without escape codes. */
function frame(text: string): readonly string[] {
  const bare = text.replaceAll(new RegExp(`${ESC}\\[\\??[\\d;]*[A-Za-z]`, 'g'), '\r');
  return bare
    .split('\n')
    .slice(-3)
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '');
}

function at(delivered: number, read = delivered * 1000, parts: Parts = {}): Ledger {
  return books({
    state: 'running',
    rows: { read: delivered, delivered },
    batches: { sealed: 1 },
    service: { accepted: delivered },
    sources: [{ name: 'in.csv', size: 30 * MB, read, rows: delivered, ended: false }],
    ...parts,
  });
}

function paused(ms: number, why = 'the service asked to wait'): ThrottleChanged {
  return { event: 'throttle.changed', time: '2026-11-20T09:15:03Z', state: 'paused', ms, why };
}
const opened: ThrottleChanged = { event: 'throttle.changed', time: '2026-11-20T09:15:04Z', state: 'open' };
const start: RunEvent = started(['in.csv']);

const bars = await loadBars({ draws: true });
let progress: Progress | undefined;

function show(screen: Screen, options: Partial<ProgressOptions> = {}): Progress {
  progress = createProgress({
    stream: screen,
    bars: screen.isTTY ? bars : undefined,
    now: () => Date.now(),
    type: 'signals',
    totalBytes: 30 * MB,
    ...options,
  });
  return progress;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  progress?.stop();
  vi.useRealTimers();
});

const view: ProgressView = {
  type: 'signals',
  rows: books({ rows: { read: 12_300, invalid: 50, delivered: 12_000, pending: 250 } }).rows,
  batches: books({ batches: { delivered: 120, pending: 3 } }).batches,
  service: books({ service: { accepted: 11_900, deduplicated: 80, rejected: 20 } }).service,
  bytesRead: 12.3 * MB,
  bytesTotal: 30 * MB,
  throughput: 1234.5,
  msLeft: 14_200,
  paused: undefined,
};

describe('a live frame', () => {
  it('shows bytes, rows, batches, counts, speed and time left in three lines', () => {
    expect(renderLive(view, 100)).toEqual([
      '████████████░░░░░░░░░░░░░░░░░░  41%  12.3 MB of 30.0 MB  1,235 records/s  15 s left',
      '12,300 rows · 50 invalid · 123 batches · 12,000 delivered',
      '11,900 accepted · 80 deduplicated · 20 rejected',
    ]);
  });

  it('shows promoted leads for social events, and rows that failed', () => {
    const social: ProgressView = {
      ...view,
      type: 'social',
      service: { ...view.service, promoted: 7 },
      rows: { ...view.rows, refused: 1, exhausted: 2000, unknown: 3 },
    };
    expect(renderLive(social, 120).slice(1)).toEqual([
      '12,300 rows · 50 invalid · 123 batches · 12,000 delivered · 1 refused · 2,000 exhausted · 3 unknown',
      '7 promoted',
    ]);
  });

  it('starts the last line with the countdown of a pause', () => {
    const waiting: ProgressView = {
      ...view,
      paused: { why: 'the service asked\x1b[2J to wait', ms: 11_200 },
    };
    expect(renderLive(waiting, 100)[2]).toBe(
      'The service asked\\x1b[2J to wait; retry in 12 s · 11,900 accepted · 80 deduplicated · 20 rejected',
    );
    expect(renderLive({ ...view, paused: { why: 'wait', ms: 0 } }, 100)[2]).toMatch(/^Wait; retrying · /);
    expect(renderLive({ ...view, concurrency: 4 }, 100)[2]).toMatch(/^concurrency limited to 4 · /);
    expect(renderPlain({ ...view, concurrency: 4 })).toMatch(/^concurrency limited to 4, /);
  });

  it('has no bar and no percentage if the total is unknown', () => {
    const piped: ProgressView = { ...view, bytesTotal: undefined, throughput: undefined, msLeft: undefined };
    expect(renderLive(piped, 100)[0]).toBe('12.3 MB read  — left');
  });

  it('shows at most 100%, and 100% only for everything', () => {
    expect(renderLive({ ...view, bytesRead: 31 * MB }, 100)[0]).toMatch(/^█{30} {2}100% /);
    expect(renderLive({ ...view, bytesRead: 29.99 * MB }, 100)[0]).toMatch(/ 99% /);
    expect(renderLive({ ...view, bytesRead: 0, bytesTotal: 0 }, 100)[0]).toMatch(/100%/);
  });

  it.each([1, 5, 20, 39, 40, 60, 79, 80, 200])('is never wider than %i columns', (columns) => {
    const wide: ProgressView = { ...view, paused: { why: '日本語'.repeat(60), ms: 5000 } };
    for (const line of renderLive(wide, columns)) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });
});

describe('a plain line', () => {
  it('has the same facts in one line', () => {
    expect(renderPlain(view)).toBe(
      '41% (12.3 MB of 30.0 MB), 12,300 rows, 50 invalid, 123 batches, 12,000 delivered, 11,900 accepted, 80 deduplicated, 20 rejected, 1,235 records/s, 15 s left',
    );
  });

  it('omits deliveries in a check', () => {
    expect(renderPlain({ ...view, checking: true })).toBe(
      '41% (12.3 MB of 30.0 MB), 12,300 rows, 50 invalid, 123 batches, 1,235 rows/s, 15 s left',
    );
    expect(renderLive({ ...view, checking: true }, 100)).toEqual([
      '████████████░░░░░░░░░░░░░░░░░░  41%  12.3 MB of 30.0 MB  1,235 rows/s  15 s left',
      '12,300 rows · 50 invalid · 123 batches',
      '',
    ]);
  });

  it('starts with the pause', () => {
    expect(renderPlain({ ...view, paused: { why: 'the service asked to wait', ms: 90_000 } })).toMatch(
      /^The service asked to wait; retry in 1 min 30 s, 41% /,
    );
  });
});

describe('live progress', () => {
  it('draws nothing before the first event', () => {
    const screen = new Screen(true);
    show(screen);
    vi.advanceTimersByTime(5000);
    expect(screen.text).toBe('');
  });

  it('draws three lines in place, at most ten times a second', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    for (let tick = 0; tick < 1000; tick += 1) {
      shown.on(start, at(tick));
      vi.advanceTimersByTime(1);
    }
    const { text } = screen;
    const frames = text.split('left').length - 1;
    expect(frames).toBeGreaterThanOrEqual(9);
    expect(frames).toBeLessThanOrEqual(10);
    // Each frame but the first goes back up the two line ends that it wrote.
    expect(text.split('\n')).toHaveLength(frames * 2 + 1);
    expect(text).toContain(`${ESC}[2A`);
  });

  it('shows the newest counts, the speed over the last seconds, and the time left', () => {
    const screen = new Screen(true, 120);
    const shown = show(screen);
    // 100 records and 100 kB a second.
    for (let second = 0; second <= 15; second += 1) {
      shown.on(start, at(second * 100));
      vi.advanceTimersByTime(1000);
    }
    const [first = '', second = '', third = ''] = frame(screen.text);
    expect(first).toMatch(/ 5% {2}1\.5 MB of 30\.0 MB {2}(?:9\d|1[01]\d) records\/s {2}4 min (?:3|4|5)\d s left$/);
    expect(second).toBe('1,500 rows · 0 invalid · 1 batch · 1,500 delivered');
    expect(third).toBe('1,500 accepted · 0 deduplicated · 0 rejected');
  });

  it('makes no estimate in the first two seconds', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    for (let tick = 0; tick < 19; tick += 1) {
      shown.on(start, at(tick * 10));
      vi.advanceTimersByTime(100);
    }
    expect(screen.text).not.toContain('records/s');
    expect(frame(screen.text)[0]).toMatch(/ — left$/);
  });

  it('knows the total once every pipe has ended', () => {
    const screen = new Screen(true);
    const shown = show(screen, { totalBytes: undefined });
    shown.on(start, at(10));
    vi.advanceTimersByTime(200);
    expect(frame(screen.text)[0]).toBe('10.0 kB read  — left');
    shown.on(start, at(10, 10_000, { sources: [{ name: 'stdin', read: 10_000, rows: 10, ended: true }] }));
    vi.advanceTimersByTime(200);
    expect(frame(screen.text)[0]).toMatch(/100% {2}10\.0 kB of 10\.0 kB/);
  });

  it('counts a pause down, and removes it when sending resumes', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    shown.on(paused(12_000), at(10));
    vi.advanceTimersByTime(200);
    expect(frame(screen.text)[2]).toMatch(/^The service asked to wait; retry in 12 s · /);
    vi.advanceTimersByTime(5000);
    expect(frame(screen.text)[2]).toMatch(/^The service asked to wait; retry in 7 s · /);
    vi.advanceTimersByTime(20_000);
    expect(frame(screen.text)[2]).toMatch(/^The service asked to wait; retrying · /);
    shown.on(opened, at(10));
    vi.advanceTimersByTime(200);
    expect(frame(screen.text)[2]).toMatch(/^10 accepted · /);
  });

  it('shows no absurd speed after the machine slept', () => {
    const screen = new Screen(true, 120);
    const shown = show(screen);
    for (let second = 0; second < 10; second += 1) {
      if (second === 5) vi.setSystemTime(Date.now() + 3_600_000);
      shown.on(start, at(second * 100));
      vi.advanceTimersByTime(1000);
      const [first = ''] = frame(screen.take());
      // 30 MB at 100 kB a second are five minutes; a short window still sees the steps of a second.
      expect(first).toMatch(/(?:[3-7] min(?: \d+ s)?|—) left$/);
      if (first.includes('records/s')) expect(first).toMatch(/ (?:[6-9]\d|1[0-4]\d) records\/s/);
    }
  });

  it('fits the width of the terminal, also after a change', () => {
    const screen = new Screen(true, 100);
    const shown = show(screen);
    shown.on(start, at(12_000, 12 * MB, { rows: { read: 12_000, delivered: 12_000, unknown: 3 } }));
    vi.advanceTimersByTime(300);
    screen.columns = 24;
    screen.take();
    vi.advanceTimersByTime(300);
    const lines = frame(screen.text);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(23);
    expect(lines[1]).toMatch(/^12,000 rows.*…$/);
  });

  it('hides the cursor while it draws, and restores it with a clean line', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    shown.on(start, at(10));
    vi.advanceTimersByTime(500);
    expect(screen.take()).toContain(`${ESC}[?25l`);
    shown.stop();
    const end = screen.take();
    expect(end).toContain(`${ESC}[?25h`);
    // Up to the first of the three lines, to its first column, and everything below is cleared.
    expect(end.endsWith(`${ESC}[2A${ESC}[1G${ESC}[0J`)).toBe(true);
    shown.on(start, at(20));
    shown.stop();
    vi.advanceTimersByTime(5000);
    expect(screen.text).toBe('');
  });

  it('never disables line wrapping', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    shown.on(start, at(10));
    vi.advanceTimersByTime(500);
    shown.stop();
    expect(screen.text).not.toContain(`${ESC}[?7`);
  });

  it('restores the cursor when the process exits', () => {
    const before = process.listeners('exit');
    const screen = new Screen(true);
    const shown = show(screen);
    shown.on(start, at(10));
    const added = process.listeners('exit').filter((listener) => !before.includes(listener));
    expect(added).toHaveLength(1);
    added[0]?.(130);
    expect(screen.text).toContain(`${ESC}[?25h`);
    shown.stop();
    expect(process.listeners('exit')).toEqual(before);
  });

  it('can be stopped before the first event', () => {
    const screen = new Screen(true);
    show(screen).stop();
    expect(screen.text).toBe('');
  });
});

describe('plain progress', () => {
  it('writes nothing in a run shorter than ten seconds', () => {
    const screen = new Screen(false);
    const shown = show(screen);
    shown.on(start, at(10));
    vi.advanceTimersByTime(9_900);
    shown.stop();
    vi.advanceTimersByTime(60_000);
    expect(screen.text).toBe('');
  });

  it('writes a line every ten seconds, without escape codes, also without events', () => {
    const screen = new Screen(false);
    show(screen).on(paused(60_000), at(10));
    vi.advanceTimersByTime(30_500);
    const lines = screen.text.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(
      'The service asked to wait; retry in 50 s, 0% (10.0 kB of 30.0 MB), 10 rows, 0 invalid, 1 batch, 10 delivered, 10 accepted, 0 deduplicated, 0 rejected, 0 records/s, — left',
    );
    expect(lines[2]).toMatch(/; retry in 30 s, /);
    expect(screen.text).not.toContain(ESC);
    expect(screen.text).not.toContain('\r');
  });

  it('writes a line a minute once the run is long', () => {
    const screen = new Screen(false);
    show(screen).on(start, at(10));
    vi.advanceTimersByTime(600_500);
    expect(screen.take().split('\n')).toHaveLength(61);
    vi.advanceTimersByTime(300_000);
    expect(screen.take().split('\n')).toHaveLength(6);
  });

  it('estimates the end of a check by the rows read', () => {
    const screen = new Screen(false);
    const check = show(screen, { checking: true });
    const pending = (rows: number): Ledger =>
      at(0, rows * 1000, { rows: { read: rows, pending: rows }, batches: { pending: 1 } });
    for (let second = 0; second < 11; second += 1) {
      check.on(start, pending(1000 * (second + 1)));
      vi.advanceTimersByTime(1_000);
    }
    // A million bytes and a thousand rows a second; 10 of 30 million are read.
    expect(screen.take()).toMatch(/^3\d% .*, 1,000 rows\/s, (?:19|20) s left\n$/);
  });
});
