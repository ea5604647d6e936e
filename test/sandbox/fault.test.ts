import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RecordType } from '../../src/model/record.ts';
import { createFaults, faultForms, parseFault } from '../../src/sandbox/fault.ts';
import { ingest, opened, signal } from '../support/open-sandbox.ts';
import { problemOf } from '../support/problems.ts';

const { start } = opened();

/** The fault of each batch, one character per batch: `.` for none. */
function faultsOfBatches(texts: readonly string[], seed: number, types: readonly RecordType[]): string {
  const faultOf = createFaults(texts.map(parseFault), seed);
  return types
    .map((type) => {
      const fault = faultOf({ type });
      if (fault === undefined) return '.';
      return 'status' in fault ? String(fault.status).slice(0, 1) : 'reset' in fault ? 'r' : 'o';
    })
    .join('');
}

const many = (count: number): RecordType[] => Array.from({ length: count }, () => 'signals');

test('says what a fault looks like if it refuses one', () => {
  const problem = problemOf(() => parseFault('explode'));
  expect(problem).toMatchObject({ code: 'sandbox.fault', hint: expect.stringContaining('status=503,rate=0.1') });
});

test('docs/sandbox.md describes every kind', () => {
  const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  const kinds = faultForms.split(', ').map((form) => form.replace(/[[=].*/, ''));
  expect(kinds).toHaveLength(5);
  expect(kinds.filter((kind) => !page.includes(`\n| \`${kind}`))).toEqual([]);
});

describe('the batches that get a fault', () => {
  test('are the same for the same seed, and others for another', () => {
    const one = faultsOfBatches(['reset,rate=0.5'], 7, many(64));
    expect(faultsOfBatches(['reset,rate=0.5'], 7, many(64))).toBe(one);
    expect(faultsOfBatches(['reset,rate=0.5'], 8, many(64))).not.toBe(one);
  });

  test('follow the rate', () => {
    for (const rate of [0, 0.1, 0.5, 1]) {
      const hits = faultsOfBatches([`reset,rate=${rate}`], 1, many(10_000)).replaceAll('.', '').length;
      expect(Math.abs(hits / 10_000 - rate)).toBeLessThan(0.02);
    }
  });

  test('are counted among batches of the same type', () => {
    const types: RecordType[] = ['signals', 'social', 'signals', 'social', 'social'];
    expect(faultsOfBatches(['reset,type=social,after=1,first=1'], 1, types)).toBe('...r.');
  });

  test('get the first fault that applies, and an additional fault does not move the others', () => {
    expect(faultsOfBatches(['status=500,first=1', 'reset,first=2', 'status=404'], 1, many(4))).toBe('5r44');
    const alone = faultsOfBatches(['reset,rate=0.3'], 3, many(200));
    const behind = faultsOfBatches(['reset,rate=0.3', 'status=500,first=1'], 3, many(200));
    expect(behind.slice(1)).toBe(alone.slice(1));
  });
});

describe('in the sandbox', () => {
  test('a batch processed before its error is a duplicate when it is resent', async () => {
    const sandbox = await start({ injectFault: createFaults([parseFault('status=502,processed,first=1')], 1) });
    expect((await ingest(sandbox, [signal(1)])).status).toBe(502);
    expect(sandbox.requests()).toMatchObject([{ status: 502, processed: true, accepted: 1, fault: 'status' }]);
    const again = JSON.parse((await ingest(sandbox, [signal(1)])).text);
    expect(again.stats).toStrictEqual({ accepted: 0, deduplicated: 1, rejected: 0 });
  });
});
