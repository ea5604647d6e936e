import { describe, expect, it } from 'vitest';
import { createSuggest } from '../../src/commands/shared/suggest.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Problem } from '../../src/model/problem.ts';
import { createReasons } from '../../src/report/failure-reasons.ts';
import type { Style } from '../../src/report/style.ts';
import { exitCodeOf, summarise } from '../../src/report/summary.ts';
import { type SummaryContext, type SummaryFiles, summaryText } from '../../src/report/summary-text.ts';
import { books, committed, invalid, type Parts, range, sealed, settled } from '../support/ledgers.ts';
import { suggest } from '../support/suggest.ts';

const files: SummaryFiles = { results: 'runs/x/results.csv', mapping: 'runs/x/mapping.yaml', rejects: [] };
const undelivered = { ...files, undelivered: 'runs/x/undelivered.ndjson' };
const half = [{ name: 'in.csv', size: 5_000_000, read: 100_000, rows: 800, ended: false }];

interface Given {
  readonly events?: readonly RunEvent[];
  readonly warnings?: readonly Problem[];
  readonly context?: Partial<SummaryContext>;
  /** The data came through a pipe. */
  readonly style?: Style;
}

function text(parts: Parts, { events = [], warnings = [], context = {}, style }: Given = {}): string {
  const ledger = books(parts);
  const reasons = createReasons();
  for (const event of [...events, committed]) reasons.on(event);
  const summary = summarise(ledger, {
    exitCode: exitCodeOf(ledger),
    folder: 'runs/x',
    seconds: 0.41,
    warnings,
  });
  return summaryText(
    ledger,
    summary,
    {
      destination: 'https://api.example.com',
      sandbox: false,
      suggest,
      files,
      reasons,
      ...context,
    },
    style,
  );
}

/** What stands under "What to do next". */
function next(parts: Parts, given: Given = {}): string {
  return text(parts, given).split('What to do next\n')[1] ?? '';
}

describe('the summary', () => {
  it('tells of a run in which all went well', () => {
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
        '  1,608  delivered  sent, and a valid answer came',
        '',
        'The service counted 1,600 accepted, 8 deduplicated, 0 rejected.',
        '',
        'Files',
        '  runs/x/results.csv   one line for each batch',
        '  runs/x/mapping.yaml  how columns became fields; for -m',
        '',
        'Nothing is left to do.',
      ].join('\n'),
    );
  });

  it('groups why rows are invalid, tells notes and warnings, and ends with the command for the rejects', () => {
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
        warnings: [
          { code: 'key.mode', message: 'Others can read the key file.', hint: 'Run `chmod 600 key`.' },
        ],
        context: {
          sandbox: true,
          suggest: createSuggest({ invocation: 'npx signals', shell: 'posix' }, { sandbox: true }),
          files: { ...files, rejects: [{ path: 'runs/x/rejects/my in.csv', rows: 3 }] },
        },
      },
    );
    expect(whole).toBe(
      [
        'Delivered 608 of 611 rows of in.csv to https://api.example.com (market signals, variant b) in 0.4 s.',
        'The service was the sandbox on this machine: nothing left it.',
        '',
        '  611  rows       read, of these:',
        '  608  delivered  sent, and a valid answer came',
        '    3  invalid    became no record, so not sent',
        '',
        'The service counted 608 accepted, 0 deduplicated, 0 rejected.',
        '',
        'Why rows are invalid',
        '  2  company_name (from Company) is missing                      first at in.csv:12',
        '  1  signal_source (from Kind) is not one of the allowed values  in.csv:20',
        '',
        'Worth knowing',
        '  - detected_at: 12 dates without a time became midnight UTC.',
        '',
        'Warnings',
        '  - Others can read the key file.',
        '      Run `chmod 600 key`.',
        '',
        'Files',
        '  runs/x/results.csv        one line for each batch',
        '  runs/x/rejects/my in.csv  3 rows to correct, with the reasons',
        '  runs/x/mapping.yaml       how columns became fields; for -m',
        '',
        'What to do next',
        '  Correct the 3 rows in the rejects file, then:',
        "    npx signals upload -m runs/x/mapping.yaml 'runs/x/rejects/my in.csv' --sandbox",
      ].join('\n'),
    );
  });

  it('says that a header alone is nothing to send', () => {
    expect(text({})).toMatch(/^Nothing to send: there are no rows in in\.csv\.\n\nFiles/);
  });

  it('says that nothing was delivered where no row became a record', () => {
    expect(text({ rows: { invalid: 2 } })).toMatch(
      /^Nothing of in\.csv was delivered to https:\/\/api\.example\.com \(market signals, variant b\)\.\nIt took 0\.4 s\.\n/,
    );
  });

  it('tells what became of every row, state by state', () => {
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
        '   1  delivered  sent, and a valid answer came',
        '   2  invalid    became no record, so not sent',
        '   3  skipped    passed over, as --skip, --limit or --transform asks',
        '   4  duplicate  the same as an earlier row, so not sent',
        '   5  refused    sent, and the service answered that it will not take them',
        '   6  exhausted  tried until the retries were spent, and certainly not processed',
        '   7  unknown    sent, but no valid answer came: they may have arrived or not',
        '   8  pending    not delivered, because the run ended first',
      ].join('\n'),
    );
  });

  it('tells the leads that the service promoted, and no counts of signals', () => {
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

  it('tells of rejected and unaccounted records, and that the service does not say which', () => {
    const parts: Parts = {
      rows: { delivered: 100 },
      batches: { delivered: 1 },
      service: { accepted: 80, rejected: 19, unaccounted: 1 },
    };
    expect(text(parts)).toContain('Its counts differ from what was sent by 1 record.');
    expect(next(parts)).toMatch(/^ {2}The service does not say which records it rejected: /);
  });

  it('puts broken books before all else and takes nothing back', () => {
    const whole = text({ rows: { read: 12, delivered: 10 }, batches: { delivered: 1 } });
    expect(whole).toMatch(/^The books do not balance: .* This is a fault of the program\.\n/);
    expect(whole).toContain('Report this, with the numbers above.');
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
      'Why batches were not delivered\n  100  unknown, in 1 batch: HTTP 502\n   50  refused, in 1 batch: HTTP 422: \\x1b[2Jno\n',
    );
  });

  it('lets no name of a file or word of a server act on the terminal', () => {
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
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
    expect(whole).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(whole).toContain('npx signals resume 20261120T091502Z-in-3f9a');
  });

  it('is the same text under its colours', () => {
    const wrap = (open: string) => (value: string) => `<${open}>${value}</${open}>`;
    const style: Style = {
      bold: wrap('b'),
      dim: wrap('d'),
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

  it('says after a refused key what was not sent, and how to go on', () => {
    const parts: Parts = {
      state: 'stopped',
      stop: key,
      rows: { pending: 800 },
      batches: { pending: 8 },
      sources: half,
    };
    expect(text(parts)).toMatch(
      /^Stopped after 0\.4 s: the upload of in\.csv to .* is not complete\.\nThe service answered HTTP 401 to the key\.\n {2}Store the right key with `npx signals config set api_key`/,
    );
    expect(next(parts)).toBe(
      [
        '  The last 4.9 MB of in.csv was not read, and so not sent.',
        '  800 pending rows were read and not delivered; nothing of them was taken by the service.',
        '  To go on, once the cause is mended, without sending anything twice:',
        '    npx signals resume 20261120T091502Z-in-3f9a',
      ].join('\n'),
    );
  });

  it('offers to go on after an interruption', () => {
    const parts: Parts = {
      state: 'interrupted',
      stop: { code: 'signal', message: 'Interrupted by SIGINT.' },
      rows: { delivered: 100, pending: 1 },
      batches: { delivered: 1, pending: 1 },
      sources: half,
    };
    expect(next(parts)).toBe(
      [
        '  The last 4.9 MB of in.csv was not read, and so not sent.',
        '  1 pending row was read and not delivered; nothing of it was taken by the service.',
        '  To go on, without sending anything twice:',
        '    npx signals resume 20261120T091502Z-in-3f9a',
      ].join('\n'),
    );
  });

  it('holds social events that may have arrived, and names the risk of sending them again', () => {
    const parts: Parts = {
      type: 'social',
      rows: { delivered: 800, unknown: 100, exhausted: 7 },
      batches: { delivered: 8, unknown: 1, exhausted: 1 },
    };
    expect(next(parts, { context: { files: undelivered } })).toBe(
      [
        '  7 exhausted rows did not arrive. The requests are in runs/x/undelivered.ndjson.',
        '  100 unknown rows may have arrived or not: nobody can tell from here. The requests are in runs/x/undelivered.ndjson.',
        '  To send what is exhausted again; what is unknown stays as it is:',
        '    npx signals replay 20261120T091502Z-in-3f9a',
        '  The interface documents no deduplication of events, so what is unknown is held. To send it again at the risk that it is counted twice:',
        '    npx signals replay 20261120T091502Z-in-3f9a --only unknown --on-unknown resend',
      ].join('\n'),
    );
  });

  it('does not offer to go on where only held events are left', () => {
    const parts: Parts = {
      type: 'social',
      rows: { delivered: 1, unknown: 1 },
      batches: { delivered: 1, unknown: 1 },
    };
    const words = next(parts);
    expect(words).toContain('--on-unknown resend');
    expect(words).not.toContain('To go on');
  });

  it('says of signals that the service recognises what it gets a second time', () => {
    const parts: Parts = { rows: { delivered: 1, unknown: 1 }, batches: { delivered: 1, unknown: 1 } };
    expect(next(parts)).toContain(
      'To send them again; of what is unknown the service may get some a second time, which by its interface it recognises:',
    );
  });

  it('goes on with a run that was stopped, and replays one that is complete', () => {
    const exhausted: Parts = { rows: { exhausted: 3 }, batches: { exhausted: 1 } };
    expect(next(exhausted)).toContain('npx signals replay 20261120T091502Z-in-3f9a');
    const stopped: Parts = { ...exhausted, state: 'stopped', stop: { code: 'outage', message: 'Gone.' } };
    expect(next(stopped)).toContain('npx signals resume 20261120T091502Z-in-3f9a');
  });

  it('says of a pipe that its rest was not read', () => {
    const parts: Parts = {
      rows: { pending: 2 },
      state: 'stopped',
      stop: { code: 'outage', message: 'It was gone.' },
      sources: [{ name: 'stdin', read: 70, rows: 2, ended: false }],
    };
    expect(next(parts)).toContain('  The rest of stdin was not read, and so not sent.');
  });

  it('says that refused rows need a change, and where they are', () => {
    const parts: Parts = { rows: { delivered: 100, refused: 1 }, batches: { delivered: 1, refused: 1 } };
    expect(next(parts, { context: { files: undelivered } })).toBe(
      '  The refused row needs a change before it is sent again. The requests are in runs/x/undelivered.ndjson. The results log has their lines and what the service said.',
    );
  });

  it('puts the command for all rejects files last', () => {
    const parts: Parts = {
      rows: { delivered: 1, invalid: 3, unknown: 1 },
      batches: { delivered: 1, unknown: 1 },
    };
    const rejects = [
      { path: 'runs/x/rejects/a.csv', rows: 1 },
      { path: 'runs/x/rejects/b.csv', rows: 2 },
      { path: 'runs/x/rejects/c.csv', rows: 0 },
    ];
    expect(next(parts, { context: { files: { ...undelivered, rejects } } })).toMatch(
      /Correct the 3 rows in the rejects files, then:\n {4}npx signals upload -m runs\/x\/mapping\.yaml runs\/x\/rejects\/a\.csv runs\/x\/rejects\/b\.csv$/,
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
