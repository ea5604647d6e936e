/** `signals check` on the built program: what it says of a file, and that it sends nothing. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, csvOf, plainRow, root, run, service, summaryOf, workspace, write } from '../support/program.ts';

describe('the data-quality sheet', () => {
  test('tells fill, duplicates, variants and the plan of a file, sends nothing and leaves nothing behind', async () => {
    const cwd = await workspace();
    const there = await service();
    // Of 1,000 rows every tenth has no company, every fourth no domain; the last five are like the first five.
    const rows = csvOf(1000, (n) => {
      const like = n > 995 ? n - 995 : n;
      const [, , ...rest] = plainRow(like).split(',');
      const name = n % 10 === 0 ? '' : `Company ${like}`;
      const domain = n % 4 === 0 ? '' : `company${like}.example`;
      return [name, domain, ...rest].join(',');
    });
    await write(cwd, 'in.csv', rows);
    const ended = await run(cwd, ['check', 'in.csv', '--variant', 'a', '--rate', '2/s', '--json'], {
      env: at(there),
    });
    expect(ended.code).toBe(3);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({
      dryRun: true,
      // Row 1000 is without a company.
      rows: { read: 1000, valid: 900, invalid: 100 },
      requests: 9,
      atLeastSeconds: 4,
      quality: {
        rows: 1000,
        // Rows 996 to 999 are valid and like 1 to 4, of which none is invalid.
        duplicates: { rows: 4, atLeast: false },
      },
    });
    const { fields, variants } = summary['quality'] as {
      fields: { field: string; filled: number }[];
      variants: { variant: string; valid: number }[];
    };
    expect(Object.fromEntries(fields.map(({ field, filled }) => [field, filled]))).toMatchObject({
      company_name: 900,
      company_domain: 750,
    });
    // Invalid under b: every fourth, every tenth; both at every twentieth. 1000 - 250 - 100 + 50.
    expect(variants.map(({ variant, valid }) => [variant, valid])).toEqual([
      ['a', 900],
      ['b', 700],
      ['both', 700],
    ]);
    expect(there.requests()).toEqual([]);
    expect((await readdir(cwd)).filter((name) => name !== 'in.csv' && name !== 'settings')).toEqual([]);
  });

  test('judges other variants by the same rows, with what this one leaves out', async () => {
    const ended = await run(await workspace(), [
      'check',
      path.join(root, 'fixtures', 'signals-with-faults.csv'),
      '--json',
    ]);
    const { variants } = summaryOf(ended)['quality'] as { variants: unknown };
    // By hand: line 8 has the hotness "hot", which is no fault under a, for a has no such field.
    expect(variants).toMatchObject([
      { variant: 'a', valid: 7, chosen: false },
      { variant: 'b', valid: 6, chosen: true, leavesOut: [] },
      { variant: 'both', valid: 6 },
    ]);
  });
});
