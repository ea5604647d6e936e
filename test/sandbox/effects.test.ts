/** The effects that interface.md names for the two operations, as the sandbox shows them in /sandbox/records. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Accounts, classify, createIcpCheck, domainKey, nameKey, profileKey } from '../../src/sandbox/effects.ts';
import { readAccounts, readIcpProfile } from '../../src/sandbox/profile-files.ts';
import { event, ingest, opened, SOCIAL, signal } from '../support/open-sandbox.ts';
import { problemOf } from '../support/problems.ts';
import { asJson, call, lines } from '../support/sandbox-client.ts';

const { start, newFolder } = opened();

describe('classification into a signal family', () => {
  const of = (title: unknown, more: object = {}): unknown => {
    const { family, by, because } = classify({
      family: undefined,
      source: 'news',
      title,
      description: undefined,
      ...more,
    });
    return [family, by, because];
  };

  test('uses the signal_family of the record', () => {
    expect(of('Raises $2M', { family: ' Expansion play ' })).toStrictEqual([
      'Expansion play',
      'given',
      'Expansion play',
    ]);
    expect(of('Raises $2M', { family: '  ' })).toStrictEqual(['funding', 'title', 'raises']);
  });

  test.each([
    ['funding', 'funding'],
    ['job_posting', 'hiring'],
    ['tech_install', 'technology'],
    ['review_site', 'review'],
    ['web_visit', 'intent'],
  ])('takes the source %s for the family %s, whatever the words', (source, family) => {
    expect(of('Acquires a rival', { source })).toStrictEqual([family, 'source', source]);
  });

  test.each([
    ['Acquired two competitors', 'acquisition', 'acquired'],
    ['Raised $24M Series B', 'funding', 'raised'],
    ['New VP of Marketing', 'leadership', 'new vp'],
    ['Hiring inside sales', 'hiring', 'hiring'],
    ['Teams up with a bank', 'partnership', 'teams up'],
    ['Launches its app', 'product', 'launches'],
    ['Migrating off a legacy CRM', 'technology', 'migrating'],
    ['Opened an office in Bogotá', 'expansion', 'opened'],
    ['A review of a rival', 'review', 'review'],
    ['Asked for CRM recommendations', 'intent', 'asked for'],
    ['Said nothing in particular', 'news', 'news'],
  ])('reads %j as %s', (title, family, because) => {
    expect(of(title)).toStrictEqual([family, because === 'news' ? 'source' : 'title', because]);
  });

  test('searches the description if the title has no word', () => {
    expect(of('Big news', { description: 'They were ACQUIRED.' })).toStrictEqual([
      'acquisition',
      'description',
      'acquired',
    ]);
    expect(of('Big news', { source: 'other' })).toStrictEqual(['other', 'source', 'other']);
  });

  test('matches whole words only', () => {
    expect(of('Praised for its seedlings')).toStrictEqual(['news', 'source', 'news']);
  });

  test('searches only the start of a long text', () => {
    expect(of(`${'new '.repeat(50_000)}acquired`)).toStrictEqual(['news', 'source', 'news']);
  });
});

describe('account matching', () => {
  const accounts = new Accounts([
    { name: 'Acme Inc.', domain: 'https://www.Acme.com/about' },
    { name: 'Acme Europe', domain: 'eu.acme.com' },
    { name: 'Águila Seguros S.A.' },
    { name: 'Second Acme', domain: 'acme.com' },
  ]);
  const found = (domain: unknown, name?: unknown): unknown => {
    const match = accounts.match(domain, name);
    return match === undefined ? undefined : [match.account.name, match.by];
  };

  test('is by domain, then by name', () => {
    expect(found('acme.com', 'Águila Seguros')).toStrictEqual(['Acme Inc.', 'domain']);
    expect(found('unknown.example', 'Águila Seguros')).toStrictEqual(['Águila Seguros S.A.', 'name']);
    expect(found(undefined, 'Nobody')).toBeUndefined();
  });

  test('ignores scheme, www, case, path and subdomain', () => {
    for (const domain of ['ACME.com', 'http://www.acme.com/x?y', 'acme.com:443', 'acme.com.', ' mail.acme.com ']) {
      expect(found(domain)).toStrictEqual(['Acme Inc.', 'domain']);
    }
    expect(found('shop.eu.acme.com')).toStrictEqual(['Acme Europe', 'domain']);
    for (const domain of ['notacme.com', 'com', '', 7, null, {}, 'a'.repeat(300)]) {
      expect(found(domain)).toBeUndefined();
    }
  });

  test('ignores case, accents, punctuation and legal form', () => {
    for (const name of ['ACME', 'acme, inc', 'Acme Ltd.', 'Acme Co Inc']) {
      expect(found(undefined, name)).toStrictEqual(['Acme Inc.', 'name']);
    }
    expect(found(undefined, 'aguila seguros sa')).toStrictEqual(['Águila Seguros S.A.', 'name']);
    expect(nameKey('Co')).toBe('co');
    expect(nameKey('!!')).toBe('');
    expect(domainKey('https://user:pw@host.example')).toBe('user');
  });
});

describe('ICP filtering', () => {
  const profile = {
    employees: { min: 50, max: 100 },
    industries: ['Software'],
    locations: ['germany'],
    families: ['funding'],
  };

  test.each([
    [{ employees: 50, industry: 'software', location: 'Berlin, Germany', family: 'funding' }, true],
    [{ employees: 100 }, true],
    [{}, true],
    [{ employees: 49 }, false],
    [{ employees: 101 }, false],
    [{ industry: 'Farming' }, false],
    [{ location: 'Lyon, France' }, false],
    [{ family: 'news' }, false],
  ])('finds %o qualified: %s', (company, wanted) => {
    expect(createIcpCheck(profile)(company).qualified).toBe(wanted);
  });

  test('states the failed criterion, and can fail unknown values', () => {
    expect(createIcpCheck(profile)({ employees: 7 }).because).toBe('7 employees');
    expect(createIcpCheck({ ...profile, unknown: 'fail' })({ employees: 70 })).toStrictEqual({
      qualified: false,
      because: 'too little data',
    });
    expect(createIcpCheck({ excludedIndustries: ['Tobacco'] })({ industry: 'TOBACCO ' }).qualified).toBe(false);
    expect(createIcpCheck({})({ employees: 7 }).qualified).toBe(true);
  });

  test('uses the data of the account, or else the hints of the record', async () => {
    const accounts = [{ name: 'Big', domain: 'big.example', employees: 9000 }];
    const sandbox = await start({ accounts });
    const b = (domain: string, employees: unknown): object => ({
      company_name: domain,
      company_domain: domain,
      signal_title: 'T',
      signal_source: 'news',
      employee_count: employees,
    });
    const batch = [b('big.example', 100), b('small.example', 7), b('text.example', '70'), b('odd.example', 'many')];
    const reply = await ingest(sandbox, batch);
    // A signal that does not qualify is still accepted: it is valid.
    expect(JSON.parse(reply.text).stats).toStrictEqual({ accepted: 4, deduplicated: 0, rejected: 0 });
    const records = lines((await call(`${sandbox.url}/sandbox/records`)).text);
    expect(records.map(({ icp }) => icp)).toStrictEqual([
      { qualified: false, because: '9000 employees' },
      { qualified: false, because: '7 employees' },
      { qualified: true, because: '70 employees' },
      { qualified: true, because: 'no criterion applies' },
    ]);
    expect(records.map(({ account }) => account)).toStrictEqual([
      { name: 'Big', domain: 'big.example', by: 'domain' },
      null,
      null,
      null,
    ]);
  });
});

describe('social engagement events', () => {
  async function become(
    events: readonly object[],
    options: Parameters<typeof start>[0] = {},
  ): Promise<{
    promoted: number;
    records: Record<string, unknown>[];
  }> {
    const sandbox = await start(options);
    const reply = await ingest(sandbox, events, SOCIAL);
    return {
      promoted: JSON.parse(reply.text).promotedToPipeline,
      records: lines((await call(`${sandbox.url}/sandbox/records`)).text),
    };
  }

  test('have a baseline warmth for each engagement type, which warmth_hint overrides', async () => {
    const { records } = await become([
      ...['like', 'repost', 'comment', 'Mention', 'wave'].map((type) => ({
        ...event,
        engagement_type: type,
      })),
      { ...event, warmth_hint: 0 },
      { ...event, engagement_type: 'like', warmth_hint: 100 },
    ]);
    expect(records.map(({ warmth }) => warmth)).toStrictEqual([
      ...[20, 50, 60, 80, 30].map((score) => ({ score, by: 'baseline' })),
      { score: 0, by: 'hint' },
      { score: 100, by: 'hint' },
    ]);
  });

  test('are resolved to a contact by the profile URL, in any spelling', async () => {
    const urls = [
      'https://www.linkedin.com/in/ana-duarte',
      'http://de.linkedin.com/in/Ana-Duarte/?trk=x#y',
      'linkedin.com/in/ana-duarte/',
      'https://twitter.com/ana',
      'https://x.com/Ana',
      'https://linkedin.com/',
      'ana duarte',
      undefined,
    ];
    const { records } = await become(urls.map((url) => ({ ...event, engager_profile_url: url })));
    expect(records.map(({ contact }) => (contact as { id: string } | null)?.id)).toStrictEqual([
      'contact_1',
      'contact_1',
      'contact_1',
      'contact_2',
      'contact_2',
      undefined,
      undefined,
      undefined,
    ]);
    expect(profileKey('mailto:ana@acme.com')).toBeUndefined();
    expect(profileKey(`https://x.com/${'a'.repeat(3000)}`)).toBeUndefined();
  });

  test('are promoted only if they are warm and qualify', async () => {
    const accounts = [
      { name: 'Fits', domain: 'fits.example', employees: 100 },
      { name: 'Tiny', domain: 'tiny.example', employees: 3 },
    ];
    const { promoted, records } = await become(
      [
        { ...event, company_domain: 'fits.example' },
        { ...event, company_domain: 'tiny.example' },
        { ...event, company_domain: 'fits.example', engagement_type: 'like' },
        { ...event, engager_company: 'Fits GmbH', warmth_hint: 70 },
      ],
      { accounts },
    );
    expect(promoted).toBe(2);
    expect(records.map(({ deal }) => deal)).toStrictEqual(['deal_1', undefined, undefined, 'deal_2']);
    expect(records[3]?.['account']).toStrictEqual({ name: 'Fits', domain: 'fits.example', by: 'name' });
  });

  test('create an account if they are promoted without one, and later events match it', async () => {
    const { records } = await become([
      { ...event, company_domain: 'new.example', engager_company: 'New Ltd' },
      { ...event, company_domain: 'www.new.example', engagement_type: 'like' },
      { ...event, engager_company: 'Only A Name' },
      { ...event },
      { ...event, company_domain: 'cold.example', engagement_type: 'like' },
    ]);
    expect(records.map(({ account }) => account)).toStrictEqual([
      { name: 'New Ltd', domain: 'new.example', by: 'promotion' },
      { name: 'New Ltd', domain: 'new.example', by: 'domain' },
      { name: 'Only A Name', by: 'promotion' },
      null,
      null,
    ]);
  });
});

describe('the files', () => {
  function file(text: string): string {
    const name = path.join(newFolder(), 'file.json');
    writeFileSync(name, text);
    return name;
  }

  test('define the accounts and the ICP', async () => {
    const accounts = readAccounts(
      file(
        '\uFEFF[{"name":"Acme","domain":"acme.com","industry":"Software","employees":9,"location":"Lyon"},{"name":"B"}]',
      ),
    );
    expect(asJson(accounts)).toStrictEqual([
      { name: 'Acme', domain: 'acme.com', industry: 'Software', employees: 9, location: 'Lyon' },
      { name: 'B' },
    ]);
    const profile = {
      employees: { min: 1, max: 9 },
      industries: ['Software'],
      excludedIndustries: [],
      locations: ['Lyon'],
      families: ['news'],
      unknown: 'fail',
    };
    expect(readIcpProfile(file(JSON.stringify(profile)))).toStrictEqual(profile);
    expect(asJson(readIcpProfile(file('{}')))).toStrictEqual({});
    const sandbox = await start({ accounts, icp: readIcpProfile(file('{"employees":{"max":8}}')) });
    await ingest(sandbox, [{ ...signal(1), company_domain: 'acme.com' }]);
    expect(lines((await call(`${sandbox.url}/sandbox/records`)).text)).toMatchObject([
      { account: { name: 'Acme' }, icp: { qualified: false, because: '9 employees' } },
    ]);
  });

  test.each([
    [readAccounts, '{}', 'used: expected array, received object.'],
    [readAccounts, '[', 'the file is not JSON'],
    [readAccounts, '[7]', '[0]: expected object, received number'],
    [readAccounts, '[{"name":"A"},{"domain":"a.com"}]', '[1].name: expected string, received undefined'],
    [readAccounts, '[{"name":" "}]', '[0].name: expected a text that is not blank'],
    [readAccounts, '[{"name":"A","employes":7}]', '[0]: Unrecognized key: "employes"'],
    [readAccounts, '[{"name":"A","employees":"7"}]', '[0].employees: expected number, received string'],
    [readIcpProfile, '[]', 'used: expected object, received array.'],
    [readIcpProfile, '{"size":1}', 'used: Unrecognized key: "size".'],
    [readIcpProfile, '{"industries":"Software"}', 'industries: expected array, received string'],
    [readIcpProfile, '{"employees":7}', 'employees: expected object, received number'],
    [readIcpProfile, '{"employees":{"least":7}}', 'employees: Unrecognized key: "least"'],
    [readIcpProfile, '{"employees":{"min":"7"}}', 'employees.min: expected number, received string'],
    [readIcpProfile, '{"unknown":"maybe"}', 'unknown: expected one of "pass"|"fail"'],
  ])('are refused with a reason (%#)', (read, text, why) => {
    const name = file(text);
    const problem = problemOf(() => read(name));
    expect(problem).toMatchObject({ where: name, message: expect.stringContaining(why) });
  });

  test('are refused if they do not exist', () => {
    expect(problemOf(() => readAccounts(path.join(newFolder(), 'none.json')))).toMatchObject({
      code: 'sandbox.accounts',
      message: expect.stringContaining('cannot be read'),
    });
  });
});
