import { describe, expect, it } from 'vitest';
import type { UndecidedType } from '../../src/map/index.ts';
import { undecidedType } from '../../src/plan/undecided-input.ts';

const CALLS: UndecidedType = {
  kind: 'undecided',
  isNeither: true,
  isLikely: false,
  fits: [
    { type: 'signals', evidence: [{ column: 'Company', what: 'company name' }] },
    { type: 'social', evidence: [] },
  ],
};

function problemOf(found: UndecidedType) {
  const suggest = (...words: readonly string[]): string => ['signals', ...words].join(' ');
  const decode = { encoding: 'macintosh', maxRowBytes: 2 ** 20, ragged: 'reject' } as const;
  const mappingOptions = new Map([['encoding', ['--encoding', 'macintosh']]]);
  const asking = { command: 'check', mappingOptions, rowOptions: [], otherOptions: ['--limit', '5'] } as const;
  const request = { files: ['in.csv'], suggest, asking, variant: 'auto', columns: [], constants: [], decode } as const;
  return undecidedType(found, 'in.csv', { request, table: undefined, reopenable: true }).problems[0];
}

describe('an undecided type', () => {
  it('is a problem that says what the rows look like, and how to continue', () => {
    expect(problemOf(CALLS)).toEqual({
      code: 'mapping.type',
      message: 'This seems to be neither signals nor social. 1 column fits signals: "Company". No column fits social.',
      where: 'in.csv',
      hint: expect.stringContaining('`signals check in.csv --type signals --encoding macintosh --limit 5`'),
    });
    const mixed = { ...CALLS, isNeither: false, isLikely: true, fits: CALLS.fits.toReversed() };
    expect(problemOf(mixed)?.message).toBe(
      'Cannot tell whether this is signals, social or neither. No column fits social. 1 column fits signals: "Company".',
    );
  });
});
