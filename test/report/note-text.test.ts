import { describe, expect, it } from 'vitest';
import { describeNotes, describeSentBefore } from '../../src/report/note-text.ts';

describe('describeNotes', () => {
  it.each([
    ['date_only:detected_at', 12, 'detected_at: 12 dates without a time became midnight UTC.'],
    ['date_only:detected_at', 1, 'detected_at: 1 date without a time became midnight UTC.'],
    ['no_offset:detected_at', 3, 'detected_at: 3 date-times name no time zone, sent as they are.'],
    ['no_offset:detected_at', 1, 'detected_at: 1 date-time names no time zone, sent as it is.'],
    ['date_omitted:detected_at', 2, 'detected_at: 2 unreadable dates were left out, as the mapping asks.'],
    [
      'free_mail:company_domain',
      40,
      'company_domain: 40 e-mail addresses at hosts of private mail, such as gmail.com, name no company: the field is left out.',
    ],
    [
      'free_mail:company_domain',
      1,
      'company_domain: 1 e-mail address at hosts of private mail, such as gmail.com, names no company: the field is left out.',
    ],
    ['left_out:industry', 1200, 'industry: left out of 1,200 rows, because variant a has no such field.'],
    ['something_new:x', 4, 'something_new:x: 4 rows.'],
  ])('tells %s of %i rows', (note, rows, sentence) => {
    expect(describeNotes(new Map([[note, rows]]), 'a')).toEqual([sentence]);
  });

  it('lists the open values of a field, the most frequent first, and no more than ten', () => {
    const notes = new Map<string, number>([
      ['open_value:platform=mastodon', 2],
      ['open_value:platform=blue=sky', 30],
      ['open_value:engagement_type=\x1b[2J', 1],
    ]);
    for (let index = 0; index < 12; index += 1) notes.set(`open_value:signal_family=f${index}`, 100 - index);
    expect(describeNotes(notes)).toEqual([
      'platform: values that this program does not know, sent as they are: blue=sky (30), mastodon (2).',
      'engagement_type: values that this program does not know, sent as they are: \\x1b[2J (1).',
      'signal_family: values that this program does not know, sent as they are: f0 (100), f1 (99), f2 (98), f3 (97), f4 (96), f5 (95), f6 (94), f7 (93), f8 (92), f9 (91), and 2 more.',
    ]);
  });

  it('has nothing to tell of nothing', () => {
    expect(describeNotes(new Map())).toEqual([]);
  });
});

it('names the earlier run that has sent rows', () => {
  expect(
    describeSentBefore([
      { run: 'monday', state: 'delivered', rows: 2 },
      { run: 'monday', state: 'unknown', rows: 1 },
    ]),
  ).toEqual([
    '2 rows were already delivered by monday, so not sent again (--again sends them).',
    '1 row was sent by monday and may or may not have arrived: not sent again.',
  ]);
});
