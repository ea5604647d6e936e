/** The one command of each situation, from what the catalogue keeps and from the whole run. */
import { expect, it } from 'vitest';
import { noRows } from '../../src/journal/run-state.ts';
import type { RowCounts } from '../../src/model/run-state.ts';
import { type NextRun, nextCommand, nextStep, nextSteps, type RunDetails } from '../../src/report/next-step.ts';
import { suggest } from '../support/suggest.ts';

const again = ['upload', 'in.csv', '--run-id', 'r'];
const rejects = [{ source: 0, path: 'runs/r/rejects/in.csv', rows: 3 }];
const details: RunDetails = {
  balanced: true,
  inputs: [],
  again,
  files: { folder: 'runs/r', mapping: 'runs/r/mapping.yaml', rejects: [] },
};

function ended(rows: Partial<RowCounts>, more: Partial<NextRun> = {}): NextRun {
  const service = { rejected: 0, unaccounted: 0 };
  return { run: 'r', type: 'signals', state: 'complete', service, ...more, rows: { ...noRows(), ...rows } };
}

const stopped = (code: NonNullable<NextRun['stop']>['code'], more: Partial<NextRun> = {}): Partial<NextRun> => {
  return { state: 'stopped', stop: { code, message: 'It stopped.' }, ...more };
};

it.each<[string, NextRun, string | null, string | null]>([
  ['nothing left', ended({ delivered: 1 }), null, null],
  ['exhausted rows', ended({ exhausted: 2 }), 'resume r', 'resume r'],
  ['unknown signals', ended({ unknown: 2 }), 'resume r', 'resume r'],
  ['unknown events', ended({ unknown: 2 }, { type: 'social' }), 'resume r --unknown', 'resume r --unknown'],
  ['unknown and exhausted events', ended({ unknown: 2, exhausted: 1 }, { type: 'social' }), 'resume r', 'resume r'],
  ['an interruption', ended({ pending: 2 }, { state: 'interrupted' }), 'resume r', 'resume r'],
  ['refused rows', ended({ delivered: 1, refused: 2 }), 'resume r --refused', 'resume r --refused'],
  ['refused and exhausted rows', ended({ delivered: 1, refused: 2, exhausted: 1 }), 'resume r', 'resume r'],
  ['an outage', ended({ pending: 2, refused: 2 }, stopped('outage')), 'resume r', 'resume r'],
  ['a wrong address', ended({ pending: 2 }, stopped('address')), 'resume r --base-url URL', 'resume r --base-url URL'],
  [
    'a canary with a variant',
    ended(
      { delivered: 100, pending: 9 },
      stopped('canary', { variant: 'b', service: { rejected: 100, unaccounted: 0 } }),
    ),
    'upload in.csv --variant a --again',
    'runs show r',
  ],
  [
    'a canary of events',
    ended({ refused: 100, pending: 9 }, stopped('canary', { type: 'social' })),
    'resume r --setting canary=no',
    'resume r --setting canary=no',
  ],
  [
    'a row limit before anything was sent',
    ended({ pending: 9 }, stopped('rows')),
    'upload in.csv --run-id r',
    'resume r',
  ],
  ['a row limit after that', ended({ delivered: 5, pending: 9 }, stopped('invalid')), 'resume r', 'resume r'],
  ['a run that works', ended({ pending: 9 }, { state: 'running' }), null, null],
  [
    'a run that was handed over',
    ended({ pending: 9 }, stopped('signal', { handedOver: { time: '2026-11-20T09:15:02Z', to: 'x.tar' } })),
    null,
    null,
  ],
  ['a lost input', ended({ delivered: 9 }, stopped('input', { isRestLost: true })), null, null],
])('%s: one command in the summary and in the list', (_name, run, whole, listed) => {
  const command = (text: string | null) => text && `npx signals ${text}`;
  const found = run.service.rejected > 0 ? { ...details, explained: undefined } : details;
  expect(nextCommand(nextSteps(run, found), suggest)).toBe(command(whole));
  expect(nextCommand(nextSteps(run), suggest)).toBe(command(listed));
});

it('names the rows of a run for which no resume helps', () => {
  const rejected = ended({ delivered: 9, invalid: 1 }, { service: { rejected: 3, unaccounted: 0 } });
  expect(nextStep(nextSteps(rejected))).toEqual({
    kind: 'show',
    reason: 'What to do about the 3 rejected and 1 invalid rows:',
    words: ['runs', 'show', 'r'],
  });
  expect(nextStep(nextSteps(rejected, { ...details, explained: 0 }))?.words).toEqual(['runs', 'explain', 'r']);
});

it('repairs invalid rows by rules where they can help, and else by hand', () => {
  const invalid = ended({ delivered: 9, invalid: 3 });
  const files = { ...details.files, rejects };
  const by = (code: 'enum' | 'missing') =>
    nextStep(
      nextSteps(invalid, {
        ...details,
        files,
        reasons: { invalid: () => [{ code, field: 'company_name', column: undefined, rows: 3, examples: [] }] },
      }),
    )?.words;
  expect(by('enum')).toEqual(['fix', 'r']);
  expect(by('missing')).toEqual(['upload', '-m', 'runs/r/mapping.yaml', 'runs/r/rejects/in.csv']);
});

it('says why no command helps', () => {
  const sentence = (more: Partial<NextRun>) => nextStep(nextSteps(ended({ delivered: 9 }, more), details));
  expect(sentence({ state: 'running' })).toEqual({ kind: 'final', reason: 'A process is working on it now.' });
  const handedOver = { time: '2026-11-20T09:15:02Z', to: 'x.tar' };
  expect(sentence({ handedOver })?.reason).toBe('Handed over on 2026-11-20 09:15 UTC: only x.tar may send it.');
  expect(sentence(stopped('input', { isRestLost: true }))?.reason).toMatch(/^Nothing left to resume\. /);
});
