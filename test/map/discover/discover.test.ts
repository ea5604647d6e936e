import { describe, expect, it } from 'vitest';
import { contracts } from '../../../src/contract/index.ts';
import { columnsForField, discoverMapping, type Sample } from '../../../src/map/index.ts';
import { typeOf } from './headers.ts';
import { sampleOf } from './sample-of.ts';

const { signals, social } = contracts;

const COMPANY = 'Company: Northwind Robotics | Brightleaf Health';
const TITLE = 'Headline: Opens a plant | Hires a CFO';

function fieldsOf(sample: Sample, contract = signals) {
  return discoverMapping(sample, contract).document.fields;
}

/** What is used, or is the first answer to a question. */
function offeredIn(sample: Sample, contract = signals) {
  const { document, questions } = discoverMapping(sample, contract, undefined, 'both');
  const asked = questions.flatMap(({ field, options: [first] }) =>
    first === undefined ? [] : [[field, first.mapping]],
  );
  return { ...Object.fromEntries(asked), ...document.fields };
}

describe('discovery', () => {
  it('asks first about a column whose values are kinds, whatever its header says, and then about a constant', () => {
    const table = sampleOf(
      COMPANY,
      TITLE,
      'Category: Funding | Job posting',
      'News Link: https://a.example/x | https://b.example/y',
    );
    const { questions } = discoverMapping(table, signals);
    const options = questions.find(({ field }) => field === 'signal_source')?.options ?? [];
    expect(options[0]?.mapping).toMatchObject({ column: 'Category' });
    expect(options.slice(1).every(({ confidence }) => confidence < (options[0]?.confidence ?? 0))).toBe(true);
  });

  it('does not say that no column contains what its first answer takes from one', () => {
    const { questions } = discoverMapping(
      sampleOf('Platform: LinkedIn | LinkedIn | LinkedIn', 'Action: like | repost | comment'),
      social,
    );
    expect(questions.find(({ field }) => field === 'engagement_type')?.why).toMatch(/^"Action" might be it/);
  });

  it('knows what some values of a column mean that the user chooses, whatever the others are', () => {
    const source = signals.field('signal_source');
    if (source === undefined) throw new Error('there is no such field');
    const kinds = sampleOf(COMPANY, 'Stage: Customer | Hiring | Funding | Lead | Partner');
    const stage = columnsForField(kinds, signals, source).find(({ column }) => column === 'Stage');
    expect(stage?.ways).toEqual([{ column: 'Stage', values: { Hiring: 'job_posting', Funding: 'funding' } }]);
  });

  it('uses certain columns, with the reason', () => {
    const { used } = discoverMapping(sampleOf(COMPANY, TITLE, 'Webseite: https://a.example/x | b.example'), signals);
    expect(used.slice(0, 2).map(({ field, mapping }) => [field, mapping])).toEqual([
      ['company_name', { column: 'Company' }],
      ['company_domain', { column: 'Webseite', as: 'domain' }],
    ]);
    expect(used[1]?.confidence).toBeGreaterThan(0.7);
    expect(used[1]?.reason).toBe('header and values');
  });

  it('uses a source URL for source_url and never for the source', () => {
    const links = 'https://news.example/a/1 | https://press.example/b/2';
    for (const header of ['Source URL', 'Source', 'source', 'Quelle', 'SourceLink']) {
      const fields = fieldsOf(sampleOf(COMPANY, `${header}: ${links}`));
      expect(fields).toMatchObject({ source_url: { column: header } });
      expect(fields).not.toHaveProperty('signal_source');
      expect(fields).not.toHaveProperty('source');
    }
  });

  it('does not use a column named source if none of its values is allowed', () => {
    expect(fieldsOf(sampleOf(COMPANY, 'Source: Example News | Daily Example'))).not.toHaveProperty('signal_source');
    expect(fieldsOf(sampleOf(COMPANY, 'Signal Source: Example News | Daily Example'))).toMatchObject({
      signal_source: { column: 'Signal Source' },
    });
    const asked = discoverMapping(sampleOf(COMPANY, 'Source: Funding | Daily Example'), signals).questions;
    expect(asked.find(({ field }) => field === 'signal_source')?.options[0]?.columns).toEqual(['Source']);
  });

  it('knows what columns are of companies with a bare name', () => {
    const list = [
      'Name: Fjord Sensor GmbH | Tal Werke AG',
      'Website: fjord.example | talwerke.example',
      'Tool URL: https://tool.example/c/fjord | https://tool.example/c/tal',
    ];
    const purpose =
      'Herstellung, Vertrieb und Wartung von Messgeräten aller Art sowie Schulung und Beratung von Kunden';
    expect(
      fieldsOf(sampleOf(...list, 'Overview: Measures rivers | Forges rings', 'Address: Kai 1, Kiel | Weg 2, Ulm')),
    ).toMatchObject({
      source_url: { column: 'Tool URL' },
      description: { column: 'Overview' },
      location: { column: 'Address' },
    });
    expect(
      fieldsOf(sampleOf(...list, 'HRB: 1 | 2', `Gegenstand: ${purpose} | ${purpose}, auch online`, 'Ort: Kiel | Ulm')),
    ).toMatchObject({ description: { column: 'Gegenstand' } });
  });

  it('does not use one element of a list', () => {
    const columns = ['author/name: Ana Ruiz | Bo Lind', 'text: Great news, Ana! | Where can I read more?'];
    const sample = sampleOf(
      ...columns,
      'reactions/0/type: LIKE | EMPATHY',
      'url: https://x.com/a/status/1 | https://x.com/b/status/2',
    );
    expect(fieldsOf(sample, social)).not.toHaveProperty('engagement_type');
    expect(fieldsOf(sampleOf(...columns, 'reaction_type: LIKE | EMPATHY'), social)).toHaveProperty('engagement_type');
  });

  it('uses comments with short answers among them', () => {
    const author = 'Name: Ana Ruiz | Bo Lind | Kai Holm | Eva Dahl';
    expect(fieldsOf(sampleOf(author, 'Comment: 請問有中文介面嗎 | +1 | 👏👏 | 私'), social)).toHaveProperty(
      'engagement_content',
    );
    expect(fieldsOf(sampleOf(author, 'Comment: 12 | 1 | 4 | 31'), social)).not.toHaveProperty('engagement_content');
  });

  it('does not use codes or names of companies as titles', () => {
    const hosts = 'Website: https://abel.example | https://bohr.example';
    for (const values of ['new_hire | post_engagement', 'Abel Spanntechnik GmbH | Carbotec S.r.l.'])
      expect(fieldsOf(sampleOf(`Signal: ${values}`, hosts))).not.toHaveProperty('signal_title');
    expect(offeredIn(sampleOf(COMPANY, 'Signal: Opens a plant | Hires a CFO'))).toMatchObject({
      signal_title: { column: 'Signal' },
    });
  });

  it('does not use the last round of a list of accounts as its date', () => {
    const round = 'Last Raised At: 2026-01-01 | 2026-02-01';
    expect(offeredIn(sampleOf(COMPANY, round))).toHaveProperty('detected_at');
    expect(fieldsOf(sampleOf(COMPANY, 'Account Owner: Lena | Bo', round))).not.toHaveProperty('detected_at');
  });

  it('does not use where a person lives as the place of the company', () => {
    const person = ['First Name: Ana | Bo', 'Last Name: Ruiz | Lind', 'Industry: Software | Retail'];
    expect(fieldsOf(sampleOf(COMPANY, ...person, 'City: Lyon | Porto'))).not.toHaveProperty('location');
  });

  it('does not use everybody’s own site or a shortened link as a profile, or the answers of a poll as comments', () => {
    const author = 'author.name: Ana Ruiz | Bo Lind | Cy Kent | Di Moss';
    const urls = (...list: string[]): Sample => sampleOf(author, 'text: Nice! | Why? | No. | Yes.', list.join(' | '));
    const short = urls(
      'author.url: https://t.co/8kQz1L',
      'https://t.co/Yp02bb',
      'https://t.co/Ab1',
      'https://t.co/Cd2',
    );
    const own = urls(
      'author.url: https://a.example/me',
      'https://b.example/x',
      'https://c.example/y',
      'https://d.example/z',
    );
    for (const sample of [short, own]) expect(fieldsOf(sample, social)).not.toHaveProperty('engager_profile_url');
    const answers = sampleOf('Name: Ana Ruiz | Bo Lind | Cy Kent | Di Moss', 'Svar: Ja | Nej | Ja | Nej');
    expect(fieldsOf(answers, social)).not.toHaveProperty('engagement_content');
  });

  it('does not take what a tool or a seller notes for what happened', () => {
    const deal = sampleOf(COMPANY, 'Title: Send contract | Call Bob', 'Expected close date: 2026-05-01 | 2026-06-01');
    expect(fieldsOf(deal)).not.toHaveProperty('signal_title');
    expect(fieldsOf(sampleOf(COMPANY, 'Deal Type: New business | Renewal'))).not.toHaveProperty('signal_family');
    expect(fieldsOf(sampleOf(COMPANY, 'Update Date: 2026-01-01 | 2026-02-01'))).not.toHaveProperty('detected_at');
    expect(fieldsOf(sampleOf(COMPANY, 'Product Category: CRM | ERP'))).not.toHaveProperty('industry');
    expect(offeredIn(sampleOf(COMPANY, 'Account Intent Score: 80 | 20'))).toHaveProperty('hotness_score');
  });

  it('does not use the own account, the site of a person or the day of the post for who commented and when', () => {
    const comments = sampleOf(
      'Comment: Nice! | Why? | Where can I read more?',
      'Author: Ana Ruiz | Bo Lind | Cy Kent',
      'Account: Northwind | Northwind | Northwind',
      'user_website: https://ana.example | https://bo.example | https://cy.example',
      'Published: 2026-01-01 | 2026-01-01 | 2026-01-01',
      'Comment time: 2 days ago | 3 days ago | a week ago',
    );
    const fields = fieldsOf(comments, social);
    for (const field of ['engager_company', 'company_domain', 'engagement_date'])
      expect(fields).not.toHaveProperty(field);
    expect(fields).toMatchObject({ engager_name: { column: 'Author' } });
  });

  it('reads the dates of feeds and the names in the objects of other records', () => {
    const feed = sampleOf(
      COMPANY,
      TITLE,
      'Pub Date: Mon, 10 Mar 2025 06:12:48 +0000 | Tue, 11 Mar 2025 02:05:59 +0000',
    );
    expect(offeredIn(feed)).toMatchObject({ detected_at: { format: 'ccc, d MMM yyyy H:mm:ss ZZZ' } });
    const column = 'properties.funded_organization_identifier.value';
    expect(fieldsOf(sampleOf(`${column}: Lumivolt | Brindle Health`))).toEqual({ company_name: { column } });
  });

  it('takes a long text that several people share for the post, and headlines for no job title', () => {
    const post = 'New in the shop: the slow-knit pattern book, with 52 pages';
    const boosts = sampleOf(
      'DisplayName: Ana Ruiz | Bo Lind | Cy Kent',
      'BoostedAt: 2026-01-01T10:00:00Z | 2026-01-01T11:00:00Z | 2026-01-02T09:00:00Z',
      `TootText: ${post} | ${post} | ${post}`,
    );
    const fields = fieldsOf(boosts, social);
    expect(fields).toMatchObject({ engagement_date: { column: 'BoostedAt' } });
    expect(fields).not.toHaveProperty('engagement_content');
    const mentions = sampleOf('Full Name: Maria Lopez | Tom Becker', 'Title: RT | Best soda to bring home?');
    expect(fieldsOf(mentions, social)).not.toHaveProperty('engager_title');
    const people = sampleOf('Full Name: Maria Lopez | Tom Becker', 'Title: CEO at Northwind | Painter');
    expect(fieldsOf(people, social)).toMatchObject({ engager_title: { column: 'Title' } });
  });

  it('asks which place is that of the authority, and for the family if networks are among the kinds', () => {
    const award = sampleOf(
      'Auftraggeber: Stadt Aalen | Gemeinde Aichwald',
      'Auftragnehmer: Lumitec AG | Kübler GmbH',
      'Ort AN: Schorndorf | Backnang',
    );
    expect(fieldsOf(award)).not.toHaveProperty('location');
    expect(fieldsOf(sampleOf(COMPANY, 'Type: LinkedIn | News | Event'))).not.toHaveProperty('signal_family');
  });

  it('uses the readable one of two columns with the same moments, and "where" for the network', () => {
    const comments = sampleOf(
      'Author: Ana Ruiz | Bo Lind',
      'Comment: Nice! | Why?',
      'createdAtISO: 2025-02-28T09:14:22.113Z | 2025-02-28T09:23:12.040Z',
      'createdAt: 1740734062113 | 1740734592040',
      'où: FB | Insta',
    );
    expect(fieldsOf(comments, social)).toMatchObject({
      engagement_date: { column: 'createdAtISO' },
      platform: { column: 'où', values: { FB: 'facebook', Insta: 'instagram' } },
    });
  });

  it('offers pages without https, and industries with codes among them', () => {
    const links = 'Notice Link: news.example/a/udl?id=1-2022 | press.example/b/udl?id=2-2022';
    const sectors = 'Branche: 8411 - Verwaltung | 69201';
    const offered = offeredIn(sampleOf(COMPANY, links, sectors));
    expect(offered['source_url']).toEqual({ template: 'https://{Notice Link}' });
    expect(offered['industry']).toEqual({ column: 'Branche' });
  });

  it('knows accounts of a CRM by the columns of their contacts, and comments by who wrote them', () => {
    const accounts = sampleOf(
      'Nome: Grupo Alimentos | Metalúrgica Pinheiros',
      'Razão social: Alimentos LTDA | Pinheiros S/A',
      'Segmentos: Alimentos | Indústria',
      'Site: alimentos.com.br | pinheiros.ind.br',
      'Contato principal: Helena Melo | Cleber Souza',
      'Cargo: Gerente | Diretor',
      'E-mail: helena@alimentos.com.br | cleber@pinheiros.ind.br',
      '[Personalizado] Nº funcionários: 350 | 120 a 200',
    );
    expect(typeOf(accounts)).toBe('signals');
    expect(fieldsOf(accounts)).toMatchObject({ employee_count: { template: '{[Personalizado] Nº funcionários}' } });
    const comments = sampleOf(
      'Chi: Maria Lopez | Tom Becker',
      'Commento: Quanto dura la batteria? | Siamo rivenditori',
      'Link profilo: facebook.com/maria.lopez.9 | facebook.com/tombecker',
    );
    expect(typeOf(comments, 'commenti.csv')).toBe('social');
  });

  it('offers the only link of comments for the post', () => {
    const inbox = [
      'Author: Ana Ruiz | Bo Lind',
      'Message: Nice! | Why?',
      'Link: https://www.instagram.com/p/DFp1w2yMZkV/ | https://x.com/bo/status/1886876112097341802',
    ];
    expect(offeredIn(sampleOf(...inbox), social)).toMatchObject({ post_url: { column: 'Link' } });
  });

  it('knows short names of networks', () => {
    const sample = sampleOf('Name: Ana Ruiz | Bo Lind', 'Network: IG | LI', 'Comment: Nice! | Why?');
    expect(fieldsOf(sample, social)['platform']).toEqual({
      column: 'Network',
      values: { IG: 'instagram', LI: 'linkedin' },
    });
  });

  it('asks which of a first and a last day is meant, except for visits', () => {
    const [first, last] = ['05/02/2024 | 05/24/2024', '05/27/2024 | 05/29/2024'];
    expect(fieldsOf(sampleOf(COMPANY, TITLE, `First Seen: ${first}`, `Last Seen: ${last}`))).not.toHaveProperty(
      'detected_at',
    );
    expect(fieldsOf(sampleOf(COMPANY, TITLE, `First Visit: ${first}`, `Last Visit: ${last}`))).toMatchObject({
      detected_at: { column: 'Last Visit' },
    });
  });

  it('does not use a column with the name of a field whose values are something else', () => {
    const pages =
      'url: https://jobs.example/1 | https://jobs.example/2 | https://jobs.example/3 | https://jobs.example/4';
    const used = fieldsOf(
      sampleOf(
        'Company Name: 100233 | 100234 | 100235 | 100236',
        'source_url: https://a.example | https://b.example | https://c.example | https://d.example',
      ),
    );
    expect(used).toEqual({});
    const sparse = sampleOf('source_url: https://a.example/jobs/7 |  |  | ', pages);
    expect(offeredIn(sparse)).toMatchObject({ source_url: { column: 'url' } });
  });

  it('uses a column with the exact name of a field, whatever it holds: rows are judged one by one', () => {
    const ids = sampleOf('company_name: 1 | 2 |  | ', 'signal_name: T | T | T | T', 'source: news | news | - | news');
    expect(Object.keys(fieldsOf(ids))).toEqual(['company_name', 'signal_title', 'signal_source']);
    const odd = sampleOf('company_name: A | =cmd() | C', 'signal_name: T | U | V', 'source: news | newspaper | news');
    expect(fieldsOf(odd)).toHaveProperty('signal_source');
    const people = sampleOf('platform: linkedin | linkedin', 'engagement_type: like | like', 'engager_name: P1 | P2');
    expect(fieldsOf(people, social)).toHaveProperty('engager_name');
  });

  it('sends a column with the name of a field as numbers or as text, never as both', () => {
    const amounts = (values: string): unknown => fieldsOf(sampleOf(`funding_amount: ${values}`))['funding_amount'];
    expect(amounts('5000000 | 1200000')).toEqual({ column: 'funding_amount' });
    expect(amounts('5000000 | $1,200,000')).toEqual({ column: 'funding_amount', as: 'number' });
    expect(amounts('5000000 | $12M')).toEqual({ template: '{funding_amount}' });
    expect(amounts('5000000 | undisclosed | n.n. | ?')).toEqual({ template: '{funding_amount}' });
    expect(amounts('$5M | $12M')).toEqual({ column: 'funding_amount' });
    const raised = (header: string, currencies: string): unknown =>
      offeredIn(
        sampleOf(
          COMPANY,
          `${header}: 5000000 | 1200000`,
          'Announced: 2026-01-02 | 2026-02-03',
          `Currency: ${currencies}`,
        ),
      )['funding_amount'];
    expect(raised('Money Raised', 'EUR | USD')).toEqual({ template: '{Money Raised} {Currency}' });
    expect(raised('Money Raised', 'EUR | EUR')).toEqual({ column: 'Money Raised' });
    expect(raised('Money Raised (USD)', 'EUR | SEK')).toEqual({ column: 'Money Raised (USD)' });
  });

  it('does not use one of two columns of names as the company, or a company’s contact as what the rows are', () => {
    const names = [
      'BUY_NAME: Region West | City of Mons | Gares SA',
      'WIN_NAME: Datavia GmbH | Kirurgo ApS | Ristora Srl',
    ];
    expect(fieldsOf(sampleOf(...names, 'DT_AWARD: 2026-01-02 | 2026-01-03 | 2026-01-05'))).not.toHaveProperty(
      'company_name',
    );
    const contact = ['First Name: Ann | Bo | Cy', 'Last Name: Lee | Kim | Doe'];
    const company = [
      'Company: Acme GmbH | Kite AG | Tern KG',
      'Website: acme.de | kite.de | tern.de',
      'Industry: Metal | Retail | Energy',
    ];
    expect(typeOf(sampleOf(...contact, ...company))).not.toBe('signals');
  });

  it('asks about no field that the variant does not have', () => {
    const columns = [
      COMPANY,
      'Money Raised: 10 | 20',
      'Amount Raised: 10 | 20',
      'Source Link: https://a.example/1 | https://a.example/2',
    ];
    const ofA = discoverMapping(sampleOf(...columns), signals);
    expect(ofA.questions.map(({ field }) => field)).toEqual(['signal_title', 'signal_source']);
    expect(ofA.unused.map(({ column }) => column)).toContain('Amount Raised');
    const ofB = discoverMapping(sampleOf(...columns), signals, undefined, 'b');
    expect(ofB.questions.map(({ field }) => field)).toContain('funding_amount');
  });

  it('asks about rival columns and uses neither', () => {
    const { document, questions } = discoverMapping(
      sampleOf(COMPANY, 'Money Raised: 100000 | 200000', 'Raised Money: 110000 | 220000'),
      signals,
      undefined,
      'b',
    );
    expect(document.fields).not.toHaveProperty('funding_amount');
    const options = questions.find(({ field }) => field === 'funding_amount')?.options ?? [];
    expect(options.flatMap(({ columns }) => columns).sort()).toEqual(['Money Raised', 'Raised Money']);
  });

  it('proposes the format that all dates have', () => {
    expect(fieldsOf(sampleOf(COMPANY, 'Announced Date: 3/4/2026 | 3/13/2026'))).toMatchObject({
      detected_at: { column: 'Announced Date', as: 'date', format: 'M/d/yyyy' },
    });
    expect(fieldsOf(sampleOf(COMPANY, 'Announced Date: 13.03.2026 09:15 | 4.3.2026 18:00'))).toMatchObject({
      detected_at: { column: 'Announced Date', as: 'date', format: 'd.M.yyyy H:mm' },
    });
    expect(fieldsOf(sampleOf(COMPANY, 'Announced Date: 2026-03-13 | 2026-03-04'))).toMatchObject({
      detected_at: { column: 'Announced Date' },
    });
  });

  it('reads days beside moments by two formats', () => {
    expect(fieldsOf(sampleOf(COMPANY, 'Published: 15.03.2026 | 16.03.2026 06:01'))).toMatchObject({
      detected_at: { column: 'Published', as: 'date', format: ['d.M.yyyy', 'd.M.yyyy H:mm'] },
    });
  });

  it('takes who receives a grant for the company, unless another column says who gives it', () => {
    const recipient = 'Lauréat: Hydroliane SAS | Septime SA';
    expect(offeredIn(sampleOf(recipient))).toMatchObject({ company_name: { column: 'Lauréat' } });
    const both = sampleOf(recipient, 'Acheteur: Ville de Brest | Ville de Metz');
    expect(fieldsOf(both)).not.toHaveProperty('company_name');
  });

  it('finds the language of month names, unless there are two readings', () => {
    for (const [cells, format, locale] of [
      ['3. März 2026 | 14. Oktober 2026', 'd. MMMM yyyy', 'de'],
      ['3 févr. 2026 | 14 août 2026', 'd MMM yyyy', 'fr'],
      ['3 de mayo de 2026 | 14 de octubre de 2026', "d 'de' MMMM 'de' yyyy", 'es'],
      ['Sept 3, 2026 | Nov 14, 2026', 'MMM d, yyyy', 'en'],
    ] as const) {
      const { detected_at: found } = fieldsOf(sampleOf(COMPANY, `Announcement date: ${cells}`));
      expect(found).toMatchObject({ column: 'Announcement date', as: 'date', locale });
      expect([format, format.replace('MMMM', 'MMM')]).toContain(Reflect.get(found ?? {}, 'format'));
    }
    expect(fieldsOf(sampleOf(COMPANY, 'Announced: 3 Smarch 2026 | 4 Smarch 2026'))).not.toHaveProperty('detected_at');
  });

  it('asks about an ambiguous date, even if the column has the field’s name', () => {
    const formats = {
      Announced: ['M/d/yyyy', 'd/M/yyyy'],
      detected_at: [
        ['iso', 'M/d/yyyy'],
        ['iso', 'd/M/yyyy'],
      ],
    };
    for (const [header, [monthFirst, dayFirst]] of Object.entries(formats)) {
      const { document, questions } = discoverMapping(sampleOf(COMPANY, `${header}: 03/04/2026 | 05/06/2026`), signals);
      expect(document.fields).not.toHaveProperty('detected_at');
      expect(questions.find(({ field }) => field === 'detected_at')?.options.map(({ mapping }) => mapping)).toEqual([
        { column: header, as: 'date', format: monthFirst },
        { column: header, as: 'date', format: dayFirst },
      ]);
    }
  });

  it('proposes the order of the headers’ language first for an ambiguous date', () => {
    const days = 'Fecha de anuncio: 03/04/2026 | 04/04/2026';
    const formatsOf = (...columns: string[]): unknown =>
      discoverMapping(sampleOf(...columns), signals).questions.find(({ field }) => field === 'detected_at')?.options[0]
        ?.mapping;
    expect(formatsOf('Empresa: Northwind | Brightleaf', days)).toMatchObject({ format: 'd/M/yyyy' });
    expect(formatsOf(COMPANY, 'Announced Date: 03/04/2026 | 04/04/2026')).toMatchObject({ format: 'M/d/yyyy' });
  });

  it('offers notes in any language, the first of two industries, and the link of each mention', () => {
    const fields = offeredIn(
      sampleOf(
        'Firma: Northwind GmbH | Brightleaf AG',
        'Branche: Maschinenbau | Software',
        'Branche 2: Pumpen | Logistik',
        'Bemerkung: will ein Angebot bis Mai | hat schon ein System',
      ),
    );
    expect(fields).toMatchObject({ industry: { column: 'Branche' }, description: { column: 'Bemerkung' } });
    const clipping = sampleOf(
      '企業名: 北斗精機株式会社 | 青空食品株式会社',
      '本文抜粋: 新工場を建設する | 社長が交代する',
      'メモ: 共有済 | 済',
    );
    expect(offeredIn(clipping)).toMatchObject({ description: { column: '本文抜粋' } });
    const mentions = sampleOf(
      'Autor: ana | bo | cy',
      'Treść: Kto używa Northwind? | Northwind znowu nie działa | Polecam Northwind',
      'Polubienia: 3 | 0 | 12',
      'Źródło: https://x.com/ana/status/19861 | https://forum.example/t/88120 | https://news.example/northwind-nowy',
    );
    expect(offeredIn(mentions, social)).toMatchObject({ post_url: { column: 'Źródło' } });
  });

  it('asks about the name of a review as its text', () => {
    const reviews = sampleOf(
      'employer: Northwind | Brightleaf',
      'reviewId: 1 | 2',
      'ratingOverall: 4 | 5',
      'summary: Great place to start | Ständig neue Strategie',
    );
    expect(fieldsOf(reviews)).not.toHaveProperty('description');
  });

  it('does not take the day on which people opened their accounts for when they reacted', () => {
    const followers = sampleOf(
      'Name: Ana Ruiz | Bo Lind | Cy Lee',
      'Followers: 12 | 4000 | 31',
      'Comments: 2 | 0 | 1',
      'created_at: 2010-05-27T16:40:12Z | 2014-12-23T04:11:38Z | 2021-05-02T13:21:57Z',
    );
    expect(fieldsOf(followers, social)).not.toHaveProperty('engagement_date');
  });

  it('gives a column with the field’s name the transform that its values need', () => {
    const sample = sampleOf(
      'company_domain: https://www.a.example/x | b.example',
      'Detected At: 13/03/2026 | 14/03/2026',
    );
    expect(fieldsOf(sample)).toEqual({
      company_domain: { column: 'company_domain', as: 'domain' },
      detected_at: { column: 'Detected At', as: 'date', format: 'd/M/yyyy' },
    });
  });

  it('uses a column with exactly the field’s name if half of its values can be read, and asks about another', () => {
    const dated = (header: string, cells: string) => fieldsOf(sampleOf(COMPANY, `${header}: ${cells}`))['detected_at'];
    const iso = '2026-10-01T10:00:00Z';
    expect(dated('detected_at', `${iso} | ${iso} | yesterday | #REF!`)).toEqual({ column: 'detected_at' });
    const days = { column: 'detected_at', as: 'date', format: ['iso', 'M/d/yyyy'] };
    expect(dated('detected_at', '10/20/2026 | 10/21/2026 | Q3 | 2026-10-23')).toEqual(days);
    expect(dated('Detected', `${iso} | ${iso} | ${iso} | yesterday`)).toBeUndefined();
    const addresses = sampleOf(COMPANY, 'company_domain: a@acme.example | b@gmail.com | c@cobalt.example');
    expect(fieldsOf(addresses)).toMatchObject({ company_domain: { column: 'company_domain', as: 'domain' } });
  });

  it('keeps ISO 8601 valid in a column with exactly the field’s name, whatever format is detected', () => {
    const dated = (cells: string) => fieldsOf(sampleOf(COMPANY, `detected_at: ${cells}`))['detected_at'];
    const formats = (format: readonly string[]) => ({ column: 'detected_at', as: 'date', format });
    expect(dated('13/03/2026 | 14/03/2026')).toEqual(formats(['iso', 'd/M/yyyy']));
    expect(dated('2026-11-20 09:15 | 20.11.2026 | 2026-11-20T09:15:00+01:00 | now')).toEqual(formats(['iso', 'sql']));
    expect(dated('13/03/2026 | 14/03/2026 10:30')).toEqual(formats(['iso', 'd/M/yyyy', 'd/M/yyyy H:mm']));
  });

  it('asks about a column that mixes date formats, with the list that reads all that can be read', () => {
    const asked = (cells: string) =>
      discoverMapping(sampleOf(COMPANY, `Detected: ${cells}`), signals).questions.find(
        ({ field }) => field === 'detected_at',
      );
    const mixed = asked('2026-03-01 | 13/04/2026 | 05/04/2026 | May 7, 2026 | Q3');
    expect(mixed?.why).toContain('1 of 5 sampled values is not a date and will be left out, such as "Q3"');
    expect(mixed?.options.map(({ mapping }) => mapping)).toEqual([
      { column: 'Detected', as: 'date', format: ['d/M/yyyy', 'iso', 'MMM d, yyyy'], invalid: 'omit' },
    ]);
    const open = asked('2026-03-01 | 03/04/2026 | 5/4/2026 10:30');
    expect(open?.options.map(({ mapping }) => ('format' in mapping ? mapping.format : undefined))).toEqual([
      ['iso', 'M/d/yyyy', 'M/d/yyyy H:mm'],
      ['iso', 'd/M/yyyy', 'd/M/yyyy H:mm'],
    ]);
    expect(asked('13/04/2026 | 04/25/2026 | 03/04/2026')?.options[0]?.mapping).toEqual({ column: 'Detected' });
    expect(asked('yesterday | 2026-10-01 | 2026-10-02 | 2026-10-03')?.why).toContain('such as "yesterday"');
  });

  it('sends dates of reactions unchanged only if nobody can read them in two ways', () => {
    const dated = (cells: string) =>
      offeredIn(
        sampleOf(
          ...['Platform: LinkedIn | LinkedIn', 'Engagement Type: like | comment', 'Company: Northwind | Brightleaf'],
          ...['Post URL: https://www.linkedin.com/posts/a-1 | https://www.linkedin.com/posts/b-2', `Date: ${cells}`],
        ),
        social,
      )['engagement_date'];
    expect(dated('01/09/2026 | 28/11/2026')).toEqual({ column: 'Date', as: 'date', format: 'd/M/yyyy' });
    expect(dated('09/01/2026 | 11/28/2026')).toEqual({ column: 'Date', as: 'date', format: 'M/d/yyyy' });
    for (const clear of ['2026-09-01 | 2026-11-28', '2026/09/01 | 2026/11/28', '1 Sep 2026 | 28 Nov 2026'])
      expect(dated(clear)).toEqual({ column: 'Date' });
  });

  it('asks about headcounts of which some could be two numbers, also if others are ranges', () => {
    const asked = (cells: string) =>
      discoverMapping(sampleOf(COMPANY, TITLE, 'Website: a.example | b.example', `Employees: ${cells}`), signals);
    const open = asked('1.200 | 340 | 51-200');
    expect(open.document.fields).not.toHaveProperty('employee_count');
    expect(open.questions.find(({ field }) => field === 'employee_count')?.why).toBe(
      '"Employees": "1.200" can mean 1200 or 1.2',
    );
    expect(asked('1200 | 340 | 51-200').document.fields).toMatchObject({ employee_count: { template: '{Employees}' } });
  });

  it('omits a value that is no date also if it comes after many dates', () => {
    const dates = Array.from({ length: 80 }, (_, day) => `${1 + (day % 12)}/${1 + (day % 28)}/${2020 + (day % 6)}`);
    const { questions } = discoverMapping(sampleOf(COMPANY, `Detected: ${[...dates, 'Q3'].join(' | ')}`), signals);
    expect(questions.find(({ field }) => field === 'detected_at')?.options[0]?.mapping).toEqual({
      ...{ column: 'Detected', as: 'date', format: 'M/d/yyyy', invalid: 'omit' },
    });
  });

  it('takes no amounts for relative dates', () => {
    const { unused } = discoverMapping(sampleOf(COMPANY, TITLE, 'Revenue: 5M | 12M'), signals);
    expect(unused.filter(({ why }) => why?.includes('depend on the day'))).toEqual([]);
  });

  it('takes no relative dates for dates, and says what they are', () => {
    const { questions, unused } = discoverMapping(
      sampleOf('Profile URL: https://www.linkedin.com/in/ana | https://www.linkedin.com/in/ben', 'Engaged: 1w | 3mo'),
      contracts.social,
    );
    expect(questions.map(({ field }) => field)).not.toContain('engagement_date');
    expect(unused).toContainEqual({ column: 'Engaged', why: 'dates such as "1w" depend on the day of the export' });
  });

  it('does not change fields that options map', () => {
    const given = { fields: { company_name: { column: 'Account' }, detected_at: { column: 'Announced' } } };
    const sample = sampleOf(COMPANY, 'Account: x | y', 'Announced: 03/04/2026 | 05/06/2026');
    expect(discoverMapping(sample, signals, given).document.fields).toMatchObject(given.fields);
  });

  it('makes a table of synonyms of allowed values, but not an incomplete one', () => {
    expect(offeredIn(sampleOf(COMPANY, 'Kind: Series B | Jobs'))).toMatchObject({
      signal_source: { column: 'Kind', values: { 'Series B': 'funding', Jobs: 'job_posting' } },
    });
    expect(fieldsOf(sampleOf(COMPANY, 'Kind: Series B | Webinar'))).not.toHaveProperty('signal_source');
    expect(offeredIn(sampleOf('Reaction: Liked | Retweet'), social)).toMatchObject({
      engagement_type: { column: 'Reaction', values: { Liked: 'like', Retweet: 'repost' } },
    });
  });

  it('does not use names of people as companies, or a job title as a signal title', () => {
    const people = sampleOf(
      'Name: Maria Lopez | Tom Becker',
      'Title: Plant Manager | Analyst',
      'Website: https://a.example | https://b.example',
      'Industry: Robots | Health',
    );
    expect(fieldsOf(people)).not.toHaveProperty('company_name');
    expect(fieldsOf(people)).not.toHaveProperty('signal_title');
    expect(typeOf(people)).not.toBe('signals');
  });

  it('does not use a directory, an e-mail provider or the user’s own site as a company’s domain', () => {
    for (const cells of [
      'https://www.linkedin.com/company/a | https://www.linkedin.com/company/b',
      'https://www.crunchbase.com/organization/a | https://www.crunchbase.com/organization/b',
      'https://ours.example/pricing | https://ours.example/',
      'a@gmail.com | b@gmail.com',
      'indeed | linkedin',
    ]) {
      expect(fieldsOf(sampleOf(COMPANY, `Website: ${cells}`))).not.toHaveProperty('company_domain');
    }
  });

  it('asks before it takes the domain of an e-mail address', () => {
    const { questions, document } = discoverMapping(sampleOf(COMPANY, 'Email: a@x.example | b@y.example'), signals);
    expect(document.fields).not.toHaveProperty('company_domain');
    expect(questions.find(({ field }) => field === 'company_domain')?.options[0]?.mapping).toEqual({
      column: 'Email',
      as: 'domain',
    });
  });

  it('proposes a template of columns for a missing title, never a constant', () => {
    const { questions } = discoverMapping(
      sampleOf(COMPANY, 'Funding Type: Seed | Series A', 'Investors: X | Y', 'Announced Date: 2026-01-02 | 2026-01-03'),
      signals,
    );
    expect(questions.find(({ field }) => field === 'signal_title')?.options.map(({ mapping }) => mapping)).toEqual([
      { template: expect.stringContaining('{Company} funding: {Funding Type}') },
    ]);
    expect(questions.find(({ field }) => field === 'signal_source')?.options[0]?.mapping).toEqual({
      value: 'funding',
    });
  });

  it('proposes no title from a column with an empty cell', () => {
    const { questions } = discoverMapping(
      sampleOf(COMPANY, 'Funding Type: Seed | ', 'Investors: X | Y', 'Announced Date: 2026-01-02 | 2026-01-03'),
      signals,
    );
    expect(questions.find(({ field }) => field === 'signal_title')?.options.map(({ mapping }) => mapping)).toEqual([
      { template: expect.stringContaining('{Company} funding: {Investors}') },
    ]);
  });

  it('calls layoffs what they are, although they are news, and names the company if nothing else is there', () => {
    const titleOf = (...columns: readonly string[]): unknown =>
      discoverMapping(sampleOf(COMPANY, ...columns), signals).questions.find(({ field }) => field === 'signal_title')
        ?.options[0]?.mapping;
    const layoffs = ['Laid Off: 120 | 45', 'Stage: Series B | Seed', 'Date: 2026-11-03 | 2026-11-14'];
    expect(titleOf(...layoffs)).toEqual({ template: expect.stringContaining('{Company} layoffs: {Laid Off}') });
    expect(titleOf('Website: a.example | b.example')).toBeUndefined();
    const jobs = ['Link: https://jobs.example/jobs/1 | https://jobs.example/jobs/2', 'Salary: 100 | 200'];
    expect(titleOf(...jobs)).toEqual({ template: '{Company} hiring' });
    expect(titleOf(...jobs, 'Job: Welder | Planner')).toEqual({ template: '{Company} hiring: {Job}' });
    expect(titleOf('Billing City: Leeds | Lyon', 'Stage: Won | Lost')).toBeUndefined();
    expect(titleOf('Press: Opens its third plant | Hires a new CFO')).toEqual({ column: 'Press' });
    expect(titleOf('Investors: Harbor | ')).toEqual({ template: '{Company} funding' });
  });

  it('does not propose a column without values, nor a required field from one that is empty in most rows', () => {
    const companies = `Company: ${Array.from({ length: 12 }, (_, row) => `Northwind ${row}`).join(' | ')}`;
    const empty = ` |`.repeat(11);
    const sample = sampleOf(companies, `Announced:${empty} `, `Headline: Opens a plant${empty} `);
    const { used, questions } = discoverMapping(sample, signals);
    const columns = [...used, ...questions.flatMap(({ options }) => options)].flatMap((each) => each.columns);
    expect(columns).not.toContain('Announced');
    expect(columns).not.toContain('Headline');
  });

  it('asks about a title with more than a third empty cells, and takes a summary of headlines for the title', () => {
    const empty = sampleOf(COMPANY, 'Headline: Acme hires a director | | | Acme opens an office');
    expect(fieldsOf(empty)).not.toHaveProperty('signal_title');
    const news = sampleOf(COMPANY, 'Summary: Acme opens an office | Birch buys Cedar Data | Delta lays off 64');
    expect(offeredIn(news)).toMatchObject({ signal_title: { column: 'Summary' } });
    const texts = sampleOf(COMPANY, 'Summary: Acme opened an office. | Birch has bought Cedar Data. | Delta said so.');
    expect(offeredIn(texts)).toMatchObject({ description: { column: 'Summary' } });
  });

  it('combines first and last name if no column has the whole name', () => {
    const parts = sampleOf('First Name: Maria | Tom', 'Last Name: Lopez | Becker');
    expect(fieldsOf(parts, social)).toEqual({ engager_name: { template: '{First Name} {Last Name}' } });
    const bare = sampleOf('Cognome: Lopez | Becker', 'Nome: Maria | Tom');
    expect(fieldsOf(bare, social)).toEqual({ engager_name: { template: '{Nome} {Cognome}' } });
    const whole = sampleOf('First Name: Maria', 'Last Name: Lopez', 'Full Name: Maria Lopez');
    expect(offeredIn(whole, social)).toMatchObject({ engager_name: { column: 'Full Name' } });
  });

  it('uses a column named warmth only if all values are integers from 0 to 100', () => {
    expect(offeredIn(sampleOf('Warmth: 70 | 100'), social)).toEqual({ warmth_hint: { column: 'Warmth' } });
    expect(offeredIn(sampleOf('Warmth: 70 | 101'), social)).toEqual({});
    expect(offeredIn(sampleOf('Warmth: 0.7 | 1'), social)).toEqual({});
  });

  it('does not use columns without a matching field, or those of a rejects file', () => {
    const { document, unused } = discoverMapping(sampleOf('_line: 2', '_reason: x', 'Foo: bar', 'Baz: '), signals);
    expect(document.fields).toEqual({});
    expect(unused).toEqual([
      { column: 'Foo', why: undefined },
      { column: 'Baz', why: 'empty in the sampled rows' },
    ]);
  });

  it('uses a column of names with one object among them, and none with mostly objects', () => {
    const named = { columns: ['company.name'], rows: [['Acme GmbH'], [{ first: 'x' }], ['Northwind Inc']] };
    expect(fieldsOf(named)).toEqual({ company_name: { column: 'company.name' } });
    const objects = { columns: ['company.name'], rows: [[{ a: 1 }], [['b']], ['Northwind Inc']] };
    const { document, unused } = discoverMapping(objects, signals);
    expect(document.fields).toEqual({});
    expect(unused).toEqual([{ column: 'company.name', why: 'its values are objects or lists' }]);
  });

  it('lists a column as unused if its name differs from a used one only in case and spaces', () => {
    const { unused } = discoverMapping(sampleOf('Company Name: A', 'company_name: B'), signals);
    expect(unused.map(({ column }) => column)).toEqual(['Company Name']);
  });

  it('asks about a date column without values', () => {
    const { document, questions } = discoverMapping({ columns: ['Company', 'Announced'], rows: [] }, signals);
    expect(document.fields).toEqual({ company_name: { column: 'Company' } });
    expect(questions.map(({ field }) => field)).toContain('detected_at');
  });

  it('finds the type by the actions of people or by the company, and none if it is both or neither', () => {
    const type = (...columns: readonly string[]) => typeOf(sampleOf(...columns));
    expect(type(COMPANY, TITLE)).toBe('signals');
    expect(type('Reaction: LIKE | PRAISE', 'Full Name: Maria Lopez | Tom Becker')).toBe('social');
    expect(type('Full Name: Maria Lopez | Tom Becker', COMPANY)).not.toBe('signals');
    expect(['signals', 'social']).not.toContain(type('Foo: 1 | 2'));
    const log = [
      'Company: Acme | Birch | Cedar',
      'LinkedIn: linkedin.com/in/eva | linkedin.com/in/bo | linkedin.com/in/al',
    ];
    expect(type(...log, 'What: Liked our post | Shared our post | Reacted to us')).not.toBe('signals');
    // News and tweets about a brand, and posts of companies.
    const likes = ['Likes: 3 | 40 | 1', 'Comments: 1 | 2 | 0'];
    const found = 'URL: https://x.com/a/status/1 | https://x.com/b/status/2 | https://news.example/acme-buys-birch';
    expect(type(found, ...likes, 'Author: ann | bo | Cy Lee', 'Mention: @acme is down | @acme? | @acme')).toBe(
      'social',
    );
    expect(
      type(
        found,
        ...likes,
        'Author: ann | bo | Cy Lee',
        'Mention: @acme is down | @acme? | @acme',
        'Headline: A | B | Acme buys Birch',
      ),
    ).not.toBe('signals');
    expect(['signals', 'social']).not.toContain(
      type(...likes, 'Post: Hello | We grow! | New', 'Profile: Acme GmbH | Birch AG | Cedar Inc.'),
    );
  });

  it.each([
    ['a salutation', ['Title: Mr | Mrs'], 'signal_title'],
    ['a text that is the same in each row', ['Signal: Surge of interest | Surge of interest'], 'signal_title'],
    ['the kind of a signal', ['Signal: Press release | Funding round'], 'signal_title'],
    [
      'the job of a contact',
      ['Contact Name: Maria Lopez | Tom Becker', 'Title: Plant Manager | Tax Analyst'],
      'signal_title',
    ],
    ['the city of a venue', ['Event: Robo Fair | Health Day', 'City: Berlin | Paris'], 'location'],
    ['the value of a deal', ['Amount: 12000 | 900'], 'funding_amount'],
    ['names of the team', ['Employees: Ana Ruiz (CEO) | Priya Shah (CTO)'], 'employee_count'],
    ['the day on which a record was made', ['Created At: 2026-11-01 | 2026-11-02'], 'detected_at'],
    ['a traffic source', ['Source: google | newsletter | linkedin'], 'signal_source'],
    ['a handle', ['Account: @northwind | @brightleaf'], 'company_name'],
    ['a yes or no', ['Startup: yes | no'], 'company_name'],
  ])('does not use %s for the field', (_what, columns, field) => {
    const company = field === 'company_name' ? [] : [COMPANY];
    expect(fieldsOf(sampleOf(...company, ...columns))).not.toHaveProperty(field);
  });

  it.each([
    ['$ Raised (mm)', '62 | 3.5', { as: 'number', scale: 1_000_000 }],
    ['Amount Raised (Cr)', '12 | 4.5', { as: 'number', scale: 10_000_000 }],
    ['Total Funding Amount (in 000s USD)', '41000 | 2400', { as: 'number', scale: 1000 }],
    ['Finanzierungssumme (Mio. €)', '2,5 | 14', { as: 'number', decimal: ',', scale: 1_000_000 }],
    ['調達額（百万円）', '300 | 540', { as: 'number', scale: 1_000_000 }],
    ['투자금액(억원)', '120 | 15', { as: 'number', scale: 100_000_000 }],
    ['Deal Size', '24.00 | 3.50', { as: 'number', scale: 1_000_000 }],
    ['Funding Amount', '$12M | $2.3M', { as: 'number' }],
    ['Funding Amount', '12000000 | 9000000 | secret', { as: 'number', invalid: 'omit' }],
  ])('asks about an amount that is not what it says, and offers a transform: %s', (header, cells, transform) => {
    const sample = sampleOf(COMPANY, `${header}: ${cells}`);
    const { document, questions } = discoverMapping(sample, signals, undefined, 'b');
    expect(document.fields).not.toHaveProperty('funding_amount');
    expect(questions.find(({ field }) => field === 'funding_amount')?.options[0]?.mapping).toEqual({
      column: header,
      ...transform,
    });
  });

  it.each([
    ['Announced (M/D/Y)', 'M/d/yyyy'],
    ['Announced (DD/MM/YYYY)', 'd/M/yyyy'],
    ['Veröffentlicht (TT/MM/JJJJ)', 'd/M/yyyy'],
    ['Publié le (JJ/MM/AAAA)', 'd/M/yyyy'],
  ])('reads an ambiguous date as its header says: %s', (header, format) => {
    expect(fieldsOf(sampleOf(COMPANY, `${header}: 03/04/2026 | 05/06/2026`))).toMatchObject({
      detected_at: { column: header, as: 'date', format },
    });
  });

  it.each([
    ['funding_amount', 'an amount too small for a round, with a sign', 'Raised: $612 | $188'],
    [
      'company_name',
      'a project beside the full name',
      '公司全称: 云帆机器人有限公司 | 青禾数据公司',
      '项目名称: 云帆 | 青禾',
    ],
    [
      'detected_at',
      'one day of four',
      ...['Publication', 'Grant', 'Filing', 'Priority'].map((what, day) => `${what} Date: 2026-11-0${day + 1}`),
    ],
    ['location', 'an unknown object with a location', 'categories.location: Bonn | Ulm'],
  ])('asks about %s: %s', (field, _, ...columns) => {
    const { document, questions } = discoverMapping(sampleOf(TITLE, ...columns), signals, undefined, 'both');
    expect(document.fields).not.toHaveProperty(field);
    expect(questions.find((each) => each.field === field)?.options.length).toBeGreaterThan(0);
  });

  it('takes a text for what people wrote if several rows are about one post', () => {
    const video = 'https://www.tiktok.com/@a/video/7430011223344556677';
    const sample = sampleOf('text: What a tool | We need one | Price?', `videoWebUrl: ${video} | ${video} | ${video}`);
    expect(fieldsOf(sample, social)).toMatchObject({
      engagement_content: { column: 'text' },
      post_url: { column: 'videoWebUrl' },
    });
  });

  it('offers to omit what is not a date', () => {
    const { questions } = discoverMapping(
      sampleOf(COMPANY, 'Posted At: 3/13/2026 | 3/14/2026 | 3/15/2026 | 30+ days ago'),
      signals,
    );
    expect(questions.find(({ field }) => field === 'detected_at')).toMatchObject({
      options: [{ mapping: { column: 'Posted At', as: 'date', format: 'M/d/yyyy', invalid: 'omit' } }],
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

  it('uses a column for one field only, and for none if it fits two', () => {
    const text = 'signal_text: Raised a round | Hires a CFO';
    const { document, questions } = discoverMapping(sampleOf(COMPANY, text, 'signal_text_2: x | y'), signals);
    const columns = Object.values(document.fields).flatMap((each) => ('column' in each ? [each.column] : []));
    expect(new Set(columns).size).toBe(columns.length);
    expect(questions.map(({ field }) => field)).not.toContain('company_name');
  });

  it('takes a vague URL for the company’s if it is named like the company', () => {
    const sites = 'Link: https://northwind.example | https://www.brightleaf-health.example/';
    expect(fieldsOf(sampleOf(COMPANY, sites))).toMatchObject({ company_domain: { column: 'Link', as: 'domain' } });
  });

  it.each([
    ['https://www.linkedin.com/in/maria | https://www.linkedin.com/in/tom', 'engager_profile_url'],
    ['https://x.com/maria/status/1 | https://x.com/tom/status/2', 'post_url'],
    ['https://www.linkedin.com/posts/a-1 | https://www.linkedin.com/feed/update/urn:li:activity:2', 'post_url'],
  ])('tells profiles from posts by their path: %s', (cells, field) => {
    const { post_url, engager_profile_url } = fieldsOf(
      sampleOf(`URL: ${cells}`, 'Comment: Nice one | Well said'),
      social,
    );
    expect({ post_url, engager_profile_url }).toEqual({
      post_url: undefined,
      engager_profile_url: undefined,
      [field]: { column: 'URL' },
    });
  });

  it.each([
    ['company_name', signals, "Company: {'name': 'Northwind', 'city': 'Bonn'} | {'name': 'Brightleaf', 'city': 'Ulm'}"],
    [
      'company_name',
      signals,
      'Company: Northwind raises two million euros to make better robots | Brightleaf opens a new plant in the north of Ulm',
    ],
    ['post_url', social, 'Post URL: https://shop.example/item?id=1 | https://shop.example/item?id=2'],
  ] as const)('uses no objects, sentences or pages of shops as %s', (field, contract, column) => {
    expect(fieldsOf(sampleOf(column, 'Comment: Nice one | Well said'), contract)).not.toHaveProperty(field);
  });

  it('takes pages of the site that the header names for the source, but not profiles of a network', () => {
    const pages = 'https://dealroom.example/companies/a | https://dealroom.example/companies/b';
    expect(fieldsOf(sampleOf(COMPANY, `Dealroom URL: ${pages}`))).toMatchObject({
      source_url: { column: 'Dealroom URL' },
    });
    const pins = 'https://pinterest.example/a | https://pinterest.example/b';
    expect(fieldsOf(sampleOf(COMPANY, `Pinterest: ${pins}`))).not.toHaveProperty('source_url');
  });

  it('uses no deadline and no last visit beside the visits as the date of a signal', () => {
    const job = 'Stellentitel: Monteur | Elektriker';
    const days = '02.11.2026 | 13.11.2026';
    expect(fieldsOf(sampleOf(COMPANY, job, `Bewerbungsfrist: ${days}`))).not.toHaveProperty('detected_at');
    const visits = ['Last visit date: 2026-11-02 | 2026-11-02', 'Visit date: 2026-11-02 | 2026-11-01'];
    expect(fieldsOf(sampleOf(COMPANY, ...visits))['detected_at']).not.toMatchObject({ column: 'Last visit date' });
  });

  it('asks about "who" if some rows have none: perhaps who answered', () => {
    const comment = 'Comentario: ¿Cuánto cuesta el envío? | Me encantan, compré dos';
    expect(fieldsOf(sampleOf('Quién: Paqui Romero | Josemi C.', comment), social)).toMatchObject({
      engager_name: { column: 'Quién' },
    });
    expect(fieldsOf(sampleOf('Quién: Laura | ', comment), social)).not.toHaveProperty('engager_name');
  });

  it('does not detect a form with names and comments as social events', () => {
    const form = sampleOf(
      'Name: Maria Lopez | Tom Becker',
      'Comment: Nice | Bad',
      'Email: a@x.example | b@y.example',
      COMPANY,
    );
    expect(typeOf(form)).not.toBe('social');
  });
});
