/**
 * What discovery promises, with headers and values that leave no doubt: what it learns between two trainings moves probabilities,
 * and no test here is near a limit. How often it is right is measured by collected.test.ts, and readings.test.ts has the values.
 */
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../src/contract/index.ts';
import { columnsForField, discoverMapping, type Sample } from '../../../src/map/index.ts';
import { typeOf } from './headers.ts';
import { sampleOf } from './sample-of.ts';

const { signals, social } = contracts;

const COMPANY = 'Company: Northwind Robotics | Brightleaf Health';
const TITLE = 'Headline: Opens a plant | Hires a CFO';
const PERSON = 'Full Name: Maria Lopez | Tom Becker';
const COMMENT = 'Comment: Where can I buy it? | We love the new plant!';

function fieldsOf(sample: Sample, contract = signals) {
  return discoverMapping(sample, contract).document.fields;
}

function questionAbout(field: string, sample: Sample, contract = signals) {
  const { document, questions } = discoverMapping(sample, contract, undefined, 'both');
  expect(document.fields).not.toHaveProperty(field);
  return questions.find((each) => each.field === field);
}

/** What is used, or is the first answer to a question. */
function offeredIn(sample: Sample, contract = signals) {
  const { document, questions } = discoverMapping(sample, contract, undefined, 'both');
  const asked = questions.flatMap(({ field, options: [first] }) =>
    first === undefined ? [] : [[field, first.mapping]],
  );
  return { ...Object.fromEntries(asked), ...document.fields };
}

describe('columns with other names', () => {
  it('are used if they are certain, with the reason', () => {
    const sites = 'Company Website: https://northwind.example/x | brightleaf.example';
    const { used } = discoverMapping(sampleOf(COMPANY, TITLE, sites), signals);
    expect(used.slice(0, 2)).toMatchObject([
      { field: 'company_name', mapping: { column: 'Company' }, reason: expect.stringMatching(/^header/) },
      { field: 'company_domain', mapping: { column: 'Company Website', as: 'domain' } },
    ]);
  });

  it.each([
    ['company_name', 'Unternehmen: Northwind GmbH | Brightleaf AG'],
    ['company_name', '会社名: 北斗精機株式会社 | 青空食品株式会社'],
    ['company_name', 'properties.funded_organization_identifier.value: Lumivolt | Brindle Health'],
    ['detected_at', 'Fecha de publicación: 2026-10-01 | 2026-11-02', 'Empresa: Northwind | Brightleaf'],
    ['funding_amount', 'Money Raised: 5000000 | 1200000', COMPANY, 'Funding Round: Seed | Series A'],
    ['employee_count', 'Number of Employees: 51-200 | 11-50', COMPANY],
    ['source_url', 'Article URL: https://news.example/a/1 | https://press.example/b/2', COMPANY, TITLE],
    ['signal_title', 'Press: Opens its third plant in Ulm | Hires a new chief financial officer', COMPANY],
    ['industry', 'Branche: Maschinenbau | Software', 'Branche 2: Pumpen | Logistik', COMPANY],
  ])('are offered for %s: %s', (field, ...columns) => {
    const [column] = columns[0]?.split(':') ?? [];
    expect(JSON.stringify(offeredIn(sampleOf(...columns))[field])).toContain(`${column}`);
  });

  it.each([
    ['engager_title', 'Job Title: CEO at Northwind | Painter', PERSON, COMMENT],
    ['platform', 'Network: FB | Insta', PERSON, COMMENT],
    ['post_url', 'Post: https://x.com/maria/status/1 | https://x.com/tom/status/2', PERSON, COMMENT],
    ['engager_profile_url', 'Profile: https://www.linkedin.com/in/maria | https://www.linkedin.com/in/tom', COMMENT],
    ['engager_name', 'Quién: Paqui Romero | Josemi C.', 'Comentario: ¿Cuánto cuesta? | Me encantan, compré dos'],
  ])('are offered for %s of social events: %s', (field, ...columns) => {
    const [column] = columns[0]?.split(':') ?? [];
    expect(offeredIn(sampleOf(...columns), social)[field]).toMatchObject({ column });
  });

  it('are asked about if they are rivals, and neither is used', () => {
    const raised = ['Money Raised: 100000 | 200000', 'Raised Money: 110000 | 220000'];
    const options = questionAbout('funding_amount', sampleOf(COMPANY, ...raised))?.options ?? [];
    expect(options.flatMap(({ columns }) => columns).sort()).toEqual(['Money Raised', 'Raised Money']);
  });

  it.each([
    ['company_name', COMPANY, 'Firma: Nordwind GmbH | Helle AG', 'Unternehmen: Kite AG | Tern KG'],
    ['detected_at', ...['Publication', 'Grant', 'Filing', 'Priority'].map((what) => `${what} Date: 2026-11-01`)],
    ['detected_at', COMPANY, 'First Seen: 2024-05-02 | 2024-05-24', 'Last Seen: 2024-05-27 | 2024-05-29'],
    ['detected_at', COMPANY, 'Announced: 03/04/2026 | 05/06/2026'],
    ['funding_amount', COMPANY, 'Money Raised: $12M | $2.3M'],
  ])('are asked about in place of used for %s, if only the user can decide', (field, ...columns) => {
    expect(questionAbout(field, sampleOf(...columns))?.options.length).toBeGreaterThan(0);
  });

  it('are each used for one field', () => {
    const { document } = discoverMapping(sampleOf(COMPANY, 'signal_text: Raised a round | Hires a CFO'), signals);
    const columns = Object.values(document.fields).flatMap((each) => ('column' in each ? [each.column] : []));
    expect(new Set(columns).size).toBe(columns.length);
  });

  it('are not asked about for a field that the variant does not have', () => {
    const sample = sampleOf(COMPANY, 'Money Raised: 100000 | 200000', 'Raised Money: 110000 | 220000');
    const ofA = discoverMapping(sample, signals);
    expect(ofA.questions.map(({ field }) => field)).not.toContain('funding_amount');
    expect(ofA.unused).toContain('Raised Money');
    const ofB = discoverMapping(sample, signals, undefined, 'b');
    expect(ofB.questions.map(({ field }) => field)).toContain('funding_amount');
  });

  it('do not change fields that options map', () => {
    const given = { fields: { company_name: { column: 'Account' }, detected_at: { column: 'Announced' } } };
    const sample = sampleOf(COMPANY, 'Account: x | y', 'Announced: 03/04/2026 | 05/06/2026');
    expect(discoverMapping(sample, signals, given).document.fields).toMatchObject(given.fields);
  });

  it('are asked about if they have dates but no values', () => {
    const { questions } = discoverMapping({ columns: ['Company', 'Announced'], rows: [] }, signals);
    expect(questions.map(({ field }) => field)).toContain('detected_at');
  });

  it('can be combined from first and last name, if no column has the whole name', () => {
    const parts = ['First Name: Maria | Tom', 'Last Name: Lopez | Becker'];
    const template = { template: '{First Name} {Last Name}' };
    expect(fieldsOf(sampleOf(...parts), social)).toEqual({ engager_name: template });
    const bare = sampleOf('Cognome: Lopez | Becker', 'Nome: Maria | Tom');
    expect(fieldsOf(bare, social)).toEqual({ engager_name: { template: '{Nome} {Cognome}' } });
    expect(offeredIn(sampleOf(...parts, PERSON), social)).toMatchObject({ engager_name: { column: 'Full Name' } });
    const several = sampleOf(...parts, 'first_name: Ann | Bo');
    expect(fieldsOf(several, social)).not.toMatchObject({
      engager_name: expect.objectContaining({ template: expect.anything() }),
    });
  });
});

describe('a wrong meaning is never used', () => {
  it.each([
    [
      'signals',
      'contacts.csv',
      ...['First Name: Ann | Bo | Cy', 'Last Name: Lee | Kim | Doe', 'Company: Acme GmbH | Kite AG | Tern KG'],
      ...['Email: ann@acme.de | bo@kite.de | cy@tern.de', 'Phone: +49 30 1234567 | +49 30 7654321 | +49 30 2345678'],
    ],
    ['signals', 'own-orders.csv', 'Order ID: 1001 | 1002', 'Quantity: 2 | 1', 'Unit Price: 12.50 | 9.90'],
    [
      'social',
      'contact-form.csv',
      PERSON,
      'Message: Please call me | Send a quote',
      'Email: a@x.example | b@y.example',
      'Phone: +49 30 1234567 | 030 765432',
      'Consent: yes | yes',
    ],
    ['social', 'export.csv', 'Foo: 1 | 2'],
    ['signals', 'export.csv', 'Foo: 1 | 2'],
  ])('%s for the rows of %s', (type, file, ...columns) => {
    expect(typeOf(sampleOf(...columns), file)).not.toBe(type);
  });
});

describe('a type', () => {
  it('is that of the actions of people, or of the event of a company', () => {
    const round = [
      'Funding Round: Seed | Series A',
      'Money Raised: 5000000 | 1200000',
      'Announced: 2026-01-02 | 2026-02-03',
    ];
    expect(typeOf(sampleOf(COMPANY, TITLE, ...round), 'funding-rounds.csv')).toBe('signals');
    const comments = sampleOf(
      ...['Commenter: Maria Lopez | Tom Becker', COMMENT, 'Reaction: LIKE | PRAISE'],
      'Post URL: https://www.linkedin.com/posts/a-1 | https://www.linkedin.com/posts/b-2',
    );
    expect(typeOf(comments, 'comments.csv')).toBe('social');
  });
});

describe('a column with exactly the name of a field', () => {
  it('is used whatever it holds: rows are judged one by one', () => {
    const ids = sampleOf('company_name: 1 | 2 |  | ', 'signal_name: T | T | T | T', 'source: news | news | - | news');
    expect(Object.keys(fieldsOf(ids))).toEqual(['company_name', 'signal_title', 'signal_source']);
    const odd = sampleOf('company_name: A | =cmd() | C', 'signal_name: T | U | V', 'source: news | newspaper | news');
    expect(fieldsOf(odd)).toHaveProperty('signal_source');
    const people = sampleOf('platform: linkedin | linkedin', 'engagement_type: like | like', 'engager_name: P1 | P2');
    expect(fieldsOf(people, social)).toHaveProperty('engager_name');
  });

  const dates = (format: readonly string[]) => ({ column: 'detected_at', as: 'date', format });
  it('is asked about if its dates are ambiguous, or a headcount among ranges', () => {
    const counts = ['company_name: A | B | C', 'company_domain: a.example | b.example | c.example'];
    const sample = sampleOf(...counts, 'employee_count: 1.200 | 340 | 51-200');
    expect(questionAbout('employee_count', sample)?.why).toBe('"employee_count": "1.200" can mean 1200 or 1.2');
    const { options } = questionAbout('detected_at', sampleOf('detected_at: 03/04/2026 | 05/06/2026')) ?? {};
    expect(options?.map(({ mapping }) => mapping)).toEqual([dates(['iso', 'M/d/yyyy']), dates(['iso', 'd/M/yyyy'])]);
  });

  it('is not used in another spelling, if its values are something else', () => {
    const ids = 'Company Name: 100233 | 100234 | 100235 | 100236';
    expect(fieldsOf(sampleOf(ids))).not.toHaveProperty('company_name');
    expect(fieldsOf(sampleOf(COMPANY, 'Signal Source: Example News | Daily Example'))).not.toHaveProperty(
      'signal_source',
    );
  });
});

describe('a column of kinds', () => {
  it('comes before a constant, whatever its header says, and nothing says that no column contains it', () => {
    const investors = ['Investor: Harbor | Elm', 'Lead Investor: Harbor | Elm', 'Other Investors: Oak | Ash'];
    const sample = sampleOf(COMPANY, TITLE, 'Qzx: Funding | Job posting', ...investors);
    const { options = [] } = questionAbout('signal_source', sample) ?? {};
    expect(options[0]?.mapping).toMatchObject({ column: 'Qzx' });
    expect(options.slice(1).every(({ confidence }) => confidence < (options[0]?.confidence ?? 0))).toBe(true);
    const acts = sampleOf('Platform: LinkedIn | LinkedIn | LinkedIn', 'Qzx: like | repost | comment');
    expect(questionAbout('engagement_type', acts, social)?.why).toMatch(/^"Qzx" is \d+% likely to be it$/);
  });

  it('that the user chooses has the meaning of the values that are known, whatever the others are', () => {
    const source = signals.fields.find(({ name }) => name === 'signal_source');
    const kinds = sampleOf(COMPANY, 'Stage: Customer | Hiring | Funding | Lead | Partner');
    const choices = source === undefined ? [] : columnsForField(kinds, signals, source);
    expect(choices.find(({ column }) => column === 'Stage')?.ways).toEqual([
      { column: 'Stage', values: { Hiring: 'job_posting', Funding: 'funding' } },
    ]);
  });
});

describe('a row that names two people, or when it was exported', () => {
  const names = ['Ana Ruiz', 'Carla Nunes', 'Tom Becker', 'Mia Wong', 'Jo Bell', 'Lee Park'];
  const slugs = names.map((name) => name.toLowerCase().replace(' ', '-'));
  const profiles = (list: readonly string[]): string =>
    list.map((slug) => `https://www.linkedin.com/in/${slug}`).join(' | ');
  const sample = sampleOf(
    `author: ${names.join(' | ')}`,
    `authorUrl: ${profiles(slugs)}`,
    `profileUrl: ${profiles(slugs.toReversed())}`,
    'type: Text | Image | Video | Text | Text | Image',
    'action: Comment | Like | Like | Repost | Like | Comment',
    'postDate: 2d | 1w | 3mo | 1w | 2w | 5d',
    `timestamp: ${names.map((_, at) => `2026-11-24T07:1${at}:22.104Z`).join(' | ')}`,
  );

  it('leaves the person and the time to the user', () => {
    const { document, questions } = discoverMapping(sample, social);
    expect(Object.keys(document.fields)).not.toContain('engager_name');
    const likely = questions.filter(({ options: [first] }) => first !== undefined && first.confidence >= 0.5);
    expect(likely.map(({ field }) => field)).toEqual(['platform', 'engagement_type']);
  });

  it('is asked first about the column whose words are known', () => {
    const question = questionAbout('engagement_type', sample, social);
    expect(question?.options[0]?.columns).toEqual(['action']);
  });
});

describe('a title that no column has', () => {
  const NAMED = 'company_name: Northwind | Brightleaf';
  it.each([
    [
      'raised funding: {Funding Type}',
      'Funding Type: Seed | Series A',
      'Investors: X | Y',
      'detected_at: 2026-01-02 | 2026-01-03',
    ],
    [
      'raised funding: {Investors}',
      'Funding Type: Seed | ',
      'Investors: X | Y',
      'detected_at: 2026-01-02 | 2026-01-03',
    ],
    [
      'laid off staff: {Laid Off}',
      'Laid Off: 120 | 45',
      'Stage: Series B | Seed',
      'detected_at: 2026-11-03 | 2026-11-14',
    ],
    ['is hiring', 'Link: https://jobs.example/jobs/1 | https://jobs.example/jobs/2', 'Salary: 100 | 200'],
    ['is hiring: {Job}', 'Job: Welder | Planner', 'Salary: 100 | 200'],
    ['raised funding', 'Investors: Harbor | '],
  ])('is made of columns without empty cells: %s', (template, ...columns) => {
    const { options = [] } = questionAbout('signal_title', sampleOf(NAMED, ...columns)) ?? {};
    const templates = options.flatMap(({ mapping }) => ('template' in mapping ? [mapping.template] : []));
    expect(templates).toEqual([expect.stringMatching(`^{company_name} ${template}(?:\\[, {detected_at}\\])?$`)]);
    expect(options.some(({ mapping }) => 'value' in mapping)).toBe(false);
  });

  it('may have a column with empty cells', () => {
    const sample = sampleOf('company_name: Northwind | Brightleaf | Kestrel', 'Investors: Harbor |  | Elm');
    const { options = [] } = questionAbout('signal_title', sample) ?? {};
    expect(options[0]?.mapping).toEqual({ template: '{company_name} raised funding[: {Investors}]' });
  });

  it('is only possible if a column says that the rows are of several kinds', () => {
    const sample = sampleOf(NAMED, 'Deal Type: Seed Round | Buyout', 'Investors: Harbor | Elm');
    expect(questionAbout('signal_title', sample)?.options[0]?.confidence).toBeLessThan(0.5);
  });

  it('is not made of columns that say nothing of what happened', () => {
    const { options = [] } = questionAbout('signal_title', sampleOf(NAMED, 'Website: a.example | b.example')) ?? {};
    expect(options.filter(({ mapping }) => 'template' in mapping)).toEqual([]);
  });

  it('is not taken from a column that is empty in most rows', () => {
    const companies = `Company: ${Array.from({ length: 12 }, (_, row) => `Northwind ${row}`).join(' | ')}`;
    const empty = ` |`.repeat(11);
    const sample = sampleOf(companies, `Announced:${empty} `, `Headline: Opens a plant${empty} `);
    const { used, questions } = discoverMapping(sample, signals);
    const columns = [...used, ...questions.flatMap(({ options }) => options)].flatMap((each) => each.columns);
    expect(columns).not.toContain('Announced');
    expect(columns).not.toContain('Headline');
  });
});

describe('columns without a field', () => {
  it.each(['Xyzzy: 1.7 | 2.4', 'Baz: ', 'Engaged: 1w | 3mo'])('are listed: %s', (line) => {
    const { unused } = discoverMapping(sampleOf('_line: 2 | 3', '_reason: x | x', line), signals);
    expect(unused).toEqual([line.split(':')[0]]);
  });

  it('are those whose name differs from a used one only in case and spaces', () => {
    const { unused } = discoverMapping(sampleOf('Company Name: A', 'company_name: B'), signals);
    expect(unused).toEqual(['Company Name']);
  });

  it('are those of objects, but not those with one object among their names', () => {
    const named = { columns: ['company.name'], rows: [['Acme GmbH'], [{ first: 'x' }], ['Northwind Inc']] };
    expect(fieldsOf(named)).toEqual({ company_name: { column: 'company.name' } });
    const objects = { columns: ['company.name'], rows: [[{ a: 1 }], [['b']], ['Northwind Inc']] };
    const { document, unused } = discoverMapping(objects, signals);
    expect(document.fields).toEqual({});
    expect(unused).toEqual(['company.name']);
  });
});

it('counts words for "no value" as empty, and says which', () => {
  const { document, empty } = discoverMapping(
    sampleOf(COMPANY, 'Detected At: 3/13/2026 | N/A', 'Company Domain: - | http://b.example', 'Foo: NULL | 1'),
    signals,
  );
  expect(document.fields).toMatchObject({ detected_at: { format: 'M/d/yyyy' }, company_domain: { as: 'domain' } });
  expect(empty).toEqual(['N/A', '-']);
  expect(document.empty).toEqual(['N/A', '-']);
});
