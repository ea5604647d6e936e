import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/lib/nearest.ts';

const SOURCES = [
  'funding',
  'job_posting',
  'linkedin',
  'news',
  'review_site',
  'tech_install',
  'twitter',
  'web_visit',
  'other',
];

describe('the nearest word', () => {
  it.each([
    ['fundng', 'funding'],
    ['Job-Postings', 'job_posting'],
    ['Linked In', 'linkedin'],
    ['twiter', 'twitter'],
    ['nwes', 'news'],
    ['new', 'news'],
    ['Funding round', 'funding'],
    ['tech', 'tech_install'],
  ])('for %j is %j', (word, expected) => {
    expect(nearest(word, SOURCES)).toBe(expected);
  });

  it.each(['', '—', 'acquisition', 'x', 'jobs', 'a'.repeat(65)])('is undefined for %j', (word) => {
    expect(nearest(word, SOURCES)).toBeUndefined();
  });

  it('is the first of two equally near words', () => {
    expect(nearest('cab', ['car', 'cat'])).toBe('car');
  });
});
