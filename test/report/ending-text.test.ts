/** What neither test/acceptance/endings.test.ts nor fixtures/examples/run-ends.ndjson has. */

import { describe, expect, it } from 'vitest';
import type { BatchSealed } from '../../src/model/event.ts';
import type { UndeliveredBatch } from '../../src/model/run-state.ts';
import { detailText, endingText, leftRows, statesOf } from '../../src/report/ending-text.ts';
import { books, committed, contextWith, invalid, range, sealed } from '../support/run-states.ts';

const half = [{ name: 'in.csv', size: 5_000_000, read: 100_000, rows: 800, ended: false }];
const rejects = [{ source: 0, path: 'runs/x/rejects/in.csv', rows: 7 }];

function refused(batch: BatchSealed, error: string): UndeliveredBatch {
  return { ...batch, state: 'refused', error, attempts: 1, maybeProcessed: false };
}

describe('the ending', () => {
  it('has no rejected record among the delivered ones, and adds up', () => {
    const runState = books({
      rows: { delivered: 100, invalid: 2, refused: 3, exhausted: 4, unknown: 5, pending: 6, duplicate: 7 },
      service: { accepted: 60, rejected: 40 },
      state: 'stopped',
      sources: half,
    });
    const states = Object.fromEntries(statesOf(runState, { rejects: [] }).map(({ state, rows }) => [state, rows]));
    expect(states).toMatchObject({ delivered: 60, rejected: 40, unread: 39_873 });
    expect(leftRows({ ...runState, unread: 39_000 }, { rejects: [] })).toBe(39_060);
    expect(endingText(runState, contextWith())).toContain(
      '60 of about 40,000 rows delivered; 2 invalid, 40 rejected by the service, 3 refused by the service, 5 may have arrived (resending is safe), 7 duplicate.',
    );
  });

  it('tells the number of invalid rows once where they stopped the run', () => {
    const message = '7 of 13 rows are invalid, more than --max-invalid 10% allows.';
    const runState = books({ rows: { invalid: 7, pending: 6 }, state: 'stopped', stop: { code: 'invalid', message } });
    const [first] = endingText(runState, contextWith()).split('\n');
    expect(first).toBe(`Stopped: ${message} Nothing was delivered.`);
  });

  it('names the whole command that diagnoses the connection', () => {
    const runState = books({
      state: 'stopped',
      stop: { code: 'address', message: 'The certificate was not accepted.' },
    });
    expect(endingText(runState, contextWith())).toContain('\nTo diagnose the connection: `npx signals doctor`.\n');
  });

  it('has at most ten lines, whatever the reasons, files and warnings', () => {
    const runState = books({ rows: { delivered: 1, invalid: 60 } });
    for (let n = 0; n < 60; n += 1) {
      runState.reasons.on(invalid(n + 2, [{ code: 'type', field: `field_${n}`, found: '\x1b[2J'.repeat(9) }]));
    }
    runState.reasons.on(committed);
    const warnings = Array.from({ length: 9 }, (_, n) => ({ code: 'x', message: `Warning ${n}.` }));
    const text = endingText(runState, contextWith({ rejects: [...rejects, ...rejects], warnings }));
    expect(text).not.toContain('\x1b');
    expect(text.split('\n')).toHaveLength(10);
    expect(text).toContain('57 more reasons: npx signals runs show');
    expect(text).toContain(`${rejects[0]?.path} and 1 other file`);
    Object.assign(runState.rows, { unknown: 3, read: runState.rows.read + 3 });
    runState.type = 'social';
    const both = endingText(runState, contextWith({ rejects, warnings }));
    expect(both.split('\n')).toHaveLength(10);
    expect(both).toMatch(/^Fix {6}.* fix\nIf the 3 that may have arrived did not:\n.* resume --unknown$/m);
  });

  it('names the message of an answer, the beginning of another JSON body, and of a page only the status', () => {
    const runState = books({ rows: { refused: 3 } });
    for (const [index, body] of ['{"error":"no such $&"}', '{"ok":false,"code":17}', '<html>big</html>'].entries()) {
      const batch = sealed(`${index}`, 1, [range(0, index + 2, index + 2)]);
      runState.undelivered.set(batch.batch, refused(batch, `HTTP 422: ${body}`));
    }
    const text = endingText(runState, contextWith(), undefined, { hasReasons: true });
    expect(text).toContain('refused  HTTP 422: no such $&  ');
    expect(text).toContain('refused  HTTP 422: {"ok":false,"code":17}  ');
    expect(text).toContain('refused  HTTP 422  ');
  });

  it('names the lines of an answer only if it is about all of them', () => {
    const ends = (records: number, ...lines: readonly (readonly [number, number])[]): string => {
      const runState = books({ rows: { refused: 3 } });
      for (const [index, [from, to]] of lines.entries()) {
        const batch = sealed(`${index}`, records, [range(0, from, to)]);
        runState.undelivered.set(batch.batch, refused(batch, 'HTTP 422'));
      }
      return endingText(runState, contextWith(), undefined, { hasReasons: true }).split('\n')[1] ?? '';
    };
    expect(ends(3, [2, 4])).toMatch(/ {2}:2-4$/);
    // With an invalid row between them, and of two batches.
    expect(ends(2, [2, 4])).toMatch(/ {2}from :2$/);
    expect(ends(3, [2, 4], [8, 10])).toMatch(/ {2}from :2$/);
  });

  it('says that counts which do not reconcile are a bug', () => {
    expect(endingText(books({ rows: { read: 2, delivered: 1 } }), contextWith())).toContain('This is a bug in signals');
  });
});

it('has every count, reason, remark and file in the details', () => {
  const runState = books({
    rows: { delivered: 100, refused: 100, invalid: 1, skipped: 2 },
    batches: { delivered: 1, refused: 1, split: 1 },
    retries: 2,
    resent: 3,
    notes: new Map([['date_only:detected_at', 4]]),
  });
  const batch = sealed('2', 100, [range(0, 102, 201)]);
  runState.undelivered.set('2', refused(batch, 'HTTP 422: {"error":"no"}'));
  expect(detailText(runState, contextWith({ rejects })).split('\n')).toStrictEqual([
    'Rows',
    '  100  delivered  accepted by the service, or known to it before',
    '    1  invalid    failed our validation; not sent',
    '    2  skipped    already sent by another run, or left out by --skip, --limit or --transform',
    '  100  refused    sent, but refused by the service',
    '',
    'Why',
    '  100  refused  HTTP 422: {"error":"no"}  :102-201',
    '',
    'Service',
    '  - 0 accepted, 0 deduplicated, 0 rejected.',
    '  - 7 requests, with 2 retries, 1 batch split after a refusal and 3 rows resent after a lost answer.',
    '',
    'Notes',
    '  - detected_at: 4 dates without a time were set to midnight UTC.',
    '',
    'Rejects files',
    '  runs/x/rejects/in.csv  7 rows to correct',
  ]);
});
