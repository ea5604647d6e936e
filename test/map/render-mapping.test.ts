import { describe, expect, it } from 'vitest';
import { parseMapping, renderMapping } from '../../src/map/index.ts';

const document = {
  type: 'signals',
  fields: { company_name: { column: 'Company' }, signal_source: { value: 'news' } },
} as const;

describe('comments in a saved mapping', () => {
  it('are before their field and after the last one, and do not change the mapping', () => {
    const yaml = renderMapping(document, {
      fields: new Map([['company_name', '93%: its header says so']]),
      end: ['Not certain: industry.', 'industry: Sector'],
    });
    expect(yaml).toBe(
      [
        '# Mapping from columns to fields. To reuse it: signals upload FILE -m THIS-FILE',
        '',
        'type: signals',
        'fields:',
        '  # 93%: its header says so',
        '  company_name: Company',
        '  signal_source: { value: news }',
        '  # Not certain: industry.',
        '  # industry: Sector',
        '',
      ].join('\n'),
    );
    expect(parseMapping(yaml, 'x')).toEqual(document);
  });

  it('do not end at a line end in a header', () => {
    const yaml = renderMapping(document, {
      fields: new Map([['company_name', 'a\nevil: yes']]),
      end: ['b\r\nevil: yes', 'c\u2028evil: yes'],
    });
    expect(parseMapping(yaml, 'x')).toEqual(document);
  });
});
