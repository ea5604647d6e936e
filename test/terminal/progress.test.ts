import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyEvent } from '../../src/journal/apply-event.ts';
import { displayWidth } from '../../src/lib/printable.ts';
import type { RunEvent, ThrottleChanged } from '../../src/model/event.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { createProgress, loadBars, type Progress, type ProgressOptions } from '../../src/terminal/progress.ts';
import { type ProgressView, renderLive, renderPlain } from '../../src/terminal/progress-meter.ts';
import { books, type Parts, settled, started } from '../support/run-states.ts';

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
    .slice(-4)
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '');
}

function at(delivered: number, read = delivered * 1000, parts: Parts = {}): RunState {
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
const resumed: RunEvent = { event: 'attempt.started', time: '2026-11-20T09:15:04Z', batch: '1', attempt: 1, bytes: 9 };
const start: RunEvent = started(['in.csv']);

const bars = await loadBars({ draws: true });
let progress: Progress | undefined;

function show(screen: Screen, options: Partial<ProgressOptions> = {}): Progress {
  progress = createProgress({
    stream: screen,
    bars: screen.isTTY ? bars : undefined,
    now: () => Date.now(),
    totalBytes: 30 * MB,
    ...options,
  });
  const { on, ...others } = progress;
  let { throttle } = books();
  // The run states of the tests know no pauses: they come from the events.
  return {
    ...others,
    on(event, runState) {
      const current = { ...runState, throttle };
      applyEvent(current, event);
      ({ throttle } = current);
      on(event, { ...runState, throttle });
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T09:15:02Z') });
});
afterEach(() => {
  progress?.stop();
  vi.useRealTimers();
});

const runState = books({
  rows: { read: 12_300, invalid: 50, delivered: 12_000, pending: 250 },
  batches: { delivered: 120, pending: 3 },
  service: { accepted: 11_900, deduplicated: 80, rejected: 20 },
  sources: [{ name: 'in.csv', size: 30 * MB, read: 12.3 * MB, rows: 12_300, ended: false }],
});

const view: ProgressView = { runState, share: 0.41, throughput: 1234.5, msLeft: 14_200, waiting: undefined };

const outage = { why: 'HTTP 503', retryMs: 2_200, giveUpAt: new Date('2026-11-20T18:17:02Z') };

describe('a live frame', () => {
  it.each([59, 79, 119, 199])('has the same columns at %i columns, however large the counts become', (columns) => {
    const rows = { ...runState.rows, read: 99_999_999, invalid: 9_999_999 };
    const service = { ...runState.service, accepted: 99_999_999, deduplicated: 1_234_567, rejected: 12_345_678 };
    const most = { share: 1, throughput: 234_567, msLeft: 359_999_000 };
    const large = renderLive({ ...view, ...most, runState: { ...runState, rows, service } }, columns);
    const small = renderLive({ ...view, share: 0, throughput: 0, msLeft: undefined }, columns);
    expect(large[1]).toBe(small[1]);
    for (const [index, line] of large.slice(0, 3).entries()) {
      expect(displayWidth(line)).toBe(displayWidth(small[index] ?? ''));
      expect(line).not.toMatch(/…/);
    }
    expect(large[2]?.trim().split(/ +/)).toHaveLength(6);
  });

  it('says why nothing is sent, and until when', () => {
    const status = (waiting: ProgressView['waiting']): string | undefined => renderLive({ ...view, waiting }, 100)[3];
    // In the zone of the machine.
    const [hour, minute] = [outage.giveUpAt.getHours(), outage.giveUpAt.getMinutes()].map((part) =>
      `${part}`.padStart(2, '0'),
    );
    expect(status(outage)).toBe(`HTTP 503 · retry in 3 s · gives up at ${hour}:${minute}`);
    expect(status({ ...outage, retryMs: 0 })).toMatch(/^HTTP 503 · retrying · gives up at /);
  });

  it.each([1, 5, 20, 39, 40, 60, 79, 80, 200])('is never wider than %i columns', (columns) => {
    const wide: ProgressView = { ...view, waiting: { why: '日本語'.repeat(60), retryMs: 5000 } };
    for (const line of renderLive(wide, columns)) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });
});

describe('a plain line', () => {
  it('has the same facts in one line', () => {
    expect(renderPlain({ ...view, waiting: outage })).toBe(
      '41%, 12,300 rows, 50 invalid, 123 batches, 11,900 accepted, 80 deduplicated, 20 rejected, 1,235 rows/s, 15 s left. HTTP 503 · retry in 3 s · gives up at 18:17Z',
    );
  });
});

describe('live progress', () => {
  it('draws four lines in place, at most ten times a second', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    for (let tick = 0; tick < 1000; tick += 1) {
      shown.on(start, at(tick));
      vi.advanceTimersByTime(1);
    }
    const { text } = screen;
    const frames = text.split(' left').length - 1;
    expect(frames).toBeGreaterThanOrEqual(9);
    expect(frames).toBeLessThanOrEqual(10);
    // Each frame but the first goes back up the three line ends that it wrote.
    expect(text.split('\n')).toHaveLength(frames * 3 + 1);
    expect(text).toContain(`${ESC}[3A`);
  });

  it('shows the newest counts, the speed over the last seconds, and the time left', () => {
    const screen = new Screen(true, 120);
    const shown = show(screen);
    // 100 records and 100 kB a second.
    for (let second = 0; second <= 15; second += 1) {
      shown.on(start, at(second * 100));
      vi.advanceTimersByTime(1000);
    }
    const [first = '', , third = ''] = frame(screen.text);
    expect(first).toMatch(/ 5% +(?:[89]\d|1[01]\d) rows\/s +[45] min(?: \d+ s)? left$/);
    expect(third.trim()).toMatch(/^1,500 +0 +1 +1,500 +0 +0$/);
  });

  it('counts a pause down, and removes it when sending resumes', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    shown.on(paused(12_000), at(10));
    vi.advanceTimersByTime(200);
    expect(frame(screen.text)[3]).toBe('The service asked to wait · retry in 12 s');
    vi.advanceTimersByTime(5000);
    expect(frame(screen.text)[3]).toBe('The service asked to wait · retry in 7 s');
    vi.advanceTimersByTime(20_000);
    expect(frame(screen.text)[3]).toBe('The service asked to wait · retrying');
    shown.on(resumed, at(10));
    screen.take();
    vi.advanceTimersByTime(200);
    expect(screen.text).not.toContain('asked');
  });

  it('tells an outage until the next delivery, also while a request probes', () => {
    const screen = new Screen(true);
    const shown = show(screen);
    const status = (): string => {
      screen.take();
      vi.advanceTimersByTime(200);
      return frame(screen.text)[3] ?? '';
    };
    const runState = at(10);
    shown.on({ ...paused(6000, 'HTTP 500'), giveUpMs: 60_000 }, runState);
    expect(status()).toMatch(/^HTTP 500 · retry in 6 s · gives up at \d\d:16$/);
    vi.advanceTimersByTime(6000);
    shown.on(resumed, runState);
    expect(status()).toMatch(/^HTTP 500 · retrying · gives up at \d\d:16$/);
    shown.on(settled('1', {}), runState);
    expect(status()).toBe('');
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
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(23);
    // The narrower terminal has wrapped the old lines: they are scrolled away.
    expect(screen.text).toContain(`${'\n'.repeat(24)}${ESC}[1;1H${ESC}[0J`);
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
    // Up to the first of the four lines, to its first column, and everything below is cleared.
    expect(end.endsWith(`${ESC}[3A${ESC}[1G${ESC}[0J`)).toBe(true);
    shown.on(start, at(20));
    shown.stop();
    vi.advanceTimersByTime(5000);
    expect(screen.text).toBe('');
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
      '2026-11-20T09:15:12Z 0%, 10 rows, 0 invalid, 1 batch, 10 accepted, 0 deduplicated, 0 rejected, 0 rows/s, — left. The service asked to wait · retry in 50 s',
    );
    expect(lines[2]).toMatch(/ · retry in 30 s$/);
    expect(screen.text).not.toContain(ESC);
    expect(screen.text).not.toContain('\r');
  });

  it('writes the beginning and the end of an outage at once', () => {
    const screen = new Screen(false);
    const shown = show(screen);
    shown.on({ ...paused(6000, 'HTTP 500'), giveUpMs: 60_000 }, at(10));
    vi.advanceTimersByTime(1000);
    expect(screen.take()).toMatch(/^2026-11-20T09:15:03Z .*\. HTTP 500 · retry in 5 s · gives up at 09:16Z\n$/);
    vi.advanceTimersByTime(30_000);
    expect(screen.take()).toBe('');
    shown.on(settled('1', {}), at(10));
    vi.advanceTimersByTime(1000);
    expect(screen.take()).toMatch(/^2026-11-20T09:15:34Z .* left\n$/);
  });
});
