/** The one command of each situation. */
import { expect, it } from 'vitest';
import { noRows } from '../../src/journal/apply-event.ts';
import type { RowCounts } from '../../src/model/run-state.ts';
import { type NextRun, nextCommand, nextStep } from '../../src/report/next-step.ts';
import type { RunContext } from '../../src/report/run-summary.ts';
import { contextWith } from '../support/run-states.ts';
import { suggest } from '../support/suggest.ts';

const rejects = [{ source: 0, path: 'runs/r/rejects/in.csv', rows: 3 }];
const upload = { run: 'later', delivered: 2, read: 3, last: 'later', isDone: false };

function ended(rows: Partial<RowCounts>, more: Partial<NextRun> = {}): NextRun {
  const service = { rejected: 0, unaccounted: 0 };
  return { type: 'signals', state: 'complete', service, ...more, rows: { ...noRows(), ...rows } };
}

const stopped = (code: NonNullable<NextRun['stop']>['code'], more: Partial<NextRun> = {}): Partial<NextRun> => {
  return { state: 'stopped', stop: { code, message: 'It stopped.' }, ...more };
};
const allRejected = { variant: 'b', service: { rejected: 100, unaccounted: 0 } } as const;

it.each<[string, NextRun, string | null, Partial<RunContext>?]>([
  ['nothing left', ended({ delivered: 1 }), null],
  ['exhausted rows', ended({ exhausted: 2 }), 'resume'],
  ['a run that is not the last one', ended({ exhausted: 2 }), 'resume 3f9a', { name: ['3f9a'] }],
  ['unknown signals', ended({ unknown: 2 }), 'resume'],
  ['unknown events', ended({ unknown: 2 }, { type: 'social' }), 'resume --unknown'],
  ['unknown and exhausted events', ended({ unknown: 2, exhausted: 1 }, { type: 'social' }), 'resume'],
  ['an interruption', ended({ pending: 2 }, { state: 'interrupted' }), 'resume'],
  ['refused rows', ended({ delivered: 1, refused: 2 }), 'resume --refused'],
  ['refused rows in the rejects file', ended({ delivered: 1, refused: 3 }), 'fix', { rejects }],
  ['refused and exhausted rows', ended({ delivered: 1, refused: 2, exhausted: 1 }), 'resume'],
  ['an outage', ended({ pending: 2, refused: 2 }, stopped('outage')), 'resume'],
  ['a wrong address', ended({ pending: 2 }, stopped('address')), 'resume --base-url URL'],
  [
    'a canary with a variant',
    ended({ delivered: 100, pending: 9 }, stopped('canary', allRejected)),
    'upload in.csv --variant a --again',
  ],
  [
    'a canary whose other variant needs a column',
    ended({ delivered: 100, pending: 9 }, stopped('canary', allRejected)),
    null,
    { missingInOther: ['source'] },
  ],
  [
    'a changed mapping after nothing was accepted',
    ended({ delivered: 100, pending: 9 }, stopped('input', allRejected)),
    'resume',
  ],
  ['a complete run of which nothing was accepted', ended({ delivered: 100 }, allRejected), 'upload in.csv --variant a'],
  [
    'a canary of events',
    ended({ refused: 100, pending: 9 }, stopped('canary', { type: 'social' })),
    'upload in.csv --run-id r',
  ],
  ['a row limit before anything was sent', ended({ pending: 9 }, stopped('rows')), 'upload in.csv --run-id r'],
  ['a row limit of a pipe', ended({ pending: 9 }, stopped('rows')), 'resume', { again: undefined }],
  ['a row limit after that', ended({ delivered: 5, pending: 9 }, stopped('invalid')), 'resume'],
  ['an input that grew', ended({ delivered: 5 }, stopped('changed')), 'upload in.csv'],
  ['a run that works', ended({ pending: 9 }, { state: 'running' }), null, { isRunning: true }],
  [
    'a run that was handed over',
    ended({ pending: 9 }, stopped('signal', { handedOver: { time: '2026-11-20T09:15:02Z', to: 'x.tar' } })),
    null,
  ],
  ['a lost input', ended({ delivered: 9 }, stopped('input', { isRestLost: true })), null],
  ['invalid rows', ended({ delivered: 9, invalid: 3 }), 'fix', { rejects }],
  ['invalid rows of a transform', ended({ delivered: 9, invalid: 3 }), null, { rejects, hasTransform: true }],
  [
    'an uploaded rejects file with rows left',
    ended({ delivered: 9, invalid: 3 }),
    'runs show later',
    { rejects: [{ source: 0, path: 'in.csv', rows: 3, upload }] },
  ],
  [
    'an uploaded rejects file',
    ended({ delivered: 9, invalid: 3 }),
    null,
    { rejects: [{ source: 0, path: 'in.csv', rows: 3, upload: { ...upload, isDone: true } }] },
  ],
  [
    'rejected rows',
    ended({ delivered: 9, invalid: 1 }, { service: { rejected: 3, unaccounted: 0 } }),
    'runs explain',
    { explained: 0, rejects },
  ],
  [
    'rejected rows that are named',
    ended({ delivered: 9 }, { service: { rejected: 3, unaccounted: 0 } }),
    'fix',
    { explained: 3, rejects },
  ],
  [
    'events that an earlier run left unknown',
    ended({ skipped: 9 }, { type: 'social', sentBefore: [{ run: 'a', state: 'unknown', rows: 9 }] }),
    'resume a --unknown',
  ],
])('%s', (_name, run, command, context) => {
  const found = nextCommand(nextStep(run, contextWith(context)), suggest);
  expect(found).toBe(command && `npx signals ${command}`);
});

it('says why no command helps', () => {
  const sentence = (more: Partial<NextRun>) => nextStep(ended({ delivered: 9 }, more), contextWith())?.label;
  const handedOver = { time: '2026-11-20T09:15:02Z', to: 'x.tar' };
  expect(sentence({ handedOver })).toBe('Handed over on 2026-11-20 09:15 UTC: only x.tar may send it.');
  expect(sentence({ handedOver: { ...handedOver, copy: true } })).toBe('A copy to look at: only x.tar may send it.');
  expect(sentence(stopped('input', { isRestLost: true }))).toMatch(/^Export the data/);
});
