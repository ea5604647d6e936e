import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reportPage } from '../../src/report/page.ts';
import { factsOf } from '../support/report-facts.ts';

function headingsOf(page: string): readonly (string | undefined)[] {
  return [...page.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, text]) => text);
}

describe('the report of a run', () => {
  const page = reportPage(factsOf());

  test('has the outcome as its title, and its sections in the order of importance', () => {
    expect(page).toMatch(/<h1>850 of 1,000 rows delivered to .*; 50 invalid, 100 refused by the service\.<\/h1>/);
    expect(headingsOf(page)).toStrictEqual(['What happened to the 1,000 rows', 'Why rows were not delivered', 'Notes']);
    expect(page.indexOf('Next step')).toBeLessThan(page.indexOf('Why rows'));
  });

  test('leaves out what a run that sent nothing does not have', () => {
    const facts = factsOf({ rows: {}, notes: new Map() });
    const context = { ...facts.context, rejects: [] };
    const empty = reportPage({ ...facts, context, mapping: undefined, reasons: [] });
    expect(headingsOf(empty)).toStrictEqual([]);
    expect(empty).toContain('Nothing left to do.');
  });

  test('texts of files and of the service are no markup', () => {
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<!--');
    expect(page).toContain('&lt;/script&gt;&lt;!--&quot;&gt;&lt;img src=x onerror=alert(1)&gt;\\u202e&amp;amp;\\n');
  });

  test('allows its own style, no script, and nothing else', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const [, policy = ''] = /content="(default-src.*?)">/.exec(page) ?? [];
    expect(policy.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(page.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]* (?:style|on\w+)=/);
  });

  test('every state with rows has a share of the bar, and the shares fill it', () => {
    const facts = factsOf({ rows: { delivered: 999_999, refused: 1 } });
    const [bar = ''] = /<svg class="bar".*?<\/svg>/.exec(reportPage(facts)) ?? [];
    const widths = [...bar.matchAll(/width="([\d.]+)%" height="100%"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect(widths[1]).toBeGreaterThan(0.5);
    expect((widths[0] ?? 0) + (widths[1] ?? 0)).toBeCloseTo(100, 1);
  });
});
