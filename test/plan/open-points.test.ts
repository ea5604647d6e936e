import { describe, expect, it } from 'vitest';
import { detectType, type UndecidedType } from '../../src/map/index.ts';
import { UndecidedTypeError } from '../../src/plan/open-points.ts';
import { sampleOf } from '../map/discover/sample-of.ts';

function undecided(...columns: readonly string[]): UndecidedType {
  const detected = detectType(sampleOf(...columns), { fields: {} }, 'in.csv');
  if (detected.kind === 'type') throw new Error(`it is ${detected.type}`);
  return detected;
}

function problemOf(found: UndecidedType) {
  const suggest = (...words: readonly string[]): string => ['signals', ...words].join(' ');
  const decode = { encoding: 'macintosh', maxRowBytes: 2 ** 20, ragged: 'reject' } as const;
  const mappingOptions = new Map([['encoding', ['--encoding', 'macintosh']]]);
  const again = { command: 'check', mappingOptions, rowOptions: [], otherOptions: ['--limit', '5'] } as const;
  const request = { files: ['in.csv'], suggest, again, variant: 'auto', columns: [], constants: [], decode } as const;
  const error = new UndecidedTypeError(found, 'in.csv', { request, reopenable: true, otherSheets: [] });
  return error.problems[0];
}

describe('an undecided type', () => {
  it('is a problem that says what the rows look like, and how to continue', () => {
    const calls = undecided('Call ID: 1 | 2', 'Company: Northwind | Brightleaf', 'Call Duration: 00:03:12 | 00:01:02');
    expect(problemOf(calls)).toEqual({
      code: 'mapping.type',
      message:
        'This fits neither type: the rows look like telephone calls ("Call ID" and "Call Duration"). 1 column fits signals: "Company". No column fits social.',
      where: 'in.csv',
      hint: expect.stringContaining('`signals check in.csv --type signals --encoding macintosh --limit 5`'),
    });
  });

  it('has the likelier type first, with its evidence and the required fields that are missing', () => {
    const found = undecided('Comment: Nice work there | Well said all', 'Name: Foo | Bar');
    expect(found.neither).toBeUndefined();
    expect(found.fits[0]).toEqual({
      type: 'social',
      evidence: [{ column: 'Comment', what: 'texts of comments', weight: 1.5 }],
      missing: ['platform', 'engagement_type'],
    });
    expect(problemOf(found)?.message).toBe(
      'Cannot tell whether this is signals or social. 1 column fits social: "Comment". No column fits signals.',
    );
  });
});
