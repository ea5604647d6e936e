import { describe, expect, it } from 'vitest';
import { describeNotes, describeSentBefore } from '../../src/report/note-text.ts';

const firstNotes = new Map([
  ['omitted:warmth_hint', { source: 0, line: 14 }],
  ['omitted:detected_at', { source: 0, line: 3 }],
]);

describe('describeNotes', () => {
  it.each([
    ['date_only:detected_at', 12, 'detected_at: 12 dates without a time were set to midnight UTC.'],
    ['date_only:detected_at', 1, 'detected_at: 1 date without a time was set to midnight UTC.'],
    ['no_offset:detected_at', 3, 'detected_at: 3 date-times without a time zone were left as written.'],
    ['no_offset:detected_at', 1, 'detected_at: 1 date-time without a time zone was left as written.'],
    ['no_seconds:detected_at', 3, 'detected_at: 3 date-times without seconds were completed with :00.'],
    [
      'omitted:warmth_hint',
      2,
      'warmth_hint: 2 invalid values were omitted, first at in.csv:14 (`invalid: omit` in the mapping).',
    ],
    [
      'omitted:detected_at',
      1,
      'detected_at: 1 invalid value was omitted, at in.csv:3 (`invalid: omit` in the mapping).',
    ],
    [
      'free_mail:company_domain',
      40,
      'company_domain: 40 addresses at a free e-mail provider such as gmail.com identify no company; the field was omitted.',
    ],
    [
      'free_mail:company_domain',
      1,
      'company_domain: 1 address at a free e-mail provider such as gmail.com identifies no company; the field was omitted.',
    ],
    ['left_out:industry', 1200, 'industry: omitted from 1,200 rows; variant a has no such field.'],
    [
      'nul:description',
      2,
      "description: 2 values with the character U+0000 (NUL) were left unchanged; many databases refuse it. To find it: `grep -naP '\\x00|\\\\u0000' FILE`.",
    ],
    ['something_new:x', 4, 'something_new:x: 4 rows.'],
    ['other:', 4, 'Other notes: 4 rows.'],
  ])('describes %s for %i rows', (note, rows, sentence) => {
    expect(describeNotes({ notes: new Map([[note, rows]]), firstNotes, variant: 'a' }, ['in.csv'])).toEqual([sentence]);
  });

  it('lists at most ten open values of a field, the most frequent first', () => {
    const notes = new Map<string, number>([
      ['open_value:platform=mastodon', 2],
      ['open_value:platform=blue=sky', 30],
      ['open_value:engagement_type=\x1b[2J', 1],
    ]);
    for (let index = 0; index < 12; index += 1) notes.set(`open_value:signal_family=f${index}`, 100 - index);
    expect(describeNotes({ notes, firstNotes }, ['in.csv'])).toEqual([
      'platform: values that the API does not name, left unchanged: blue=sky (30), mastodon (2).',
      'engagement_type: values that the API does not name, left unchanged: \\x1b[2J (1).',
      'signal_family: values that the API does not name, left unchanged: f0 (100), f1 (99), f2 (98), f3 (97), f4 (96), f5 (95), f6 (94), f7 (93), f8 (92), f9 (91), and 2 more.',
    ]);
  });

  it('returns no sentences without notes', () => {
    expect(describeNotes({ notes: new Map(), firstNotes }, [])).toEqual([]);
  });
});

it('names the earlier run that has sent rows', () => {
  expect(
    describeSentBefore([
      { run: 'monday', state: 'delivered', rows: 2 },
      { run: 'monday', state: 'unknown', rows: 1 },
    ]),
  ).toEqual([
    '2 rows were already delivered by monday and not sent again (--again resends them).',
    '1 row was already sent by monday, may have arrived, and was not sent again.',
  ]);
});
