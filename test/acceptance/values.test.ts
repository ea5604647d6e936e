/** Values as exports have them: mixed dates, decimal commas, dates that were numbers, kinds, relative dates, repeated rows. */
import { describe, expect } from 'vitest';
import { printed, run, runInProcess, test, write } from '../support/program.ts';

/** A list of news with one more column. */
function news(header: string, cells: readonly string[]): string {
  const rows = cells.map((cell, at) => `Northwind ${at},https://nw${at}.example,Opens plant ${at},News,"${cell}"`);
  return [`Company,Website,Headline,Kind,${header}`, ...rows].join('\n');
}

const PEOPLE = Array.from({ length: 6 }, (_, at) => `Ana P${at},https://www.linkedin.com/in/p${at},LIKE,${at + 1}w`);
const REACTIONS = ['Name,Profile URL,Reaction,Engaged', ...PEOPLE, PEOPLE[0], PEOPLE[2]].join('\n');

describe('a column', () => {
  test('of mixed date formats is offered all that read a value, and counts the rest', async ({ cwd }) => {
    const days = ['2026-03-01', '13/04/2026', 'May 7, 2026', 'Q3', '2026-03-05', '05/04/2026'];
    await write(cwd, 'in.csv', news('Announced Date', days));
    const mapped = await run(cwd, ['map', 'in.csv', '--accept']);
    expect(mapped.stdout).toContain('Left out: detected_at, because dates are written in several ways');
    const option = /-c '(detected_at=[^']*)'/.exec(mapped.stdout)?.[1] ?? '';
    expect(option).toContain('format: [ iso, d/M/yyyy, "MMM d, yyyy" ], invalid: omit');
    const checked = await runInProcess(cwd, ['check', 'in.csv', '-c', option, '-c', 'signal_source=Kind', '-v']);
    expect(checked.stdout).toContain('6 of 6 rows would be sent');
    expect(checked.stdout).toContain('detected_at: 1 invalid value was omitted, at in.csv:5');
    expect(checked.stdout).toContain('"detected_at": "2026-03-01T00:00:00Z"');
  });

  test('of headcounts with a decimal comma is offered as numbers, and is never partly text', async ({ cwd }) => {
    await write(cwd, 'in.csv', news('Employees', ['1.200', '350', '12.000', '85', '2.450', '61']));
    const asked = await runInProcess(cwd, ['map', 'in.csv']);
    expect(asked.stdout).toContain('the number in "Employees", with a decimal comma: 1.200 -> 1200');
    await write(cwd, 'ranges.csv', news('Employees', ['11-50', '350', '201-500', '85', '51-200', '61']));
    expect(await printed(cwd, 'map', 'ranges.csv')).toContain('{Employees}');
    const checked = await runInProcess(cwd, [
      'check',
      'ranges.csv',
      '-v',
      '--skip',
      '1',
      '-c',
      'employee_count={Employees}',
    ]);
    expect(checked.stdout).toContain('"employee_count": "350"');
  });

  test('of headcounts that a spreadsheet made dates of is named', async ({ cwd }) => {
    await write(cwd, 'in.csv', news('Employees', ['10-Jan', '51-200', '11-50', '10-Jan', 'Jan-50', '201-500']));
    const checked = await runInProcess(cwd, ['check', 'in.csv', '-c', 'employee_count=Employees']);
    expect(checked.stdout).toContain(
      '3 values are dates that a spreadsheet made of a number, such as "10-Jan" at in.csv:2',
    );
  });

  test('of kinds comes before a constant, and each unknown kind is asked', async ({ cwd }) => {
    const kinds = ['Series A', 'Debt Financing', 'Layoffs', 'News', 'Job posting', 'Seed'];
    const rows = kinds.map(
      (kind, at) => `Northwind ${at},nw${at}.example,Something ${at} happened,${kind},2026-03-0${at + 1}`,
    );
    await write(cwd, 'in.csv', ['Company,Domain,What happened,Type,When', ...rows].join('\n'));
    const mapped = await runInProcess(cwd, ['map', 'in.csv', '--accept']);
    expect(mapped.code).toBe(2);
    expect(mapped.stdout).toContain('asks what "Layoffs" means');
    const option = /-c '(signal_source=[^']*)'/.exec(mapped.stdout)?.[1] ?? '';
    expect(option).toContain('Debt Financing: funding');
    expect(option).toContain('Layoffs: VALUE');
    expect((await runInProcess(cwd, ['map', 'in.csv', '--accept', '-c', option])).code).toBe(2);
    expect((await runInProcess(cwd, ['map', 'in.csv', '--accept', '-c', option.replace('VALUE', 'news')])).code).toBe(
      0,
    );
  });

  test('of relative dates is no date, and map lists it as unused', async ({ cwd }) => {
    await write(cwd, 'in.csv', REACTIONS);
    const mapped = await runInProcess(cwd, ['map', 'in.csv']);
    expect(mapped.stdout).toMatch(/Unused: .*"Engaged"/);
    expect(mapped.stdout).not.toContain('engagement_date');
  });
});

test('identical events are told before they are stored twice', async ({ cwd }) => {
  await write(cwd, 'in.csv', REACTIONS);
  const given = ['in.csv', '--set', 'platform=linkedin', '-c', 'engagement_type=Reaction'];
  const checked = await runInProcess(cwd, ['check', ...given]);
  expect(checked.stdout).toContain('2 rows repeat an earlier one, such as in.csv:8 (as on line 2).');
  expect(checked.stdout).toContain('--dedupe');
  const sent = await runInProcess(cwd, ['upload', ...given, '--sandbox']);
  expect(sent.stdout + sent.stderr).toContain('2 rows repeat an earlier one');
  const once = await runInProcess(cwd, ['upload', ...given, '--sandbox', '--dedupe']);
  expect(once.stdout).toContain('6 of 8 events delivered');
  expect(once.stdout + once.stderr).not.toContain('repeat an earlier one');
});
