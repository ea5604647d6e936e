import { describe, expect, it } from 'vitest';
import { RunReasons } from '../../src/journal/run-reasons.ts';
import { describeReason } from '../../src/report/problem-text.ts';
import { committed, follow, invalid, range, sealed, settled } from '../support/run-states.ts';

const missing = { code: 'missing', field: 'company_name', column: 'Company' } as const;
const badSource = { code: 'enum', field: 'signal_source', column: 'Kind' } as const;

function listening() {
  const reasons = new RunReasons();
  return { reasons, on: follow((event, _runState, changes) => reasons.on(event, changes)) };
}

describe('reasons', () => {
  it('groups rows by problem and field, the most frequent first, with three examples each', () => {
    const { reasons, on } = listening();
    on(invalid(2, [badSource]));
    for (const line of [5, 9, 12, 40]) on(invalid(line, [missing]));
    on(invalid(50, [badSource, { ...missing, field: 'company_domain' }]));
    for (let commits = 0; commits < 2; commits += 1) on(committed);
    expect(reasons.invalid.map((group) => [group.field, group.rows, group.examples.map(({ line }) => line)])).toEqual([
      ['company_name', 4, [5, 9, 12]],
      ['signal_source', 2, [2, 50]],
      ['company_domain', 1, [50]],
    ]);
    expect(reasons.more).toBe(0);
  });

  it('names the column of a group only if all its rows share it', () => {
    const reasons = new RunReasons();
    reasons.add({ source: 0, line: 1 }, [{ code: 'json', column: 'company_name' }]);
    reasons.add({ source: 0, line: 7 }, [{ code: 'json' }]);
    reasons.add({ source: 0, line: 8 }, [{ code: 'json', column: 'company_name' }]);
    for (const line of [3, 4]) reasons.add({ source: 0, line }, [missing]);
    expect(reasons.invalid.map(({ column, rows }) => [column, rows])).toEqual([
      [undefined, 3],
      ['Company', 2],
    ]);
    expect(describeReason(reasons.invalid[0] ?? missing)).toBe('the row is not a JSON object with unique keys');
  });

  it('counts a row once in a group', () => {
    const { reasons, on } = listening();
    on(invalid(2, [missing, missing]));
    on(committed);
    expect(reasons.invalid[0]?.rows).toBe(1);
  });

  it('does not count rows after the last commit when the run resumes', () => {
    const { reasons, on } = listening();
    on(invalid(2, [missing]));
    on(sealed('1', 100, [range(0, 3, 102)]));
    on(invalid(103, [missing]));
    on(settled('1', {}));
    expect(reasons.invalid[0]?.rows).toBe(1);
    on({ event: 'run.resumed', baseUrl: 'https://api.example.com', time: '2026-11-20T09:16:00Z' });
    on(invalid(103, [missing]));
    on(committed);
    expect(reasons.invalid[0]?.rows).toBe(2);
  });

  it('has the rows that stopped the run, although no commit follows them', () => {
    const { reasons, on } = listening();
    const end = { event: 'run.ended', time: '2026-11-20T09:16:00Z', state: 'stopped', putBack: [] } as const;
    on(invalid(2, [missing]));
    on({ ...end, stop: { code: 'invalid', message: '' } });
    expect(reasons.invalid[0]?.rows).toBe(1);
    on({ event: 'run.resumed', baseUrl: 'https://api.example.com', time: '2026-11-20T09:16:00Z' });
    expect(reasons.invalid).toEqual([]);
    on(invalid(2, [missing]));
    on({ ...end, stop: { code: 'key', message: '' } });
    on(committed);
    expect(reasons.invalid).toEqual([]);
  });

  it('forgets the outcome of a batch that is sent again', () => {
    const { reasons, on } = listening();
    on(sealed('1', 100, [range(0, 2, 101)]));
    on(settled('1', { outcome: 'exhausted', error: 'ECONNREFUSED' }));
    on({ event: 'batch.reopened', time: '2026-11-20T09:16:00Z', batch: '1', from: 'exhausted', why: 'resume' });
    expect(reasons.answers).toEqual([]);
  });

  it('stores the found values if given', () => {
    const reasons = new RunReasons();
    reasons.add({ source: 1, line: 7 }, [{ ...badSource, found: 'Job Postin' }]);
    expect(reasons.invalid[0]?.examples).toEqual([{ source: 1, line: 7, found: 'Job Postin' }]);
  });

  it('limits the number of groups and counts the rest', () => {
    const { reasons, on } = listening();
    for (let index = 0; index < 60; index += 1) {
      on(invalid(index + 2, [{ code: 'type', field: `field_${index}` }]));
    }
    for (let commits = 0; commits < 2; commits += 1) on(committed);
    expect(reasons.invalid).toHaveLength(50);
    expect(reasons.more).toBe(10);
  });

  it("groups undelivered batches by the service's answer", () => {
    const { reasons, on } = listening();
    for (const batch of ['1', '2', '3', '4']) on(sealed(batch, 100, [range(0, 2, 101)]));
    for (const batch of ['5', '6']) on(sealed(batch, 10, [range(0, 2, 11)]));
    on(settled('1', { outcome: 'unknown', error: 'HTTP 502' }));
    on(settled('2', { outcome: 'refused', status: 422, error: 'HTTP 422: \x1b[2Jno' }));
    on(settled('3', {}));
    on(settled('4', { outcome: 'unknown', error: 'HTTP 502' }));
    on(settled('5', { outcome: 'refused', status: 400 }));
    on(settled('6', { outcome: 'exhausted' }));
    expect(reasons.answers).toMatchObject([
      { outcome: 'unknown', error: 'HTTP 502', batches: 2, records: 200 },
      { outcome: 'refused', error: 'HTTP 422: \\x1b[2Jno', batches: 1, records: 100 },
      { outcome: 'refused', error: 'HTTP 400', batches: 1, records: 10 },
      { outcome: 'exhausted', error: '', batches: 1, records: 10 },
    ]);
  });

  it('merges answers beyond the first ten kinds', () => {
    const { reasons, on } = listening();
    for (let index = 0; index <= 30; index += 1) {
      on(sealed(String(index), 1, [range(0, 2, 2)]));
      on(settled(String(index), { outcome: 'refused', error: `request ${index % 30}` }));
    }
    expect(reasons.answers).toHaveLength(11);
    expect(reasons.answers[1]).toMatchObject({ error: 'request 0', batches: 2 });
    expect(reasons.answers[0]).toMatchObject({
      outcome: 'refused',
      error: 'other answers',
      batches: 20,
      records: 20,
      first: { batch: '10' },
    });
  });
});

it('merges the reasons of shards, with the first rows of each', () => {
  const answer = {
    outcome: 'refused',
    error: 'no',
    batches: 2,
    records: 3,
    first: { batch: '1', range: undefined },
  } as const;
  const shards = [
    [
      [0, 5],
      [0, 9],
      [1, 1],
    ],
    [
      [1, 3],
      [1, 2],
    ],
    [
      [0, 7],
      [0, 6],
    ],
  ].map((rows) => {
    const reasons = new RunReasons();
    for (const [source = 0, line = 0] of rows) reasons.add({ source, line }, [missing]);
    return { on: () => undefined, invalid: reasons.invalid, more: 1, answers: [answer] };
  });
  const merged = RunReasons.merge(shards);
  const examples = [5, 6, 7].map((line) => ({ source: 0, line }));
  expect(merged.invalid).toMatchObject([{ rows: 7, examples }]);
  expect([merged.more, merged.answers]).toEqual([3, [{ ...answer, batches: 6, records: 9 }]]);
});

describe('describeReason', () => {
  it.each([
    [{ ...missing, rows: 1, examples: [] }, 'company_name (from Company) is missing'],
    [{ code: 'columns', rows: 1, examples: [] } as const, 'the row has too few or too many cells'],
    [
      { code: 'range', field: 'warmth_hint', column: 'warmth_hint', rows: 1, examples: [] } as const,
      'warmth_hint is out of range',
    ],
    [
      { code: 'date', field: 'detected_at', column: 'a\x1bb', rows: 1, examples: [] } as const,
      'detected_at (from a\\x1bb) is not a date',
    ],
  ])('describes %j', (group, clause) => {
    expect(describeReason(group)).toBe(clause);
  });
});
