/** What the values of a column can be, whatever its header says: nothing here depends on what the scorer has learned. */
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../src/contract/index.ts';
import { columnsIn } from '../../../src/map/discover/column.ts';
import { readingHints, readingOf } from '../../../src/map/discover/readings.ts';
import { sampleOf } from './sample-of.ts';

/** The reading of the first column. */
function read(name: string, ...lines: readonly string[]) {
  const columns = columnsIn(sampleOf(...lines));
  const field = contracts.signals.field(name) ?? contracts.social.field(name);
  if (field === undefined || columns[0] === undefined) throw new Error(`there is no ${name}`);
  return readingOf(columns[0], field, readingHints(columns));
}

/** Ways to read a column, without its name. */
function ways(name: string, ...lines: readonly string[]): unknown {
  return read(name, ...lines)?.ways.map((way) => ({ ...way, column: undefined }));
}

const date = (format: unknown, more = {}) => ({ as: 'date', format, ...more });
const number = (more = {}) => ({ as: 'number', ...more });
const domain = { as: 'domain' };

describe('a column is read in one way', () => {
  it.each<[string, string, object]>([
    ['detected_at', 'On: 2026-03-13 | 2026-03-04', {}],
    ['detected_at', 'On: 3/4/2026 | 3/13/2026', date('M/d/yyyy')],
    ['detected_at', 'On: 13.03.2026 09:15 | 4.3.2026 18:00', date('d.M.yyyy H:mm')],
    ['detected_at', 'On: 15.03.2026 | 16.03.2026 06:01', date(['d.M.yyyy', 'd.M.yyyy H:mm'])],
    [
      'detected_at',
      'On: Mon, 10 Mar 2025 06:12:48 +0000 | Tue, 11 Mar 2025 02:05:59 +0000',
      date('ccc, d MMM yyyy H:mm:ss ZZZ'),
    ],
    ['detected_at', 'On: 3. März 2026 | 14. Oktober 2026', date('d. MMM yyyy', { locale: 'de' })],
    ['detected_at', 'On: 3 févr. 2026 | 14 août 2026', date('d MMM yyyy', { locale: 'fr' })],
    ['detected_at', 'On: 3 de mayo de 2026 | 14 de julio de 2026', date("d 'de' MMM 'de' yyyy", { locale: 'es' })],
    ['detected_at', 'On: Sept 3, 2026 | Nov 14, 2026', date('MMM d, yyyy', { locale: 'en' })],
    ['engagement_date', 'On: 2026-09-01 | 2026-11-28', {}],
    ['engagement_date', 'On: 2026/09/01 | 2026/11/28', date('yyyy/M/d')],
    ['engagement_date', 'On: 1 Sep 2026 | 28 Nov 2026', date('d MMM yyyy')],
    ['engagement_date', 'On: 01/09/2026 | 28/11/2026', date('d/M/yyyy')],
    ['engagement_date', 'On: 09/01/2026 | 11/28/2026', date('M/d/yyyy')],
    ['engagement_date', 'On: 1740734062113 | 1740734592040', date('epoch_ms')],
    ['company_domain', 'Site: https://www.a.example/x | b.example | a.example, c.example', domain],
    ['company_domain', 'Site: https://northwind.example | https://www.brightleaf.example/', domain],
    ['signal_source', 'Kind: Series B | Jobs', { values: { 'Series B': 'funding', Jobs: 'job_posting' } }],
    ['signal_source', 'Kind: G2 | website', { values: { G2: 'review_site', website: 'web_visit' } }],
    ['signal_source', 'Kind: Job-Posting | tech install', {}],
    ['engagement_type', 'Act: Liked | Retweet', { values: { Liked: 'like', Retweet: 'repost' } }],
    ['platform', 'Net: FB | Insta | LI', { values: { FB: 'facebook', Insta: 'instagram', LI: 'linkedin' } }],
    ['platform', 'Net: LinkedIn | TikTok', {}],
    ['funding_amount', 'Raised: 12000000 | 9000000', {}],
    ['funding_amount', 'Raised: 5000000 | $1,200,000', number()],
    ['employee_count', 'Staff: 120 | 15', {}],
    ['employee_count', 'Staff: 1200 | 340 | 51-200', { template: '{Staff}' }],
    ['engagement_content', 'Text: Where is it? | 👏👏 | 私', {}],
    ['warmth_hint', 'Warmth: 70 | 100', {}],
    ['engager_profile_url', 'URL: https://www.linkedin.com/in/ana | https://x.com/bo', {}],
    ['post_url', 'URL: https://www.linkedin.com/posts/a-1 | https://x.com/bo/status/1', {}],
  ])('%s from "%s"', (field, line, way) => {
    const reading = read(field, line);
    expect(reading?.doubt).toBeUndefined();
    expect(ways(field, line)).toEqual([way]);
  });
});

describe('the user decides how a column is read', () => {
  it.each<[string, string, RegExp, readonly object[]]>([
    ['detected_at', 'On: 03/04/2026 | 05/06/2026', /M\/d\/yyyy or d\/M\/yyyy/, [date('M/d/yyyy'), date('d/M/yyyy')]],
    [
      'detected_at',
      'On: 2026-03-01 | 13/04/2026 | 05/04/2026 | May 7, 2026 | Q3',
      /^dates are written in several ways: d\/M\/yyyy, iso, MMM d, yyyy$/,
      [date(['d/M/yyyy', 'iso', 'MMM d, yyyy'], { invalid: 'omit' })],
    ],
    [
      'detected_at',
      'On: 2026-03-01 | 03/04/2026 | 5/4/2026 10:30',
      /could be/,
      [date(['iso', 'M/d/yyyy', 'M/d/yyyy H:mm']), date(['iso', 'd/M/yyyy', 'd/M/yyyy H:mm'])],
    ],
    ['funding_amount', '$ Raised (mm): 62 | 3.5', /1,000,000/, [number({ scale: 1e6 }), number()]],
    ['funding_amount', 'Amount Raised (Cr): 12 | 4.5', /10,000,000/, [number({ scale: 1e7 }), number()]],
    ['funding_amount', 'Raised (in 000s USD): 41000 | 2400', /perhaps 1,000$/, [number({ scale: 1000 }), number()]],
    [
      'funding_amount',
      'Summe (Mio. €): 2,5 | 14',
      /1,000,000/,
      [number({ decimal: ',', scale: 1e6 }), number({ decimal: ',' })],
    ],
    ['funding_amount', '調達額（百万円）: 300 | 540', /1,000,000/, [number({ scale: 1e6 }), number()]],
    ['funding_amount', '투자금액(억원): 120 | 15', /100,000,000/, [number({ scale: 1e8 }), number()]],
    ['funding_amount', 'Deal Size: 24.00 | 3.50', /1,000,000/, [number({ scale: 1e6 }), number()]],
    ['funding_amount', 'Raised: $612 | $188', /1,000,000/, [number({ scale: 1e6 }), number()]],
    ['funding_amount', 'Raised: $12M | $2.3M', /not plain amounts/, [number(), {}]],
    [
      'funding_amount',
      'Raised: 12000000 | 9000000 | secret',
      /not plain amounts/,
      [number({ invalid: 'omit' }), { template: '{Raised}' }],
    ],
    ['funding_amount', 'Raised: $1000000 | €1000000', /several currencies/, [{}]],
    ['employee_count', 'Staff: 1.200 | 340 | 51-200', /"1.200" can mean 1200 or 1.2/, [{ template: '{Staff}' }]],
    ['employee_count', 'Staff: 1-10 | 10-Jan | 51-200', /spreadsheet made dates of numbers, such as "10-Jan"/, [{}]],
    ['company_domain', 'Email: a@x.example | b@y.example', /private/, [domain]],
    ['detected_at', 'On: 13/04/2026 | 04/25/2026 | 03/04/2026', /not have one known date format/, [{}]],
    ['detected_at', 'On: 3 Smarch 2026 | 4 Smarch 2026', /not have one known date format/, [{}]],
    ['signal_source', 'Kind: Series B | Webinar', /not allowed/, [{ values: { 'Series B': 'funding' } }]],
  ])('%s from "%s"', (field, line, doubt, expected) => {
    const reading = read(field, line);
    expect(reading?.doubt).toMatch(doubt);
    expect(ways(field, line)).toEqual(expected);
  });
});

describe('the few values of a column that are no dates', () => {
  it.each([
    ['On: 2026-10-01 | 2026-10-02 | 2026-10-03 | 2026-10-04 | yesterday', date('iso', { invalid: 'omit' })],
    ['On: 3/13/2026 | 3/14/2026 | 3/15/2026 | 3/16/2026 | Q3', date('M/d/yyyy', { invalid: 'omit' })],
  ])('are omitted: %s', (line, way) => {
    expect(read('detected_at', line)?.doubt).toBeUndefined();
    expect(ways('detected_at', line)).toEqual([way]);
  });

  it('are asked about if they are many, also after many dates', () => {
    const dates = Array.from({ length: 80 }, (_, day) => `${1 + (day % 12)}/${1 + (day % 28)}/${2020 + (day % 6)}`);
    const texts = Array.from({ length: 20 }, (_, at) => `Q${at}`);
    const reading = read('detected_at', `On: ${[...dates, ...texts].join(' | ')}`);
    expect(reading?.doubt).toBe('20 of 100 sampled values will be left out, such as "Q0"');
  });
});

describe('an amount has the currency', () => {
  it.each([
    ['that another column names', 'Raised', 'EUR | USD', { template: '{Raised} {Currency}' }],
    ['of the whole column', 'Raised', 'EUR | EUR', {}],
    ['of its header', 'Raised (USD)', 'EUR | SEK', {}],
  ])('%s', (_, header, currencies, way) => {
    expect(ways('funding_amount', `${header}: 5000000 | 1200000`, `Currency: ${currencies}`)).toEqual([way]);
  });
});

describe('a column cannot be a field whose values are something else', () => {
  it.each([
    ['detected_at', 'On: 1w | 3mo'],
    ['engagement_date', 'On: 2 days ago | a week ago'],
    ['company_domain', 'Site: https://www.linkedin.com/company/a | https://www.linkedin.com/company/b'],
    ['company_domain', 'Site: https://www.crunchbase.com/organization/a | https://www.crunchbase.com/organization/b'],
    ['company_domain', 'Site: a@gmail.com | b@gmail.com'],
    ['company_domain', 'Site: indeed | linkedin'],
    ['company_name', "Company: {'name': 'Northwind', 'city': 'Bonn'} | {'name': 'Brightleaf', 'city': 'Ulm'}"],
    ['signal_source', 'Source: google | newsletter | linkedin'],
    ['signal_source', 'Source: Example News | Daily Example'],
    ['signal_source', 'Source: https://news.example/a/1 | https://press.example/b/2'],
    ['employee_count', 'Employees: Ana Ruiz (CEO) | Priya Shah (CTO)'],
    ['engagement_content', 'Comment: 12 | 1 | 4 | 31'],
    ['engager_profile_url', 'URL: Ana Ruiz | Bo Lind'],
    ['warmth_hint', 'Warmth: 0.7 | 0.2'],
  ])('%s from "%s"', (field, line) => {
    expect(read(field, line)).toBeUndefined();
  });
});
