import { describe, expect, it } from 'vitest';
import { seriesText, table, targetsText } from '../../bench/report.mjs';
import { placed } from '../../bench/results.mjs';
import { median, ratio } from '../../bench/rounds.mjs';
import { judge, reached } from '../../bench/targets.mjs';

const walls = (...seconds) => seconds.map((wall) => ({ wall, cpu: wall, peak: 80e6, requests: 10 }));
const cell = (runs, setting = {}) => ({
  setting: { rows: 1_000_000, rounds: 3, ...setting },
  runs: new Map(Object.entries(runs)),
});
const lineOf = (targets, text) => targets.find(({ figure }) => figure.includes(text));

describe('figures', () => {
  it('takes ratios within a round, so that a machine that slows down changes nothing', () => {
    expect(ratio(walls(6, 12, 60), walls(1, 2, 10))).toBe(6);
  });

  it('quotes the middle', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('has no figure for a contestant that failed once', () => {
    const failed = [...walls(6, 6), { ...walls(6)[0], fault: 'FAILED: 99 records arrived instead of 100' }];
    expect(ratio(failed, walls(1, 1, 1))).toBeNaN();
    const text = seriesText('csv', 'CSV', 'a machine', [cell({ upload: walls(1, 1, 1), peer: failed })]);
    expect(text).toContain('peer        FAILED: 99 records arrived instead of 100');
  });
});

describe('targets', () => {
  it('are judged by the median of the ratios', () => {
    const [target] = judge({
      csv: [cell({ upload: walls(1, 1, 1), 'mixpanel-import': walls(5.9, 6.1, 9) })],
    });
    expect(target?.plain.value).toBe(6.1);
    expect(reached(target, target.plain)).toBe(true);
    expect(reached(target, { ...target.plain, value: 5.99 })).toBe(false);
  });

  it('hold this program against the faster of two scripts', () => {
    const csv = [
      cell({
        upload: walls(2, 2, 2),
        'python, threads': walls(14, 14, 14),
        'python, processes': walls(8, 8, 8),
      }),
    ];
    const start = [cell({}), cell({ upload: walls(2), 'python, threads': walls(4), 'python, processes': walls(1) })];
    const targets = judge({ csv, start });
    expect(lineOf(targets, 'the faster Python script')?.plain.value).toBe(4);
    expect(lineOf(targets, 'from start to exit')?.plain.value).toBe(2);
  });

  it('compare memory at one million rows and at ten', () => {
    const runs = (peak) => ({ upload: [{ ...walls(1)[0], peak }] });
    const size = [cell(runs(100e6)), cell(runs(115e6), { rows: 10_000_000 })];
    const target = lineOf(judge({ size }), 'are apart');
    expect(target?.plain.value).toBeCloseTo(0.15);
    expect(reached(target, target.plain)).toBe(false);
  });

  it('are not measured, and not reached either, where their series was not run', () => {
    const targets = judge({});
    expect(targets).toHaveLength(24);
    for (const target of targets) {
      expect(reached(target, target.plain)).toBeUndefined();
      expect(reached(target, target.transforms)).toBeUndefined();
    }
    expect(targetsText(targets)).toBe('24 of 24 lines were not measured by what was run.');
  });

  it('say reached or missed for each figure', () => {
    const text = targetsText(judge({ csv: [cell({ upload: walls(1, 1, 1), 'mixpanel-import': walls(7, 7, 7) })] }));
    expect(text).toMatch(/as fast as mixpanel-import +>= 6\.00 x +7\.00 x reached +>= 3\.00 x +not measured/);
    expect(text).toMatch(/as fast as mixpanel-import +>= 10\.00 x +7\.00 x MISSED/);
  });
});

describe('tables', () => {
  it('set the first column to the left, the others to the right, and let what failed say so at length', () => {
    const rows = [
      ['name', 'time'],
      ['one', '1 s'],
      ['two', '12.5 s'],
    ];
    expect(table(rows)).toBe('name    time\none      1 s\ntwo   12.5 s');
    expect(
      table([
        ['name', 'time', 'rows'],
        ['one', '1 s', '5'],
        ['two', 'FAILED: it did not begin'],
      ]),
    ).toBe('name  time  rows\none    1 s     5\ntwo   FAILED: it did not begin');
  });
});

describe('the page', () => {
  const page = 'Before.\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nAfter.\n';

  it('gets new results in the place of the old ones, any number of times', () => {
    const once = placed(page, 'new');
    expect(once).toBe('Before.\n<!-- bench: begin -->\n\n```\nnew\n```\n\n<!-- bench: end -->\nAfter.\n');
    expect(placed(once, 'new')).toBe(once);
  });

  it('is left alone where it has no place for them', () => {
    expect(() => placed('Nothing here.', 'new')).toThrow('no place for results');
  });
});
