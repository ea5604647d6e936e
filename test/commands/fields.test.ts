import { describe, expect, it } from 'vitest';
import { fieldsText, template } from '../../src/commands/fields.ts';
import { contracts } from '../../src/contract/index.ts';
import { suggest } from '../support/suggest.ts';

const { signals, social } = contracts;

describe('fieldsText', () => {
  it('shows what each variant requires, and the name it uses', () => {
    const lines = fieldsText([signals], suggest).split('\n');
    expect(lines[0]).toBe('signals: POST /v1/signals/ingest, up to 100 records per request in "signals"');
    expect(lines.slice(2, 6)).toEqual([
      '  field           variant a                 variant b',
      '  company_name    required                  required   The company that the signal is about.',
      "  company_domain  optional                  required   The company's domain, such as acme.com.",
      '  signal_title    required, as signal_name  required   What happened, in a few words.',
    ]);
    expect(lines).toContain('  source_url      optional                  —          URL of the source.');
    expect(lines).toContain('  - signal_family: improves classification accuracy.');
    expect(lines.at(-2)).toBe('  npx signals fields signals --template csv');
  });

  it('lists the allowed values, and says if the API does not list them all', () => {
    const text = fieldsText([signals, social], suggest);
    expect(text).toContain(
      '- signal_source: one of funding, job_posting, linkedin, news, review_site, tech_install, twitter, web_visit, other.',
    );
    expect(text).toContain('- warmth_hint: an integer from 0 to 100.');
    expect(text).toContain('- platform: a text such as linkedin, twitter; the API does not list every value');
    expect(text).toContain('- engager_profile_url: crucial for contact resolution.');
  });

  it('has no section on variants for a type with one set of names', () => {
    const text = fieldsText([social], suggest);
    expect(text).not.toMatch(/variant/i);
    expect(text).toContain('  platform             required  The social network.');
  });
});

describe('template', () => {
  it('has a header with every field, and one record', () => {
    expect(template(social, 'csv').split('\r\n')).toEqual([
      'platform,engagement_type,engager_profile_url,company_domain,warmth_hint,engager_name,engager_title,engager_company,engagement_content,post_content,post_url,engagement_date',
      expect.stringMatching(/^linkedin,comment,/),
      '',
    ]);
    expect(Object.keys(JSON.parse(template(signals, 'ndjson')))).toHaveLength(13);
  });
});
