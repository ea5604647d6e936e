import { describe, expect, it } from 'vitest';
import type { FieldMapping } from '../../src/map/index.ts';
import { proposerOf } from '../support/fix-proposer.ts';

const columns = ['Company', 'Site', 'Title', 'Kind', 'Score', 'Event'];

/** Rows of the columns above. */
const proposerFor = (rows: readonly (readonly string[])[], fields: Readonly<Record<string, FieldMapping>> = {}) =>
  proposerOf(columns, rows, { hotness_score: { column: 'Score' }, ...fields });

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
    const proposer = proposerFor([row('T', 'news', ''), [...columns], row('T', 'Presse', '')]);
    expect(proposer.rows.map(({ line }) => line)).toEqual([4]);
    expect(proposer.junk.map(({ line }) => line)).toEqual([3]);
  });

  it('come one at a time, each for what the accepted ones leave', () => {
    const proposer = proposerFor([row('T', 'Presse', 'NULL'), row('T', 'news', '$1.2k'), row('T', 'news', 'high')]);
    const lines: string[] = [];
    for (let fix = proposer.next(); fix !== undefined; fix = proposer.next()) {
      const [rule] = fix.rules;
      if (rule === undefined || fix.needsAnswer) throw new Error('a rule needs an answer');
      lines.push(`${rule.line} (${rule.repaired} repaired, ${rule.valid} valid)`);
      proposer.accept(rule);
    }
    expect(lines).toEqual([
      'empty: ["NULL"] (1 repaired, 0 valid)',
      'signal_source: { column: Kind, values: { Presse: news } } (1 repaired, 1 valid)',
      'hotness_score: { column: Score, as: number } (1 repaired, 1 valid)',
      'hotness_score: { column: Score, as: number, invalid: omit } (1 repaired, 1 valid)',
    ]);
    expect(proposer.valid).toBe(3);
  });

  it('need an answer if a number can be read in two ways, and do not omit it meanwhile', () => {
    const proposer = proposerFor([row('T', 'news', '1,250'), row('T', 'news', '2,500')]);
    const fix = proposer.next();
    expect(fix).toMatchObject({ needsAnswer: true, rules: [{ repaired: 2 }, { repaired: 2 }] });
    expect(fix?.rules.map(({ examples: [first] }) => first?.after)).toEqual([1250, 1.25]);
    if (fix !== undefined) proposer.leaveOpen(fix);
    expect(proposer.next()).toBeUndefined();
  });

  it('are the same again after what was accepted and skipped is undone', () => {
    const proposer = proposerFor([row('T', 'Presse', '$1.2k')]);
    const [first, undo] = [proposer.next(), proposer.mark()];
    const [rule] = first?.rules ?? [];
    if (rule !== undefined) proposer.accept(rule);
    const second = proposer.next();
    if (second !== undefined) proposer.skip(second);
    expect(second?.cause).not.toEqual(first?.cause);
    undo();
    expect(proposer.next()).toEqual(first);
  });

  it('have no rule for a missing text that no column has, but take one from the user', () => {
    const proposer = proposerFor([['A', 'a.example', '', 'news', '', '']]);
    const fix = proposer.next();
    expect(fix).toMatchObject({ cause: { kind: 'missing', field: 'signal_title' }, rules: [], needsAnswer: true });
    if (fix === undefined) return;
    expect(proposer.ruleFor(fix.cause, { first: ['Title', 'Event'] })).toBeUndefined();
    expect(proposer.ruleFor(fix.cause, { first: ['Title'], otherwise: 'New' })).toMatchObject({
      repaired: 1,
      valid: 1,
    });
    expect(() => proposer.ruleFor(fix.cause, { column: 'Nope' })).toThrow('uses the column "Nope"');
  });

  it('never make a record of constants alone, also not by first and otherwise or a word for the empty cell', () => {
    const proposer = proposerOf(columns, [['', '', '', '', '', '']], {
      company_name: { value: 'Acme' },
      company_domain: { value: 'acme.example' },
      signal_source: { value: 'news' },
    });
    const fix = proposer.next();
    expect(fix?.cause).toMatchObject({ kind: 'missing', field: 'signal_title' });
    if (fix === undefined) return;
    expect(proposer.ruleFor(fix.cause, { first: ['Title'], otherwise: 'New' })).toBeUndefined();
    const table = { column: 'Title', values: { '': 'New' } };
    expect(proposer.ruleFor(fix.cause, table)).toBeUndefined();
  });

  it('fill a closed list with no constant but "other" unless the user chooses it, and with columns first', () => {
    const fix = proposerFor([row('T', '', '')]).next();
    const [first, ...others] = fix?.rules ?? [];
    expect(first).toMatchObject({ line: 'signal_source: { column: Kind, values: { "": other } }', isAmbiguous: false });
    expect(others.length).toBeGreaterThan(1);
    expect(others.filter(({ isAmbiguous }) => !isAmbiguous)).toEqual([]);
  });

  it('never damage more rows than they repair', () => {
    const score = { column: 'Score', as: 'number', decimal: '.' } as const;
    // "." reads two of them already: with "," only one.
    const proposer = proposerFor([row('T', 'Presse', '1.5'), row('T', 'Presse', '2.25'), row('T', 'news', '1.200,5')], {
      hotness_score: score,
    });
    const [first] = proposer.next()?.rules ?? [];
    if (first !== undefined) proposer.accept(first);
    expect(proposer.next()?.cause.kind).toBe('rest');
  });
});
