import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import type { Problem } from '../../src/model/problem.ts';
import { createSuggest } from '../../src/options/suggest.ts';
import { createReasons } from '../../src/report/failure-reasons.ts';
import { nextSteps, type RunDetails, type SummaryFiles } from '../../src/report/next-step.ts';
import { countRun, exitCodeOf } from '../../src/report/summary.ts';
import { type SummaryContext, summaryText } from '../../src/report/summary-text.ts';
import type { Style } from '../../src/report/text-layout.ts';
import { books, committed, follow, invalid, type Parts, range, sealed, settled } from '../support/run-states.ts';
import { suggest } from '../support/suggest.ts';

const files: SummaryFiles = {
  folder: 'runs/x',
  results: 'runs/x/results.csv',
  mapping: 'runs/x/mapping.yaml',
  rejects: [],
};
const undelivered = { ...files, undelivered: 'runs/x/undelivered.ndjson' };
const half = [{ name: 'in.csv', size: 5_000_000, read: 100_000, rows: 800, ended: false }];

interface Given {
  readonly events?: readonly RunEvent[];
  readonly warnings?: readonly Problem[];
  readonly context?: Partial<SummaryContext & RunDetails>;
  /** The data came through a pipe. */
  readonly style?: Style;
}

function text(parts: Parts, { events = [], warnings = [], context = {}, style }: Given = {}): string {
  const runState = books(parts);
  const reasons = createReasons();
  [...events, committed].forEach(follow(reasons.on));
  const about = {
    destination: 'https://api.example.com',
    sandbox: false,
    suggest,
    files,
    reasons,
    ...context,
  };
  const rejects = about.files.rejects;
  const facts = { exitCode: exitCodeOf(runState), folder: 'runs/x', seconds: 0.41, warnings, rejects };
  const counts = countRun(runState, facts);
  return summaryText(
    runState,
    counts,
    {
      next: nextSteps(
        { ...counts, stop: runState.stop },
        { balanced: counts.balanced, inputs: counts.inputs, ...about },
      ),
      ...about,
    },
    style,
  );
}

/** The text after "What to do next". */
function next(parts: Parts, given: Given = {}): string {
  return text(parts, given).split('What to do next\n')[1] ?? '';
}

describe('the summary', () => {
  it('says that a row with several problems is counted in each of them', () => {
    const two = [
      { code: 'missing' as const, field: 'company_name' },
      { code: 'enum' as const, field: 'signal_source' },
    ];
    const overlapping = [invalid(12, two)];
    const parts = { rows: { delivered: 4, invalid: 1 }, batches: { delivered: 1 }, service: { accepted: 4 } };
    expect(text(parts, { events: overlapping })).toContain(
      'A row with several problems is counted in each: 1 row is invalid.',
    );
  });

  it('is short for a run that delivered everything', () => {
    const whole = text({
      rows: { delivered: 1608 },
      batches: { delivered: 17 },
      service: { accepted: 1600, deduplicated: 8 },
    });
    expect(whole).toBe(
      [
        'Delivered all 1,608 rows of in.csv to https://api.example.com (market signals, variant b) in 0.4 s.',
        '',
        '  1,608  rows       read, of these:',
        '  1,608  delivered  acknowledged by the service',
        '',
        'The service counted 1,600 accepted, 8 deduplicated, 0 rejected.',
        '',
        'Files in runs/x',
        '  results.csv   one line per batch',
        '  mapping.yaml  the mapping used; reuse it with -m',
        '',
        'Nothing left to do.',
      ].join('\n'),
    );
  });

  it('groups the reasons of invalid rows, lists notes and warnings, and ends with the command for the rejects', () => {
    const missing = { code: 'missing', field: 'company_name', column: 'Company' } as const;
    const whole = text(
      {
        rows: { delivered: 608, invalid: 3 },
        batches: { delivered: 7 },
        service: { accepted: 608 },
        notes: new Map([['date_only:detected_at', 12]]),
      },
      {
        events: [
          invalid(12, [missing]),
          invalid(15, [missing]),
          invalid(20, [{ code: 'enum', field: 'signal_source', column: 'Kind' }]),
        ],
        warnings: [{ code: 'key.mode', message: 'Others can read the key file.', hint: 'Run `chmod 600 key`.' }],
        context: {
          sandbox: true,
          suggest: createSuggest({ invocation: 'npx signals', shell: 'posix' }, { sandbox: true }),
          files: { ...files, rejects: [{ source: 0, path: 'runs/x/rejects/my in.csv', rows: 3 }] },
        },
      },
    );
    expect(whole).toBe(
      [
        'Delivered 608 of 611 rows of in.csv to https://api.example.com (market signals, variant b) in 0.4 s.',
        'The service was the local sandbox: nothing left this machine.',
        '',
        '  611  rows       read, of these:',
        '  608  delivered  acknowledged by the service',
        '    3  invalid    failed validation; not sent',
        '',
        'The service counted 608 accepted, 0 deduplicated, 0 rejected.',
        '',
        'Why rows are invalid',
        '  2  company_name (from Company) is missing                      first at in.csv:12',
        '  1  signal_source (from Kind) is not one of the allowed values  in.csv:20',
        '',
        'Notes',
        '  - detected_at: 12 dates without a time were set to midnight UTC.',
        '',
        'Warnings',
        '  - Others can read the key file.',
        '      Run `chmod 600 key`.',
        '',
        'Files in runs/x',
        '  results.csv        one line per batch',
        '  rejects/my in.csv  3 rows to fix, with the reasons',
        '  mapping.yaml       the mapping used; reuse it with -m',
        '',
        'What to do next',
        '  To repair the 3 invalid rows by rules that the program proposes, or by hand:',
        '    npx signals fix 20261120T091502Z-in-3f9a',
      ].join('\n'),
    );
  });

  it('says that an input with only a header has nothing to send', () => {
    expect(text({})).toMatch(/^Nothing to send: there are no rows in in\.csv\.\n\nFiles in /);
  });

  it('says that nothing was delivered if every row is invalid', () => {
    expect(text({ rows: { invalid: 2 } })).toMatch(
      /^No row of in\.csv was delivered to https:\/\/api\.example\.com \(market signals, variant b\) in 0\.4 s\.\n/,
    );
  });

  it('counts the rows of each state', () => {
    const whole = text({
      rows: {
        delivered: 1,
        invalid: 2,
        skipped: 3,
        duplicate: 4,
        refused: 5,
        exhausted: 6,
        unknown: 7,
        pending: 8,
      },
      state: 'stopped',
    });
    expect(whole).toContain(
      [
        '  36  rows       read, of these:',
        '   1  delivered  acknowledged by the service',
        '   2  invalid    failed validation; not sent',
        '   3  skipped    skipped by --skip, --limit or --transform',
        '   4  duplicate  identical to an earlier row; not sent',
        '   5  refused    sent, but refused by the service',
        '   6  exhausted  retries exhausted; not processed by the service',
        '   7  unknown    sent without a valid answer; may or may not have arrived',
        '   8  pending    not delivered before the run ended',
      ].join('\n'),
    );
  });

  it('shows promoted leads for social events instead of the counts of signals', () => {
    const whole = text({
      type: 'social',
      rows: { delivered: 3 },
      batches: { delivered: 1 },
      service: { promoted: 1 },
    });
    expect(whole).toContain('The service promoted 1 lead to the sales pipeline.');
    expect(whole).toContain('(social engagement events)');
    expect(whole).not.toContain('accepted');
  });

  it('reports rejected and unaccounted records, and that the service does not name them', () => {
    const parts: Parts = {
      rows: { delivered: 100 },
      batches: { delivered: 1 },
      service: { accepted: 80, rejected: 19, unaccounted: 1 },
    };
    expect(text(parts)).toContain("The service's counts differ from the records sent by 1.");
    expect(next(parts)).toMatch(/^ {2}The service does not say which records it rejected\. /);
  });

  it.each([
    [100, 0, 'red'],
    [40, 60, 'yellow'],
  ] as const)('says in the headline that the service rejected %d of 100 records', (rejected, accepted, colour) => {
    const mark = (name: string) => (value: string) => `<${name}>${value}`;
    const style = { bold: mark('bold'), red: mark('red'), yellow: mark('yellow'), green: mark('green') };
    const parts: Parts = { rows: { delivered: 100 }, batches: { delivered: 1 }, service: { accepted, rejected } };
    const whole = text(parts, { style });
    expect(whole).toMatch(
      new RegExp(
        `^<bold><red>The service took ${accepted} of 100 rows of in\\.csv and rejected ${rejected}\\. Sent to `,
      ),
    );
    expect(whole).toContain(`<${colour}>  100  delivered  answered by the service, which rejected ${rejected}`);
    expect(whole).not.toMatch(/<green>|Delivered/);
  });

  it('shows retries, splits and resends in one line', () => {
    const parts: Parts = {
      rows: { delivered: 300 },
      batches: { delivered: 37, split: 36 },
      service: { accepted: 100, deduplicated: 200 },
      requests: 91,
      retries: 18,
      resent: 200,
    };
    expect(text(parts)).toContain(
      'Delivery took 91 requests: 18 retries, 36 batches split after a refusal, 200 rows resent after a lost answer, which explains up to 200 of the 200 deduplicated.\n',
    );
    expect(text({ ...parts, resent: 0, batches: { delivered: 3, split: 0 }, retries: 1 })).toContain(
      'Delivery took 91 requests: 1 retry.\n',
    );
    expect(text({ ...parts, resent: 0, batches: { delivered: 3 }, retries: 0 })).not.toContain('Delivery took');
    expect(text({ ...parts, type: 'social' })).toContain('(counted twice if they had arrived)');
  });

  it('starts with counts that do not reconcile', () => {
    const whole = text({ rows: { read: 12, delivered: 10 }, batches: { delivered: 1 } });
    expect(whole).toMatch(/^The row counts do not reconcile: .* This is a bug in signals\.\n/);
    expect(whole).toContain('Report this bug with the counts above.');
  });

  it('lists the answers of batches that were not delivered', () => {
    const whole = text(
      { rows: { unknown: 100, refused: 50 } },
      {
        events: [
          sealed('1', 100, [range(0, 2, 101)]),
          sealed('2', 50, [range(0, 102, 151)]),
          settled('1', { outcome: 'unknown', error: 'HTTP 502' }),
          settled('2', { outcome: 'refused', error: 'HTTP 422: \x1b[2Jno' }),
        ],
      },
    );
    expect(whole).toContain(
      'Why batches were not delivered\n  100  unknown, in 1 batch: HTTP 502 (at batch 1, in.csv:2-101)\n   50  refused, in 1 batch: HTTP 422: \\x1b[2Jno\n',
    );
  });

  it('escapes control characters in file names and server messages', () => {
    const whole = text(
      {
        rows: { pending: 1 },
        state: 'stopped',
        stop: { code: 'answers', message: 'It said \x1b[2J.', hint: 'Look at \x9b.' },
        sources: [{ name: '\x1b]0;x\x07.csv', size: 9, read: 1, rows: 1, ended: false }],
        notes: new Map([['open_value:platform=\x1b[31m', 1]]),
      },
      { warnings: [{ code: 'x', message: '\x1b[1m' }] },
    );
    expect(whole).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(whole).toContain('npx signals resume 20261120T091502Z-in-3f9a');
  });

  it('has the same text with and without colours', () => {
    const wrap = (open: string) => (value: string) => `<${open}>${value}</${open}>`;
    const style: Style = {
      bold: wrap('b'),
      red: wrap('r'),
      yellow: wrap('y'),
      green: wrap('g'),
    };
    const parts: Parts = {
      rows: { delivered: 5, invalid: 1, unknown: 2 },
      batches: { delivered: 1, unknown: 1 },
    };
    const coloured = text(parts, { style });
    expect(coloured).toContain('<r>  2  unknown');
    expect(coloured).toContain('<y>  1  invalid');
    expect(coloured.replaceAll(/<\/?[bdryg]>/g, '')).toBe(text(parts));
  });
});

describe('what to do next', () => {
  const key = { code: 'key', message: 'The service answered HTTP 401 to the key.' } as const;

  it('says what was not sent after a refused key, and how to resume', () => {
    const parts: Parts = {
      state: 'stopped',
      stop: key,
      rows: { pending: 800 },
      batches: { pending: 8 },
      sources: half,
    };
    expect(text(parts)).toMatch(
      /^Stopped after 0\.4 s: the service took no row of in\.csv\. The upload to .* is incomplete\.\nThe service answered HTTP 401 to the key\.\n {2}Correct the key in the first of these that is set: .*, SIGNALS_API_KEY, .*, the profile \(`npx signals config set api_key`\)\./,
    );
    expect(next(parts)).toBe(
      [
        '  The last 4.9 MB of in.csv was not read or sent.',
        '  800 pending rows were read but not delivered; none reached the service.',
        '  Once fixed, resume; nothing is sent twice:',
        '    npx signals resume 20261120T091502Z-in-3f9a',
      ].join('\n'),
    );
  });

  it('suggests resume after an interruption', () => {
    const parts: Parts = {
      state: 'interrupted',
      stop: { code: 'signal', message: 'Interrupted by SIGINT.' },
      rows: { delivered: 100, pending: 1 },
      batches: { delivered: 1, pending: 1 },
      sources: half,
    };
    expect(next(parts)).toBe(
      [
        '  The last 4.9 MB of in.csv was not read or sent.',
        '  1 pending row was read but not delivered; it did not reach the service.',
        '  Resume; nothing is sent twice:',
        '    npx signals resume 20261120T091502Z-in-3f9a',
      ].join('\n'),
    );
  });

  it('keeps unknown social events on hold and names the risk of resending them', () => {
    const parts: Parts = {
      type: 'social',
      rows: { delivered: 800, unknown: 100, exhausted: 7 },
      batches: { delivered: 8, unknown: 1, exhausted: 1 },
    };
    expect(next(parts, { context: { files: undelivered } })).toBe(
      [
        '  7 exhausted rows did not arrive. The requests are in undelivered.ndjson.',
        '  100 unknown rows may or may not have arrived. The requests are in undelivered.ndjson.',
        '  Resend 7 exhausted rows; unknown rows stay on hold:',
        '    npx signals resume 20261120T091502Z-in-3f9a',
        '  100 events may have arrived and are on hold, because the API documents no deduplication of events. To resend them, although they may be counted twice: `npx signals resume 20261120T091502Z-in-3f9a --unknown`.',
      ].join('\n'),
    );
  });

  it('does not suggest resending exhausted rows if only unknown events are left', () => {
    const parts: Parts = {
      type: 'social',
      rows: { delivered: 1, unknown: 1 },
      batches: { delivered: 1, unknown: 1 },
    };
    const words = next(parts);
    expect(words).toContain('--unknown');
    expect(words).not.toMatch(/Resume|Resend/);
  });

  it('says that the service deduplicates unknown signals', () => {
    const parts: Parts = { rows: { delivered: 1, unknown: 1 }, batches: { delivered: 1, unknown: 1 } };
    expect(next(parts)).toContain(
      'Resend 1 unknown row. Unknown rows may be sent twice; the service deduplicates them:',
    );
  });

  it('suggests resume for a stopped run and replay for a complete one', () => {
    const exhausted: Parts = { rows: { exhausted: 3 }, batches: { exhausted: 1 } };
    expect(next(exhausted)).toContain('npx signals resume 20261120T091502Z-in-3f9a');
    const stopped: Parts = { ...exhausted, state: 'stopped', stop: { code: 'outage', message: 'Gone.' } };
    expect(next(stopped)).toContain('npx signals resume 20261120T091502Z-in-3f9a');
  });

  it('says that the rest of a pipe was not read', () => {
    const parts: Parts = {
      rows: { pending: 2 },
      state: 'stopped',
      stop: { code: 'outage', message: 'It was gone.' },
      sources: [{ name: 'stdin', read: 70, rows: 2, ended: false }],
    };
    expect(next(parts)).toContain('  The rest of stdin was not read or sent.');
  });

  it('says where refused rows are, and how to resend them', () => {
    const parts: Parts = { rows: { delivered: 100, refused: 1 }, batches: { delivered: 1, refused: 1 } };
    expect(next(parts, { context: { files: undelivered } })).toBe(
      [
        '  The requests are in undelivered.ndjson. The results log has the lines and answers of refused rows.',
        '  The service refused 1 row. To resend it once the cause is fixed:',
        '    npx signals resume 20261120T091502Z-in-3f9a --refused',
      ].join('\n'),
    );
  });

  it('says that the service had received all rows before', () => {
    const parts: Parts = { rows: { delivered: 8 }, batches: { delivered: 1 }, service: { deduplicated: 8 } };
    expect(text(parts)).toMatch(/ in 0\.4 s; the service had received them before\.\n/);
    expect(text({ ...parts, resent: 8 })).toMatch(/ in 0\.4 s\.\n/);
  });

  it('puts the command for all rejects files last', () => {
    const parts: Parts = {
      rows: { delivered: 1, invalid: 3, unknown: 1 },
      batches: { delivered: 1, unknown: 1 },
    };
    const rejects = [
      { source: 0, path: 'runs/x/rejects/a.csv', rows: 1 },
      { source: 1, path: 'runs/x/rejects/b.csv', rows: 2 },
      { source: 2, path: 'runs/x/rejects/c.csv', rows: 0 },
    ];
    expect(next(parts, { context: { files: { ...undelivered, rejects } } })).toMatch(
      /\n {4}npx signals resume \S+\n {2}Fix the 3 rows in the rejects files, then: `npx signals upload -m runs\/x\/mapping\.yaml runs\/x\/rejects\/a\.csv runs\/x\/rejects\/b\.csv`\.$/,
    );
  });

  it('never names a command that this version does not have', () => {
    const all: Parts = {
      rows: { delivered: 1, invalid: 1, refused: 1, exhausted: 1, unknown: 1, pending: 1 },
      state: 'stopped',
      stop: { code: 'outage', message: 'It was gone.' },
      sources: half,
    };
    for (const type of ['signals', 'social'] as const) {
      expect(text({ ...all, type }, { context: { files: undelivered } })).not.toMatch(/replay|signals runs/);
    }
  });
});
