import { describe, expect, it } from 'vitest';
import { SuggestionCollector, suggestedOptions, suggestionLines } from '../../src/report/suggestions.ts';

describe('the suggestions of a check', () => {
  const collector = new SuggestionCollector((field) => field !== 'signal_source');
  collector.addCandidate({ source: 0, line: 2 }, { industry: 'N/A', location: 'Hamburg', notes: '-' }, (field) =>
    field === 'notes' ? undefined : field,
  );
  const issue = { code: 'number', expected: 'a number' } as const;
  collector.addIssues({ source: 0, line: 3 }, [
    { ...issue, field: 'hotness_score', found: 'NULL' },
    { ...issue, field: 'detected_at', found: '30+ days ago' },
    { ...issue, field: 'signal_source', found: 'newspaper' },
  ]);
  const suggestions = collector.result({});

  it('are words that mean no value, and optional fields with invalid values', () => {
    expect(suggestionLines(suggestions, ['in.csv'])).toEqual([
      'industry, hotness_score: "N/A", "NULL" look like "no value" (first at in.csv:2). To treat them as empty: --empty.',
      'detected_at: optional, with 1 invalid value (first at in.csv:3). To omit the field and send these rows: --setting omit_invalid=detected_at.',
    ]);
  });

  it('are options that need no editor', () => {
    expect(suggestedOptions(suggestions)).toEqual([
      '--empty',
      'N/A',
      '--empty',
      'NULL',
      '--setting',
      'omit_invalid=detected_at',
    ]);
  });
});
