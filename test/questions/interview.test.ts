import { describe, expect, it } from 'vitest';
import { interview } from '../../src/questions/interview.ts';
import type { MappingProposal } from '../../src/questions/mapping-proposal.ts';
import { savedMapping } from '../../src/questions/mapping-text.ts';
import { BACK, createAsk } from '../../src/questions/question.ts';
import { proposalOf } from '../support/proposals.ts';
import { type Script, scripted } from '../support/scripted-prompts.ts';

const ROUNDS = proposalOf('signals', [
  ['Company Name', 'Website', 'Funding Type', 'Announced Date', 'Funding Amount'],
  ['Northwind', 'https://www.northwind.example', 'Seed', '03/04/2026', '3000000'],
  ['Brightleaf', 'https://brightleaf.example/', 'Series A', '05/06/2026', '9900000'],
]);

const TITLE = '{Company Name} raised funding: {Funding Type}[, {Funding Amount}]';

/** Without a column that could be a title. */
const COMPANIES = proposalOf('signals', [
  ['Company Name', 'Tier', 'Score'],
  ['Northwind', 'Big', '7'],
  ['Brightleaf', '', 'n/a'],
]);

const KINDS = proposalOf('signals', [
  ['Company Name', 'Signal Title', 'Quelle', 'Xyzzy'],
  ['Northwind', 'Opens a plant', 'Förderung', 'A'],
  ['Brightleaf', 'Hires a CFO', 'Jobs', 'B'],
  ['Oak & Ember', 'Opens a shop', 'Press', 'C'],
  ['Kestrel', 'Wins a prize', 'newspaper', 'D'],
]);

async function ask(script: Script, proposal: MappingProposal, canGoBack = false) {
  const printed: string[] = [];
  const question = 'Save it?';
  const print = (line: string) => void printed.push(line);
  const settled = await interview({ ask: createAsk(script.prompts), print, proposal, question, canGoBack });
  return { settled, printed, fields: settled === BACK ? {} : settled.proposal.document.fields };
}

describe('the questions about a mapping', () => {
  it('are about what is open, in the order of the API, and offer the proposals with an example', async () => {
    const script = scripted(
      ...['decide each', 'the text', 'funding', 'the date in "Announced Date", day first', '"Funding Type"', 'yes'],
    );
    const { fields } = await ask(script, ROUNDS);
    expect(fields).toMatchObject({
      company_name: { column: 'Company Name' },
      signal_title: { template: TITLE },
      signal_source: { value: 'funding' },
      detected_at: { column: 'Announced Date', as: 'date', format: 'd/M/yyyy' },
      signal_family: { column: 'Funding Type' },
    });
    const [, title, source, date] = script.asked;
    expect(title?.message).toBe('signal_title (required): What happened, in a few words. No column contains it.');
    expect(title?.labels[0]).toBe(`the text ${TITLE} -> Northwind raised funding: Seed, 3000000`);
    expect(source?.labels[0]).toBe('funding in every row');
    expect(source?.initial).toBe('funding in every row');
    expect(date?.labels.slice(0, 2)).toEqual([
      'the date in "Announced Date", month first: 03/04/2026 -> 4 March 2026',
      'the date in "Announced Date", day first: 03/04/2026 -> 3 April 2026',
    ]);
  });

  it('are one about all fields that need no user: it takes the likely answers, and leaves out the others', async () => {
    const script = scripted('use signal_title and signal_source, and leave out detected_at', 'yes');
    const { fields, printed } = await ask(script, ROUNDS);
    expect(fields).toMatchObject({ signal_title: { template: TITLE }, signal_source: { value: 'funding' } });
    expect(fields).not.toHaveProperty('detected_at');
    expect(printed[1]).toContain('1 question is open.');
    expect(printed.join('\n')).toMatch(/detected_at +left out, because its values can be read in several ways/);
  });

  it('stop by Enter where nothing likely is proposed for a required field', async () => {
    const script = scripted('a column', 'Tier', 'other', 'yes');
    await ask(script, COMPANIES);
    const [title, , source] = script.asked;
    expect(title).toMatchObject({ message: expect.stringContaining('signal_title (required)'), initial: 'stop here' });
    expect(source).toMatchObject({
      message: expect.stringContaining('signal_source (required)'),
      initial: 'stop here',
    });
  });

  it('name the column of a field that is left out among those that are not used, also in the saved mapping', async () => {
    const script = scripted('decide each', 'the text', 'funding', 'nothing', '"Funding Type"', 'yes');
    const { printed, settled } = await ask(script, ROUNDS);
    expect(printed.join('\n')).toContain('Unused: "Announced Date".');
    if (settled === BACK) throw new Error('it went back');
    expect(savedMapping(settled.proposal, settled.answers)).toContain('# Unused: "Announced Date".');
  });

  it('show the columns with values', async () => {
    const script = scripted('a column', 'Tier', 'other', 'yes');
    const { fields } = await ask(script, COMPANIES);
    expect(fields['signal_title']).toEqual({ column: 'Tier' });
    expect(script.asked[1]?.labels).toEqual([
      'Company Name   Northwind · Brightleaf',
      'Tier   Big',
      'Score   7 · n/a',
      'back',
    ]);
  });

  it('take a text made of columns, and say which column is missing', async () => {
    const script = scripted('a text made of columns', '{Firm}', '{company name} scores {Score}', 'other', 'yes');
    const { fields, printed } = await ask(script, COMPANIES);
    expect(fields['signal_title']).toEqual({ template: '{company name} scores {Score}' });
    const messages = script.asked.map(({ message }) => message);
    expect(messages).toContain('There is no column "Firm".');
    expect(printed.join('\n')).toMatch(/signal_title .* Northwind scores 7/);
  });

  it('ask what each value of a column means that no source is known for', async () => {
    const script = scripted(
      ...['"Quelle", where "Jobs" is job_posting', 'each', 'news', 'back', 'funding', 'nothing: rows', 'yes'],
    );
    const { fields } = await ask(script, KINDS);
    expect(fields['signal_source']).toEqual({
      column: 'Quelle',
      values: { Jobs: 'job_posting', Press: 'news', Förderung: 'funding' },
    });
    expect(script.asked[0]?.initial).toBe(
      '"Quelle", where "Jobs" is job_posting, "Press" is news; asks what "Förderung" and "newspaper" mean',
    );
    expect(script.asked[1]).toMatchObject({
      message: 'signal_source: what do "Förderung" and "newspaper" mean?',
      labels: ['"Förderung" is other and "newspaper" is news', 'each on its own…', 'back'],
    });
    expect(script.asked[2]).toMatchObject({
      message: 'signal_source: what does "Förderung" mean? (1 of 2)',
      initial: 'other',
    });
    // As `fix` proposes.
    expect(script.asked[3]).toMatchObject({
      message: 'signal_source: what does "newspaper" mean? (2 of 2)',
      initial: 'news',
    });
  });

  it('take `other` for all values that are left, also of a column that the user chooses', async () => {
    const script = scripted(
      ...['another column', 'Xyzzy', 'back', 'Xyzzy', 'each'],
      ...['twitter', 'other, and so', 'yes'],
    );
    const { fields } = await ask(script, KINDS);
    expect(fields['signal_source']).toEqual({ column: 'Xyzzy', values: { A: 'twitter' }, otherwise: 'other' });
  });

  it('say at the end which values of a chosen column do not fit', async () => {
    const script = scripted(
      ...['one value', 'News', 'other', 'change', 'detected_at', 'a column', 'Score'],
      ...['change', 'detected_at', 'nothing', 'yes'],
    );
    const { printed } = await ask(script, COMPANIES);
    expect(printed.join('\n')).toMatch(/1 of 2 rows is valid; 1 is not: detected_at \(from Score\)/);
  });

  it('leave an optional field out, and map the fields again that an answer frees', async () => {
    const script = scripted(
      'decide each',
      'the text',
      'funding',
      'nothing',
      'nothing',
      'change',
      'company_name',
      'another column',
      'Website',
      'yes',
    );
    const { fields } = await ask(script, ROUNDS);
    expect(fields['company_name']).toEqual({ column: 'Website' });
    expect(fields['company_domain']).toBeUndefined();
    expect(fields['detected_at']).toBeUndefined();
  });

  it('end with the whole mapping, a value of each field as it would be sent, and what the sample yields', async () => {
    const { printed } = await ask(scripted('a column', 'Tier', 'other', 'yes'), COMPANIES);
    const text = printed.join('\n');
    expect(text).toMatch(/FIELD +COLUMN +SENT AS +WHY\n.*\n*[\s\S]*signal_title +Tier +Big +chosen\n/);
    expect(text).toContain('1 of 2 rows is valid; 1 is not: signal_title (from Tier) is missing (1 row).');
  });
});
