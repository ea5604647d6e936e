import { describe, expect, it } from 'vitest';
import { nextFix, rowsToFixOf, ruleFor, unrepaired, withoutRule, withRule } from '../../src/fix/propose-fix.ts';
import type { FieldMapping } from '../../src/map/index.ts';
import { repairOf } from '../support/repairs.ts';

const columns = ['Company', 'Site', 'Title', 'Kind', 'Score', 'Event'];

/** Rows of the columns above. */
const repairFor = (rows: readonly (readonly string[])[], fields: Readonly<Record<string, FieldMapping>> = {}) =>
  repairOf(columns, rows, { hotness_score: { column: 'Score' }, ...fields });

const row = (title: string, kind: string, score: string): readonly string[] => [
  'A',
  'a.example',
  title,
  kind,
  score,
  'E',
];

describe('the proposals for rejected rows', () => {
  it('leave out rows that are valid, because the service refused them, and rows that are not data', () => {
    const repair = repairFor([row('T', 'news', ''), [...columns], row('T', 'Presse', '')]);
    expect(rowsToFixOf(repair).map(({ line }) => line)).toEqual([4]);
    expect(repair.junk.map(({ line }) => line)).toEqual([3]);
  });

  it('come one at a time, each for what the accepted ones leave', () => {
    let repair = repairFor([row('T', 'Presse', 'NULL'), row('T', 'news', '$1.2k'), row('T', 'news', 'high')]);
    const lines: string[] = [];
    for (let fix = nextFix(repair); fix !== undefined; fix = nextFix(repair)) {
      const [rule] = fix.rules;
      if (rule === undefined || fix.needsAnswer) throw new Error('a rule needs an answer');
      lines.push(`${rule.line} (${rule.repaired} repaired, ${rule.valid} valid)`);
      repair = withRule(repair, rule);
    }
    expect(lines).toEqual([
      'empty: ["NULL"] (1 repaired, 0 valid)',
      'signal_source: { column: Kind, values: { Presse: news } } (1 repaired, 1 valid)',
      'hotness_score: { column: Score, as: number } (1 repaired, 1 valid)',
      'hotness_score: { column: Score, as: number, invalid: omit } (1 repaired, 1 valid)',
    ]);
    expect(unrepaired(repair)).toEqual([]);
  });

  it('need an answer if a number can be read in two ways, and do not omit it meanwhile', () => {
    const repair = repairFor([row('T', 'news', '1,250'), row('T', 'news', '2,500')]);
    const fix = nextFix(repair);
    expect(fix).toMatchObject({ needsAnswer: true, rules: [{ repaired: 2 }, { repaired: 2 }] });
    expect(fix?.rules.map(({ examples: [first] }) => first?.after)).toEqual([1250, 1.25]);
    expect(fix && nextFix(withoutRule(repair, fix, true))).toBeUndefined();
  });

  it('take a missing domain from addresses, but not from links to pages', () => {
    const names = ['Company', 'Site', 'Title', 'Kind', 'Link', 'Contact'];
    const cells = ['A', '', 'T', 'news', 'https://news.example/a-raises-5m', 'ann@acme.example'];
    const repair = repairOf(names, [cells, cells], { company_domain: { column: 'Site', as: 'domain' } });
    expect(nextFix(repair)?.rules.map(({ line }) => line)).toEqual([
      'company_domain: { first: [ Site, Contact ], as: domain }',
    ]);
  });

  it('have no rule for a missing text that no column has, but take one from the user', () => {
    const repair = repairFor([['A', 'a.example', '', 'news', '', '']]);
    const fix = nextFix(repair);
    expect(fix).toMatchObject({ cause: { kind: 'missing', field: 'signal_title' }, rules: [], needsAnswer: true });
    if (fix === undefined) return;
    expect(ruleFor(repair, fix.cause, { first: ['Title', 'Event'] })).toBeUndefined();
    expect(ruleFor(repair, fix.cause, { first: ['Title'], otherwise: 'New' })).toMatchObject({ repaired: 1, valid: 1 });
    expect(() => ruleFor(repair, fix.cause, { column: 'Nope' })).toThrow('uses the column "Nope"');
  });

  it('take another column for a missing text only if the user says so', () => {
    const untitled = (summary: string) => ['A', 'a.example', '', 'news', summary];
    const rows = [untitled('Acme opens a plant'), untitled('Acme hires a cook')];
    const fix = nextFix(repairOf(['Company', 'Site', 'Title', 'Kind', 'Info'], rows, {}));
    expect(fix).toMatchObject({ cause: { kind: 'missing', field: 'signal_title' }, needsAnswer: true });
    expect(fix?.rules.map(({ line }) => line)).toContain('signal_title: { first: [ Title, Info ] }');
  });

  it('never make a record of constants alone, also not by first and otherwise or a word for the empty cell', () => {
    const repair = repairOf(columns, [['', '', '', '', '', '']], {
      company_name: { value: 'Acme' },
      company_domain: { value: 'acme.example' },
      signal_source: { value: 'news' },
    });
    const fix = nextFix(repair);
    expect(fix?.cause).toMatchObject({ kind: 'missing', field: 'signal_title' });
    if (fix === undefined) return;
    expect(ruleFor(repair, fix.cause, { first: ['Title'], otherwise: 'New' })).toBeUndefined();
    const table = { column: 'Title', values: { '': 'New' } };
    expect(ruleFor(repair, fix.cause, table)).toBeUndefined();
  });

  it('fill a closed list with no constant but "other" unless the user chooses it, and with columns first', () => {
    const fix = nextFix(repairFor([row('T', '', '')]));
    const [first, ...others] = fix?.rules ?? [];
    expect(first).toMatchObject({ line: 'signal_source: { column: Kind, values: { "": other } }', isAmbiguous: false });
    expect(others.length).toBeGreaterThan(1);
    expect(others.filter(({ isAmbiguous }) => !isAmbiguous)).toEqual([]);
  });

  it('never damage more rows than they repair', () => {
    const score = { column: 'Score', as: 'number', decimal: '.' } as const;
    // "." reads two of them already: with "," only one.
    const repair = repairFor([row('T', 'Presse', '1.5'), row('T', 'Presse', '2.25'), row('T', 'news', '1.200,5')], {
      hotness_score: score,
    });
    const [first] = nextFix(repair)?.rules ?? [];
    expect(first && nextFix(withRule(repair, first))?.cause.kind).toBe('rest');
  });
});
