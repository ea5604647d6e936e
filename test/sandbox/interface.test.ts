/**
 * docs/internals/spec/interface.md, sentence by sentence: each test has the name of a sentence or of a row of a table, in the order of
 * the page. More detailed cases are in fixtures/wire and in the other tests here.
 */
import { expect, describe as section, test } from 'vitest';
import { contracts, openApi } from '../../src/contract/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { event, ingest, KEY, opened, SIGNALS, SOCIAL } from '../support/open-sandbox.ts';
import { call, lines, post } from '../support/sandbox-client.ts';

const { start } = opened();

const A = { company_name: 'Acme', signal_name: 'Raised a round', source: 'funding' };
const B = {
  company_name: 'Acme',
  company_domain: 'acme.example',
  signal_title: 'Raised a round',
  signal_source: 'funding',
};
const WARM = { ...event, engagement_type: 'comment', warmth_hint: 100 };
const SOURCES = 'funding job_posting linkedin news review_site tech_install twitter web_visit other'.split(' ');

type Fields = Readonly<Record<string, unknown>>;

function without(fields: Fields, name: string): Fields {
  const { [name]: _left, ...others } = fields;
  return others;
}

/** What became of elements that are sent as one batch to a service that has seen nothing before. */
async function lots(elements: readonly unknown[], where = SIGNALS): Promise<unknown[]> {
  const sandbox = await start();
  expect((await ingest(sandbox, elements, where)).status).toBe(200);
  return (await records(sandbox)).map(({ status }) => status);
}

async function records(sandbox: Sandbox, query = ''): Promise<Record<string, unknown>[]> {
  return lines((await call(`${sandbox.url}/sandbox/records${query}`)).text);
}

async function answered(
  sandbox: Sandbox,
  elements: readonly unknown[],
  where = SIGNALS,
): Promise<Record<string, unknown> & { stats: Fields }> {
  return JSON.parse((await ingest(sandbox, elements, where)).text);
}

/** A field that both a record of `base` may have, and what values of it become of. */
async function judged(base: Fields, name: string, values: readonly unknown[], where = SIGNALS): Promise<unknown[]> {
  // Every element is another one, so that none is a duplicate.
  const elements = values.map((value, index) => ({
    ...base,
    ...('company_name' in base ? { company_name: `Company ${index}` } : {}),
    ...('company_domain' in base ? { company_domain: `company${index}.example` } : {}),
    [name]: value,
  }));
  return (await lots(elements, where)).map((status) => status === 'accepted');
}

const TEXT_ONLY = ['some text', 7, true, null, {}, []];
const YES_FOR_TEXT = [true, false, false, false, false, false];

section('What the service does', () => {
  test('All paths are relative to {base_url}.', async () => {
    const { url } = await start();
    for (const path of [SIGNALS, SOCIAL]) {
      expect((await post(url + path, KEY, { signals: [], events: [] })).status).toBe(200);
      expect((await post(`${url}/other${path}`, KEY, { signals: [], events: [] })).status).toBe(404);
    }
  });

  test('Request and response bodies are JSON.', async () => {
    const { url } = await start();
    const reply = await post(url + SIGNALS, KEY, { signals: [A] });
    expect(reply.headers['content-type']).toBe('application/json');
    expect(JSON.parse(reply.text)).toMatchObject({ success: true });
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const csv = await call(url + SIGNALS, { method: 'POST', headers, body: 'company_name\nAcme\n' });
    expect(csv.status).toBe(400);
    expect(JSON.parse(csv.text)).toMatchObject({ success: false });
  });

  test('Market signals are ingested in batches.', async () => {
    expect(await lots([A, { ...A, company_name: 'Borealis' }, B])).toStrictEqual(Array(3).fill('accepted'));
  });

  test('Ingestion triggers automatic deduplication.', async () => {
    const sandbox = await start();
    expect((await answered(sandbox, [A, A])).stats).toStrictEqual({
      accepted: 1,
      deduplicated: 1,
      rejected: 0,
    });
    expect((await answered(sandbox, [A])).stats).toStrictEqual({ accepted: 0, deduplicated: 1, rejected: 0 });
  });

  test('Ingestion triggers automatic AI classification.', async () => {
    const sandbox = await start();
    await ingest(sandbox, [
      { ...A, source: 'news' },
      { ...B, signal_family: 'expansion' },
    ]);
    expect((await records(sandbox)).map(({ family }) => family)).toStrictEqual(['news', 'expansion']);
  });

  test('Ingestion triggers automatic account matching.', async () => {
    const sandbox = await start();
    await ingest(sandbox, [
      { ...B, company_domain: 'www.Acme.example' },
      { ...A, company_name: 'Nobody' },
    ]);
    expect((await records(sandbox)).map(({ account }) => account)).toStrictEqual(['acme.example', 'nobody']);
  });

  test('Ingestion triggers automatic ICP (ideal customer profile) filtering.', async () => {
    const sandbox = await start();
    const counts = [49, 50, 5000, 5001];
    await ingest(
      sandbox,
      counts.map((employee_count) => ({ ...B, company_domain: `of${employee_count}.example`, employee_count })),
    );
    expect((await records(sandbox)).map(({ status, icp }) => [status, icp])).toStrictEqual([
      ['accepted', false],
      ['accepted', true],
      ['accepted', true],
      ['accepted', false],
    ]);
  });

  test('Social engagement events (likes, comments, reposts, mentions) are ingested in batches into a dedicated social engagement pipeline.', async () => {
    const sandbox = await start();
    const types = ['like', 'comment', 'repost', 'mention'];
    await ingest(
      sandbox,
      types.map((engagement_type) => ({ ...event, engagement_type })),
      SOCIAL,
    );
    await ingest(sandbox, [A]);
    expect(await records(sandbox, '?type=social&status=accepted')).toHaveLength(4);
    expect(await records(sandbox, '?type=signals')).toHaveLength(1);
  });

  test('Events that are high-warmth and ICP-qualified are promoted automatically to the standard sales deals/accounts pipeline.', async () => {
    const sandbox = await start();
    const warmths = [0, 69, 70, 100];
    await ingest(
      sandbox,
      warmths.map((warmth_hint) => ({ ...WARM, warmth_hint })),
      SOCIAL,
    );
    expect((await records(sandbox)).map(({ icp, promoted }) => [icp, promoted])).toStrictEqual([
      [true, false],
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  test('Each call returns a batch identifier and summary counts.', async () => {
    const sandbox = await start();
    const answers = [
      await answered(sandbox, [A]),
      await answered(sandbox, [A]),
      await answered(sandbox, [event], SOCIAL),
    ];
    expect(new Set(answers.map(({ batchId }) => batchId)).size).toBe(3);
    expect(answers.map(({ stats, promotedToPipeline }) => stats ?? promotedToPipeline)).toStrictEqual([
      { accepted: 1, deduplicated: 0, rejected: 0 },
      { accepted: 0, deduplicated: 1, rejected: 0 },
      1,
    ]);
  });

  test('Retention, visibility and later retrieval of ingested records: not shown.', async () => {
    const first = await start();
    await ingest(first, [A]);
    expect(await records(first)).toMatchObject([{ record: A }]);
    await first.close();
    // Nothing outlives the sandbox.
    expect(await records(await start())).toStrictEqual([]);
  });
});

section('Market signal', () => {
  test('company_name: string, required, both variants.', async () => {
    expect(await lots([without(A, 'company_name'), without(B, 'company_name')])).toStrictEqual([
      'rejected',
      'rejected',
    ]);
    expect(await judged(without(A, 'company_name'), 'company_name', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    expect(await judged(without(B, 'company_name'), 'company_name', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
  });

  test('company_domain: string, optional in variant A and required in variant B, used for account matching.', async () => {
    expect(await lots([A, without(B, 'company_domain')])).toStrictEqual(['accepted', 'rejected']);
    expect(await judged(A, 'company_domain', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    const sandbox = await start();
    await ingest(sandbox, [B]);
    expect((await records(sandbox))[0]?.['account']).toBe('acme.example');
  });

  test("signal_name: string, required in variant A, variant A name of the signal's title.", async () => {
    expect(await lots([without(A, 'signal_name')])).toStrictEqual(['rejected']);
    expect(await judged(A, 'signal_name', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
  });

  test("signal_title: string, required in variant B, variant B name of the signal's title.", async () => {
    expect(await lots([without(B, 'signal_title')])).toStrictEqual(['rejected']);
    expect(await judged(B, 'signal_title', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    // It is the same title: the record of the other variant is a duplicate.
    expect(await lots([B, { ...A, company_domain: 'acme.example' }])).toStrictEqual(['accepted', 'deduplicated']);
  });

  test('source: string enum, required in variant A, variant A name of the source field.', async () => {
    expect(await lots([without(A, 'source')])).toStrictEqual(['rejected']);
    expect(await judged(A, 'source', TEXT_ONLY)).toStrictEqual(TEXT_ONLY.map(() => false));
  });

  test('signal_source: string enum, required in variant B, variant B name of the source field.', async () => {
    expect(await lots([without(B, 'signal_source')])).toStrictEqual(['rejected']);
    expect(await judged(B, 'signal_source', TEXT_ONLY)).toStrictEqual(TEXT_ONLY.map(() => false));
  });

  test('description: string, optional, variant B also mentions a notes field as an alternative.', async () => {
    expect(await judged(A, 'description', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    expect(await judged(B, 'description', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    expect(await judged(B, 'notes', ['some text'])).toStrictEqual([true]);
  });

  test('source_url: string, optional, variant A only.', async () => {
    expect(await judged(A, 'source_url', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    // Variant B has no such field, so any value is allowed.
    expect(await judged(B, 'source_url', [7])).toStrictEqual([true]);
    expect(contracts.signals.fieldsOf('b').flatMap(({ names }) => names)).not.toContain('source_url');
  });

  test('detected_at: string, ISO 8601 date-time, optional, both variants.', async () => {
    const values = ['2026-11-20T09:15:00Z', '2026-11-20T09:15:00+01:00', '20 November', 1_764_000_000, null];
    const wanted = [true, true, false, false, false];
    expect(await judged(A, 'detected_at', values)).toStrictEqual(wanted);
    expect(await judged(B, 'detected_at', values)).toStrictEqual(wanted);
  });

  test('signal_family: string, optional, recommended, variant B, improves classification accuracy.', async () => {
    expect(await judged(B, 'signal_family', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    const sandbox = await start();
    await ingest(sandbox, [{ ...B, signal_family: 'expansion' }]);
    expect((await records(sandbox))[0]?.['family']).toBe('expansion');
    expect(contracts.signals.field('signal_family')?.recommended).toBe('improves classification accuracy');
  });

  test('industry: string, optional, variant B firmographic hint.', async () => {
    expect(await judged(B, 'industry', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
  });

  test('funding_amount: not typed, optional, variant B firmographic hint.', async () => {
    expect(await judged(B, 'funding_amount', [5_000_000, '$5M', { amount: 5 }, null])).toStrictEqual(
      Array(4).fill(true),
    );
  });

  test('employee_count: not typed, optional, variant B firmographic hint.', async () => {
    const sandbox = await start();
    const counts = [7, '7', '11-50', { least: 7 }];
    await ingest(
      sandbox,
      counts.map((employee_count, n) => ({ ...B, company_domain: `company${n}.example`, employee_count })),
    );
    expect((await records(sandbox)).map(({ status, icp }) => [status, icp])).toStrictEqual([
      ['accepted', false],
      ['accepted', false],
      ['accepted', true],
      ['accepted', true],
    ]);
  });

  test('location: not typed, optional, variant B firmographic hint.', async () => {
    expect(await judged(B, 'location', ['Lyon', 69_001, { city: 'Lyon' }])).toStrictEqual(Array(3).fill(true));
  });

  test('hotness_score: number, optional, variant B.', async () => {
    expect(await judged(B, 'hotness_score', [87, 0.5, -1, 1e9, '87', null])).toStrictEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('Allowed values of source / signal_source (exact): funding, job_posting, linkedin, news, review_site, tech_install, twitter, web_visit, other.', async () => {
    const others = ['Funding', 'job posting', 'newspaper', ''];
    const wanted = [...SOURCES.map(() => true), ...others.map(() => false)];
    expect(await judged(A, 'source', [...SOURCES, ...others])).toStrictEqual(wanted);
    expect(await judged(B, 'signal_source', [...SOURCES, ...others])).toStrictEqual(wanted);
  });

  test('Types and formats of industry, funding_amount, employee_count, location: not shown. Allowed values of signal_family: not shown. Range and scale of hotness_score: not shown.', async () => {
    expect(await judged(B, 'signal_family', ['growth', 'an unknown family'])).toStrictEqual([true, true]);
    expect(await judged(B, 'industry', ['Software', 'NACE 62.01'])).toStrictEqual([true, true]);
    expect(await judged(B, 'hotness_score', [-1e6, 1e6])).toStrictEqual([true, true]);
  });
});

section('Social engagement event', () => {
  const of = (name: string, values: readonly unknown[]): Promise<unknown[]> => judged(event, name, values, SOCIAL);

  test('platform: string, required, examples of values: linkedin, twitter.', async () => {
    expect(await lots([without(event, 'platform')], SOCIAL)).toStrictEqual(['rejected']);
    expect(await of('platform', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    expect(await of('platform', ['linkedin', 'twitter'])).toStrictEqual([true, true]);
  });

  test('engagement_type: string, required, examples of values: like, comment, repost.', async () => {
    expect(await lots([without(event, 'engagement_type')], SOCIAL)).toStrictEqual(['rejected']);
    expect(await of('engagement_type', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    expect(await of('engagement_type', ['like', 'comment', 'repost'])).toStrictEqual([true, true, true]);
  });

  test('engager_profile_url: string, optional, recommended, crucial for contact resolution.', async () => {
    expect(await of('engager_profile_url', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    const sandbox = await start();
    const profile = 'https://www.linkedin.com/in/ana-duarte';
    await ingest(sandbox, [{ ...event, engager_profile_url: profile }, event], SOCIAL);
    expect((await records(sandbox)).map(({ contact }) => contact)).toStrictEqual(['linkedin.com/in/ana-duarte', null]);
  });

  test('company_domain: string, optional, recommended, crucial for account matching.', async () => {
    expect(await of('company_domain', TEXT_ONLY)).toStrictEqual(YES_FOR_TEXT);
    const sandbox = await start();
    await ingest(
      sandbox,
      [
        { ...event, company_domain: 'acme.example' },
        { ...event, warmth_hint: 0 },
      ],
      SOCIAL,
    );
    expect((await records(sandbox)).map(({ account }) => account)).toStrictEqual(['acme.example', null]);
  });

  test('warmth_hint: integer, 0 to 100, optional, overrides the baseline warmth score for this engagement type.', async () => {
    expect(await of('warmth_hint', [0, 100, -1, 101, 50.5, '50', null])).toStrictEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    const sandbox = await start();
    const like = { ...event, engagement_type: 'like' };
    await ingest(sandbox, [like, { ...like, warmth_hint: 99 }], SOCIAL);
    expect((await records(sandbox)).map(({ warmth }) => warmth)).toStrictEqual([20, 99]);
  });

  test('engager_name, engager_title, engager_company, engagement_content, post_content, post_url: string, optional.', async () => {
    const names = 'engager_name engager_title engager_company engagement_content post_content post_url'.split(' ');
    for (const name of names) expect(await of(name, TEXT_ONLY), name).toStrictEqual(YES_FOR_TEXT);
  });

  test('engagement_date: not typed, optional.', async () => {
    expect(await of('engagement_date', ['2026-11-20', 'yesterday', 1_764_000_000, null])).toStrictEqual(
      Array(4).fill(true),
    );
  });

  test('Complete list of allowed values of platform and engagement_type: not shown.', async () => {
    expect(await of('platform', ['mastodon', 'LinkedIn'])).toStrictEqual([true, true]);
    expect(await of('engagement_type', ['wave', 'LIKE'])).toStrictEqual([true, true]);
  });
});

section('Batch result', () => {
  test('both operations: success, boolean; batchId, string.', async () => {
    const sandbox = await start();
    for (const where of [SIGNALS, SOCIAL]) {
      const { success, batchId } = await answered(sandbox, [], where);
      expect(success).toBe(true);
      expect(batchId).toMatch(/./);
    }
  });

  test('market operation: stats.accepted, stats.deduplicated, stats.rejected, integers.', async () => {
    const reply = await answered(await start(), [A, A, {}]);
    expect(Object.keys(reply)).toStrictEqual(['success', 'batchId', 'stats']);
    expect(reply.stats).toStrictEqual({ accepted: 1, deduplicated: 1, rejected: 1 });
  });

  test('social operation: promotedToPipeline, integer.', async () => {
    const reply = await answered(await start(), [event], SOCIAL);
    expect(Object.keys(reply)).toStrictEqual(['success', 'batchId', 'promotedToPipeline']);
    expect(reply['promotedToPipeline']).toBe(1);
  });

  test('accepted is the number of signals accepted, deduplicated the number recognised as duplicates, rejected the number that failed validation.', async () => {
    const sandbox = await start();
    const signals = [A, A, A, B, { ...A, source: 'fax' }, null];
    const { stats } = await answered(sandbox, signals);
    expect(stats).toStrictEqual({ accepted: 2, deduplicated: 2, rejected: 2 });
    for (const status of ['accepted', 'deduplicated', 'rejected']) {
      expect(await records(sandbox, `?status=${status}`)).toHaveLength(Number(stats[status]));
    }
  });

  test('promotedToPipeline is the number of social leads promoted to the standard pipeline.', async () => {
    const sandbox = await start();
    const reply = await answered(sandbox, [WARM, WARM, { ...WARM, warmth_hint: 0 }, {}], SOCIAL);
    expect(reply['promotedToPipeline']).toBe(2);
    expect((await records(sandbox)).map(({ promoted }) => promoted)).toStrictEqual([true, true, false, undefined]);
  });

  test('Fields of the stored records and of the batch record beyond batchId: not shown.', async () => {
    const sandbox = await start();
    await answered(sandbox, [{ ...A, more: 1 }]);
    // Records are kept as they came, and what became of them stands beside them.
    expect(await records(sandbox, '?n=1')).toMatchObject([{ record: { ...A, more: 1 } }]);
  });
});

section('Endpoints', () => {
  test('POST /v1/signals/ingest: request headers Authorization and Content-Type: application/json.', async () => {
    const { url } = await start();
    const body = JSON.stringify({ signals: [A] });
    const key = { authorization: `Bearer ${KEY}` };
    const type = { 'content-type': 'application/json' };
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await call(url + SIGNALS, { method: 'POST', headers, body })).status;
    expect(await status({ ...key, ...type })).toBe(200);
    expect(await status(type)).toBe(401);
    expect(await status({ ...key, 'content-type': 'text/csv' })).toBe(415);
    expect((await call(url + SIGNALS, { headers: key })).status).toBe(405);
  });

  test('POST /v1/signals/ingest: object with required key signals: array of market signal objects; at most 100 elements.', async () => {
    const { url } = await start();
    const status = async (body: unknown): Promise<number> => (await post(url + SIGNALS, KEY, body)).status;
    const many = (count: number): Fields => ({ signals: Array(count).fill(A) });
    expect(await Promise.all([{}, { signals: A }, [A], { events: [] }].map(status))).toStrictEqual(Array(4).fill(400));
    expect(await Promise.all([many(0), many(1), many(100)].map(status))).toStrictEqual([200, 200, 200]);
    expect(await status(many(101))).toBe(422);
  });

  test('POST /v1/signals/ingest: success is HTTP 200 and a JSON object with success, batchId, stats.', async () => {
    const reply = await ingest(await start(), [A]);
    expect([reply.status, reply.headers['content-type']]).toStrictEqual([200, 'application/json']);
    expect(JSON.parse(reply.text)).toStrictEqual({
      success: true,
      batchId: expect.stringMatching(/./),
      stats: { accepted: 1, deduplicated: 0, rejected: 0 },
    });
  });

  test('POST /v1/signals/ingest: deduplication, AI classification, account matching, ICP filtering of the submitted signals.', async () => {
    const sandbox = await start();
    await ingest(sandbox, [A, A]);
    expect(await records(sandbox)).toMatchObject([
      { status: 'accepted', family: 'funding', account: 'acme', icp: true },
      { status: 'deduplicated' },
    ]);
  });

  test('Which of the two field-name sets of the market signal the service accepts when they differ, and whether both are accepted: not shown.', async () => {
    const both = { ...A, ...B };
    const wanted = { a: [1, 0, 1], b: [0, 1, 1], both: [0, 0, 1], either: [1, 1, 1] } as const;
    for (const variants of ['a', 'b', 'both', 'either'] as const) {
      const taken = [A, B, both].map(async (element) => {
        const { stats } = await answered(await start({ behaviour: { variants } }), [element]);
        return stats['accepted'];
      });
      expect(await Promise.all(taken), variants).toStrictEqual(wanted[variants]);
    }
  });

  test('POST /v1/social/ingest: request headers Authorization and Content-Type: application/json.', async () => {
    const { url } = await start();
    const body = JSON.stringify({ events: [event] });
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await call(url + SOCIAL, { method: 'POST', headers, body })).status;
    const right = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    expect(await status(right)).toBe(200);
    expect(await status({ ...right, authorization: 'Bearer other' })).toBe(401);
    expect(await status({ ...right, 'content-type': 'text/plain' })).toBe(415);
  });

  test('POST /v1/social/ingest: object with key events: array of social engagement event objects.', async () => {
    const { url } = await start();
    const bodies = [{ events: [event] }, { events: event }, { signals: [] }, [event]];
    const replies = await Promise.all(bodies.map((body) => post(url + SOCIAL, KEY, body)));
    expect(replies.map(({ status }) => status)).toStrictEqual([200, 400, 400, 400]);
  });

  test('POST /v1/social/ingest: success is a JSON object with success, batchId, promotedToPipeline.', async () => {
    const reply = await ingest(await start(), [{ ...event, warmth_hint: 0 }], SOCIAL);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(JSON.parse(reply.text)).toStrictEqual({
      success: true,
      batchId: expect.stringMatching(/./),
      promotedToPipeline: 0,
    });
  });

  test('Events enter the social engagement pipeline; high-warmth, ICP-qualified leads are promoted automatically to the standard sales deals/accounts.', async () => {
    const sandbox = await start();
    const lead = { ...WARM, company_domain: 'lead.example' };
    const { promotedToPipeline } = await answered(sandbox, [{ ...lead, warmth_hint: 0 }, lead], SOCIAL);
    expect(promotedToPipeline).toBe(1);
    expect((await records(sandbox)).map(({ account, promoted }) => [account, promoted])).toStrictEqual([
      ['lead.example', false],
      ['lead.example', true],
    ]);
  });

  test('Identification of individual rejected or deduplicated items in the responses: not shown.', async () => {
    const sandbox = await start();
    const reply = await ingest(sandbox, [A, { ...A, source: 'fax' }, A]);
    expect(reply.text).not.toMatch(/fax|Acme|\[/);
    expect((await records(sandbox)).map(({ status }) => status)).toStrictEqual([
      'accepted',
      'rejected',
      'deduplicated',
    ]);
  });
});

section('Authentication', () => {
  const send = async (headers: Record<string, string>, key = KEY): Promise<number[]> => {
    const { url } = await start({ key });
    const body = JSON.stringify({ signals: [], events: [] });
    const all = { 'content-type': 'application/json', ...headers };
    const replies = [SIGNALS, SOCIAL].map((path) => call(url + path, { method: 'POST', headers: all, body }));
    return (await Promise.all(replies)).map(({ status }) => status);
  };

  test('API key carried in a request header; header name Authorization.', async () => {
    expect(await send({ authorization: `Bearer ${KEY}` })).toStrictEqual([200, 200]);
    expect(await send({ 'x-api-key': KEY })).toStrictEqual([401, 401]);
  });

  test('Header value format: Bearer <API_KEY>.', async () => {
    for (const authorization of [KEY, `Basic ${KEY}`, `Bearer: ${KEY}`, 'Bearer', `Bearer ${KEY}x`]) {
      expect(await send({ authorization }), authorization).toStrictEqual([401, 401]);
    }
  });

  test('Applies to both operations (the interface declares the key requirement globally).', async () => {
    expect(await send({})).toStrictEqual([401, 401]);
    expect(openApi()['security']).toStrictEqual([{ apiKey: [] }]);
  });

  test('Key issuance, rotation, scopes and per-key permissions: not shown.', async () => {
    expect(await send({ authorization: 'Bearer another-key' }, 'another-key')).toStrictEqual([200, 200]);
  });
});

section('Errors', () => {
  test('The only failure behaviour shown is item-level: signals that fail validation are counted in stats.rejected of the market response.', async () => {
    const reply = await ingest(await start(), [A, { ...A, source: 'fax' }, {}, 7]);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text).stats).toStrictEqual({ accepted: 1, deduplicated: 0, rejected: 3 });
  });

  test('Error status codes, the error body shape and error codes: not shown.', async () => {
    const replies = (['object', 'flat', 'problem', 'text', 'html', 'empty'] as const).map(async (errors) => {
      const { url } = await start({ behaviour: { errors } });
      return (await post(url + SIGNALS, 'wrong', {})).headers['content-type'];
    });
    expect(await Promise.all(replies)).toStrictEqual([
      'application/json',
      'application/json',
      'application/problem+json',
      'text/plain; charset=utf-8',
      'text/html; charset=utf-8',
      undefined,
    ]);
  });

  test('What becomes of events that fail validation: not shown.', async () => {
    const bad = [event, { ...event, warmth_hint: 101 }];
    const dropping = await start();
    expect((await ingest(dropping, bad, SOCIAL)).status).toBe(200);
    expect(await records(dropping, '?status=accepted')).toHaveLength(1);
    const refusing = await start({ behaviour: { invalidEvents: 'refuse' } });
    expect((await ingest(refusing, bad, SOCIAL)).status).toBe(422);
    expect(await records(refusing)).toHaveLength(0);
  });
});

section('Limits', () => {
  test('POST /v1/signals/ingest: at most 100 signals per batch.', async () => {
    const sandbox = await start();
    const signals = Array.from({ length: 101 }, (_, n) => ({ ...A, company_name: `Company ${n}` }));
    expect((await answered(sandbox, signals.slice(1))).stats['accepted']).toBe(100);
    expect((await ingest(sandbox, signals)).status).toBe(422);
    expect(await records(sandbox)).toHaveLength(100);
  });

  test('POST /v1/social/ingest: warmth_hint is an integer in the range 0 to 100.', async () => {
    const hints = [0, 100, 101];
    expect(await judged(event, 'warmth_hint', hints, SOCIAL)).toStrictEqual([true, true, false]);
  });

  test('Behaviour when a market batch exceeds 100 signals: not shown.', async () => {
    const signals = Array.from({ length: 101 }, (_, n) => ({ ...A, company_name: `Company ${n}` }));
    for (const overLimit of ['400', '413', '422'] as const) {
      const sandbox = await start({ behaviour: { overLimit } });
      expect((await ingest(sandbox, signals)).status).toBe(Number(overLimit));
    }
  });

  test('Maximum number of events per social batch: not shown.', async () => {
    const sandbox = await start({ behaviour: { maxEvents: 3 } });
    const status = async (count: number): Promise<number> =>
      (await ingest(sandbox, Array(count).fill(event), SOCIAL)).status;
    expect([await status(3), await status(4)]).toStrictEqual([200, 422]);
  });

  test('Rate limits: not shown.', async () => {
    const sandbox = await start({ behaviour: { rateLimit: { count: 2, perMs: 60_000 } } });
    const replies = [await ingest(sandbox, [A]), await ingest(sandbox, [A]), await ingest(sandbox, [A])];
    expect(replies.map(({ status }) => status)).toStrictEqual([200, 200, 429]);
    expect(Number(replies[2]?.headers['retry-after'])).toBeGreaterThan(50);
  });

  test('Maximum request size: not shown.', async () => {
    const body = JSON.stringify({ signals: [A] });
    const reply = async (maxBody: number): Promise<number> =>
      (await ingest(await start({ behaviour: { maxBody } }), [A])).status;
    expect([await reply(body.length), await reply(body.length - 1)]).toStrictEqual([200, 413]);
  });
});

section('Versioning', () => {
  test('The version appears as a path prefix: all operations live under /v1/.', async () => {
    const { url } = await start();
    for (const path of [SIGNALS, SOCIAL]) {
      expect(path).toMatch(/^\/v1\//);
      expect((await post(url + path.replace('/v1', ''), KEY, {})).status).toBe(404);
      expect((await post(url + path.replace('/v1', '/v2'), KEY, {})).status).toBe(404);
    }
  });

  test('The interface description carries the version number 1.0.0.', async () => {
    const { url } = await start();
    expect(JSON.parse((await call(`${url}/openapi.json`)).text).info.version).toBe('1.0.0');
  });
});
