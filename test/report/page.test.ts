import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reportPage } from '../../src/report/page.ts';
import { eventsOf, factsOf } from '../support/report-facts.ts';

describe('the report of a run', () => {
  const page = reportPage(factsOf(eventsOf(60)));

  test('has its sections in the order of importance, under one main heading', () => {
    const headings = [...page.matchAll(/<h([123])[^>]*>(.*?)<\/h\1>/g)].map(([, level, text]) => `${level} ${text}`);
    expect(headings).toStrictEqual([
      '1 Run 20261120T091502Z-in-3f9a',
      '2 What happened to the 1,000 rows',
      '2 What to do next',
      '2 Requests over time',
      '2 Batches',
      '3 Not delivered',
      '3 Delivered, with records that were rejected or not accounted for',
      '2 Invalid rows by reason',
      '2 Notes',
      '2 Fill rates',
      '2 Mapping',
      '2 Settings',
    ]);
  });

  test('a replay has no mapping, and a run that sent nothing has no charts and no batches', () => {
    const empty = reportPage(factsOf([], { read: 0, mapping: undefined, notes: [], reasons: [], unsettled: 0 }));
    const headings = [...empty.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, text]) => text);
    expect(headings).toStrictEqual(['Rows', 'What to do next', 'Settings']);
  });

  test('texts of files and of the service are no markup', () => {
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.match(/<\/script/g)).toHaveLength(2);
    expect(page).not.toContain('<!--');
    expect(page).toContain('&lt;/script&gt;&lt;!--&quot;&gt;&lt;img src=x onerror=alert(1)&gt;\\u202e&amp;amp;\\n');
  });

  test('allows its own style and script and nothing else', () => {
    const hash = (tag: string): string => {
      const [, text = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page) ?? [];
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    const [, policy = ''] = /content="(default-src.*?)">/.exec(page) ?? [];
    const entities: Record<string, string> = { '&#39;': "'" };
    expect(policy.replace(/&#39;/g, (entity) => entities[entity] ?? '')).toBe(
      `default-src 'none'; style-src ${hash('style')}; script-src ${hash('script')}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    const tags = page.slice(0, page.lastIndexOf('<script>')).replace(/"[^"]*"/g, '""');
    expect(tags).not.toMatch(/<[^>]* (?:style|on\w+)=/);
  });

  test('a run of a million rows makes a page below 1 MB, also with hostile answers', () => {
    const events = eventsOf(10_000).map((event) =>
      event.event === 'batch.settled' && Number(event.batch) % 2 === 0
        ? { ...event, outcome: 'unknown' as const, error: '<'.repeat(5000) }
        : event,
    );
    expect(Buffer.byteLength(reportPage(factsOf(events)))).toBeLessThan(1_000_000);
  });

  test('every state with rows has a share of the bar, and the shares fill it', () => {
    const facts = factsOf([], {
      read: 1_000_000,
      states: [
        { rows: 999_999, state: 'delivered', about: '' },
        { rows: 1, state: 'refused', about: '' },
      ],
    });
    const [bar = ''] = /<svg class="bar".*?<\/svg>/.exec(reportPage(facts)) ?? [];
    const widths = [...bar.matchAll(/width="([\d.]+)%" height="100%" class/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect(widths[1]).toBeGreaterThan(0.5);
    expect((widths[0] ?? 0) + (widths[1] ?? 0)).toBeCloseTo(100, 1);
  });
});
