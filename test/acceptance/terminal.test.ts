/** On a real terminal (screen.ts): progress, questions, and what stays behind. */
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  at,
  csvOf,
  expectEnd,
  plainRow,
  recordsAt,
  run,
  runFolder,
  test,
  write,
  writeCsv,
} from '../support/program.ts';
import { hasTmux, terminal } from '../support/screen.ts';
import { workbookOf } from '../support/workbook.ts';

describe.runIf(hasTmux)('on a terminal', () => {
  test.for([60, 120])(
    'progress has fixed columns at %i, in place; then the summary alone stays',
    async (columns, { cwd, there }) => {
      there.fault = () => ({ latencyMs: 60 });
      await writeCsv(cwd, 'in.csv', 4000, (n) => (n % 50 === 0 ? `,,Title,news,2026-11-20` : plainRow(n)));
      const screen = await terminal(
        cwd,
        ['upload', 'in.csv', '--yes', '--concurrency', '1', '--run-id', 'mine'],
        at(there),
        columns,
      );
      const frame = /^[█░]+ +\d+%.* left\n( +rows +invalid +batches +accepted +deduplicated +rejected)\n(.*)/m;
      const first = frame.exec(await screen.until(/[1-9][0-9,]* +0 +0$/m));
      const second = frame.exec(await screen.until(/1,[0-9]{3} +0 +0\n?$/m));
      expect(second?.[1]).toBe(first?.[1]);
      expect(second?.[2]).toHaveLength(first?.[2]?.length ?? -1);
      const after = await screen.until(/exit=3/);
      expect(after).toMatch(/3,920 of 4,000 rows delivered/);
      // Drawn in place and gone: no half of a bar is left above the summary.
      expect(after).not.toMatch(/rows\/s|░|█/);
      expect(screen.cursor().visible).toBe(true);
    },
  );

  test('a resize leaves no debris, and a narrow terminal is enough', async ({ cwd, there }) => {
    there.fault = () => ({ latencyMs: 80 });
    await writeCsv(cwd, 'in.csv', 8_000);
    const screen = await terminal(cwd, ['upload', 'in.csv', '--yes', '--concurrency', '1'], at(there), 120);
    for (const columns of [120, 60, 100, 40, 200, 70]) {
      screen.resize(columns);
      // Two more frames with other counts: what a resize leaves behind would stay on the screen.
      for (let frame = 0; frame < 2; frame += 1) {
        const [counts = ''] = /^ *\d[\d,]* +0 +\d+ .*$/m.exec(await screen.until(/^ *[\d,]+ +0 +\d+ /m)) ?? [];
        await screen.until(new RegExp(`^(?!${counts}) *[\\d,]+ +0 +\\d+ `, 'm'));
      }
      const shown = screen.read();
      expect(shown.match(/rows +invalid/g), shown).toHaveLength(1);
      expect(shown.match(/rows\/s/g), shown).toHaveLength(1);
      expect(shown.match(/[█░]/g)?.length ?? 0, shown).toBeLessThanOrEqual(40);
    }
    const after = await screen.until(/exit=0/);
    expect(after).not.toMatch(/invalid +batches|░|█/);
  });

  test('a mapping that guesses is shown with values, and is sent only after a yes', async ({ cwd, there }) => {
    await write(cwd, 'in.csv', csvOf(3).replace('company_domain', 'Web'));
    const env = at(there);
    const refused = await terminal(cwd, ['upload', 'in.csv'], env);
    const shown = await refused.until(/● yes/);
    expect(shown).toMatch(/company_name +company_name +Company 1 +name matches/);
    expect(shown).toContain('All 3 rows are valid.');
    expect(shown).toContain(`Send in.csv to ${there.url}?`);
    refused.type('Up');
    await refused.until(/● cancel/);
    refused.type('Enter');
    expect(await refused.until(/exit=130/)).not.toContain('To continue');
    expect(there.requests()).toHaveLength(0);

    const agreed = await terminal(cwd, ['upload', 'in.csv'], env);
    await agreed.until(/● yes/);
    agreed.type('Enter');
    await agreed.until(/exit=0/);
    expect(there.requests()).toHaveLength(1);
  });

  test('the sheet that is read, and those that are not, are named before anything is sent', async ({ cwd, there }) => {
    const deals = { name: 'Deals', rows: ROUNDS.split('\n').map((line) => line.split(',')) };
    const months = [
      ['Month', 'Deals'],
      ['October', '14'],
    ];
    await write(cwd, 'in.xlsx', workbookOf([{ name: 'Summary', rows: months }, deals]));
    const refused = await run(cwd, ['upload', 'in.xlsx'], { env: at(there) });
    expect(refused.stderr).toMatch(/To read another sheet: `.* upload in\.xlsx --sheet Deals`\./);
    const screen = await terminal(cwd, ['upload', 'in.xlsx'], at(there), 200);
    await screen.until(/What are the rows of sheet "Summary" of in\.xlsx\? [\s\S]*● read sheet "Deals" instead/);
    screen.type('Enter');
    expect(await screen.until(/◆ {2}\d fields are uncertain/)).toContain(
      'Excel, sheet "Deals" (not read: "Summary"; --sheet reads another), a list of market signals',
    );
    screen.type('Enter');
    await screen.until(/◆ {2}Send in\.xlsx to /);
    screen.type('C-c');
    expect(await screen.until(/exit=130/)).toContain('Cancelled: nothing was sent or changed.');
  });

  test('a mapping that matches by name is one line, and sent at once', async ({ cwd, there }) => {
    await writeCsv(cwd, 'in.csv', 3);
    const screen = await terminal(cwd, ['upload', 'in.csv'], at(there));
    const shown = await screen.until(/exit=0/);
    expect(shown).toMatch(/^in\.csv +CSV, market signals \([ab]\), all 5 columns match by name\n3 of 3 rows delivered/);
    expect(there.requests()).toHaveLength(1);
    // With a wrong delimiter, nothing matches.
    const wrong = await terminal(cwd, ['upload', 'in.csv', '--delimiter', 'tab'], at(there));
    await wrong.until(/^Without `--delimiter`, the columns of 'in\.csv' are [\s\S]*What are the rows of in\.csv\?/);
  });

  test('resume without a name resumes the last run, and asks nothing', async ({ cwd, there }) => {
    const env = at(there);
    for (const [index, name] of ['one', 'two'].entries()) {
      await writeCsv(cwd, `${name}.csv`, 20 + index);
      await run(cwd, ['upload', `${name}.csv`, '--quiet'], { env: { ...env, SIGNALS_API_KEY: 'wrong-key' } });
    }
    const screen = await terminal(cwd, ['resume'], env);
    expect(await screen.until(/exit=0/)).toContain('21 of 21 rows delivered');
    const again = await terminal(cwd, ['resume'], env);
    expect(await again.until(/exit=0/)).toContain('Nothing was sent now.');
    expect(await recordsAt(there)).toHaveLength(21);
  });

  test('without a service, it sends nothing, and names the sandbox and the settings', async ({ cwd, there }) => {
    await writeCsv(cwd, 'in.csv', 3);
    const screen = await terminal(cwd, ['upload', 'in.csv'], {});
    const end = await screen.until(/exit=2/);
    expect(end).toContain('No service URL is configured.');
    expect(end).toContain('upload in.csv --sandbox');
    expect(end).toContain('config init');
    expect(there.requests()).toEqual([]);
  });

  test('a key that is not configured is asked for, and never shown', async ({ cwd, there }) => {
    await writeCsv(cwd, 'in.csv', 3);
    const screen = await terminal(cwd, ['upload', 'in.csv'], { SIGNALS_BASE_URL: there.url });
    await screen.until(/API key/);
    screen.type('right-key', 'Enter');
    const after = await screen.until(/exit=0/);
    expect(after).not.toContain('right-key');
    expect(there.requests()).toMatchObject([{ status: 200 }]);
  });
});

describe.runIf(hasTmux)('signals check on a terminal', () => {
  test('shows how far it is, in place, and leaves the sheet alone', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 400_000);
    // The reference engine, because the fast one can be done before the screen is read.
    const screen = await terminal(cwd, ['check', 'in.csv', '--setting', 'engine=reference'], {});
    const during = await screen.until(/\d+%[\s\S]*rows/);
    expect(during).not.toMatch(/would be sent/);
    const after = await screen.until(/exit=0/);
    expect(after).toMatch(/400,000 of 400,000 rows would be sent/);
    expect(after).not.toMatch(/rows\/s/);
    expect(screen.cursor().visible).toBe(true);
  });
});

const ROUNDS = [
  'Organization Name,Website,Funding Type,Announced Date,Money Raised,Money Raised (in USD),Investors',
  'Northwind,https://www.northwind.example,Seed,03/04/2026,3000000,3000000,X',
  'Brightleaf,https://brightleaf.example/,Series A,05/06/2026,9000000,9900000,Y',
].join('\n');

describe.runIf(hasTmux)('an upload on a terminal of a list without title and source', () => {
  test('asks for both, shows the records, and sends them to the sandbox', async ({ cwd }) => {
    await write(cwd, 'companies.csv', 'Company,Website,Remark\nNorthwind,northwind.example,Opens a plant\n');
    const screen = await terminal(cwd, ['upload', 'companies.csv', '--type', 'signals', '--sandbox'], {}, 120);
    await screen.until(/◆ {2}signal_title \(required\)/);
    await screen.mark(/a text made of columns/);
    screen.type('Enter');
    await screen.until(/◆ {2}The text for signal_title\. Columns: \{Remark\}, \{Company\} and \{Website\}/);
    screen.type('C-u', '{Firm} news', 'Enter');
    await screen.until(/There is no column "Firm"\./);
    screen.type('C-u', '{company} news: {remark}', 'Enter');
    await screen.until(/◆ {2}signal_source \(required\)/);
    await screen.mark(/back/);
    screen.type('Enter');
    await screen.until(/◆ {2}signal_title/);
    await screen.mark(/a text made of columns/);
    screen.type('Enter');
    await screen.until(/◆ {2}The text for signal_title/);
    screen.type('C-u', '{company} news: {remark}', 'Enter');
    await screen.until(/◆ {2}signal_source \(required\)/);
    await screen.mark(/news in every row/);
    screen.type('Enter');
    await screen.until(/◆ {2}description/);
    await screen.mark(/nothing: leave it out/);
    screen.type('Enter');
    const shown = await screen.until(/Send companies\.csv to the sandbox on this machine\?[\s\S]*● yes/);
    expect(shown).toContain('Northwind news: Opens a plant');
    screen.type('Enter');
    await screen.until(/exit=0/);
    await copyFile(path.join(await runFolder(cwd), 'mapping.yaml'), path.join(cwd, 'companies.csv.mapping.yaml'));
    const upload = ['upload', 'companies.csv', '--type', 'signals', '--sandbox'];
    const saved =
      /To use the mapping in companies\.csv\.mapping\.yaml:\n +.* upload companies\.csv -m \S+\.yaml --sandbox\n/;
    expect((await run(cwd, upload)).stderr).toMatch(saved);
    await (await terminal(cwd, upload, {}, 120)).until(saved);
    const again = await run(cwd, ['check', 'companies.csv', '-m', 'companies.csv.mapping.yaml', '--verbose']);
    expect(again.stdout).toContain('Northwind news: Opens a plant');
    expect(again.stdout).toMatch(/"(signal_)?source": "news"/);
  });
});

describe.runIf(hasTmux)('signals map on a terminal', () => {
  test('asks what is not certain, one field at a time, and saves what was chosen', async ({ cwd }) => {
    await write(cwd, 'rounds.csv', ROUNDS);
    const screen = await terminal(cwd, ['map', 'rounds.csv'], {}, 120);
    await screen.until(/◆ {2}\d fields are uncertain\.[\s\S]*● use signal_title/);
    await screen.mark(/decide each/);
    screen.type('Enter');
    const intro = await screen.until(
      /signal_title \(required\)[\s\S]*● the text \{Organization Name\}[\s\S]*stop here/,
    );
    expect(intro.match(/signals, because/g)).toHaveLength(1);
    expect(intro).not.toContain('Type: signals');
    screen.type('Enter');
    await screen.until(/signal_source \(required\)[\s\S]*● funding in every row/);
    screen.type('Enter');
    await screen.until(/◆ {2}detected_at/);
    await screen.mark(/the date in "Announced Date", day first: 03\/04\/2026 -> 3 April 2026/);
    screen.type('Enter');
    await screen.until(/◆ {2}signal_family/);
    await screen.mark(/nothing: leave it out/);
    screen.type('Enter');
    await screen.until(/◆ {2}funding_amount/);
    await screen.mark(/"Money Raised \(in USD\)/);
    screen.type('Enter');
    const shown = await screen.until(/Save it to rounds\.csv\.mapping\.yaml\?[\s\S]*● yes/);
    expect(shown).toContain('All 2 rows are valid.');
    screen.type('Enter');
    const after = await screen.until(/exit=0/);
    expect(after).toContain('Saved to rounds.csv.mapping.yaml.');
    expect(after.replaceAll('\n', '')).toMatch(/upload rounds\.csv -m rounds\.csv\.mapping\.yaml/);
    const yaml = await readFile(path.join(cwd, 'rounds.csv.mapping.yaml'), 'utf8');
    expect(yaml).toContain('signal_title: "{Organization Name} raised funding: {Funding Type}');
    expect(yaml).toContain('signal_source: { value: funding }');
    expect(yaml).toContain('detected_at: { column: Announced Date, as: date, format: d/M/yyyy }');
    expect(yaml).toContain('funding_amount: Money Raised (in USD)');
    expect(yaml).not.toMatch(/^ {2}signal_family/m);
    const used = await run(cwd, ['check', 'rounds.csv', '-m', 'rounds.csv.mapping.yaml', '--json']);
    expectEnd(used, 0, { rows: { read: 2, invalid: 0 } });
  });

  test('ends with 2 if the user says that the rows are of neither type', async ({ cwd }) => {
    await write(cwd, 'staff.csv', 'Foo,Bar\n1,2\n');
    const screen = await terminal(cwd, ['map', 'staff.csv'], {}, 120);
    await screen.mark(/neither: stop here/);
    screen.type('Enter');
    expect(await screen.until(/exit=2/)).toContain('These rows are neither signals nor social events.');
  });

  test('wraps a long question beside the bar of the prompt', async ({ cwd }) => {
    await write(cwd, 'in.csv', ROUNDS);
    const screen = await terminal(cwd, ['map', 'in.csv'], {}, 60);
    await screen.mark(/decide each/);
    screen.type('Enter');
    const shown = await screen.until(/◆ {2}signal_title[\s\S]*└/);
    const lines = shown.slice(shown.indexOf('◆')).split('\n');
    expect(lines[1]).toMatch(/^│ {2}\S/);
    expect(lines.filter((line) => !/^[│◆└]/u.test(line))).toEqual([]);
  });

  test('shows what a guessed encoding makes of the file, and keeps it in the mapping after a yes', async ({ cwd }) => {
    const text = 'Company Name,Signal Title,Kind\nM\xfcller,Opens a plant,Press\nNorthwind,Hires,Jobs\n';
    await write(cwd, 'in.csv', Buffer.from(text, 'latin1'));
    const screen = await terminal(cwd, ['map', 'in.csv', '--type', 'signals'], {});
    await screen.until(/contains "Müller"\. Is that right/);
    screen.type('y');
    await screen.until(/● yes/);
    screen.type('Enter');
    await screen.until(/exit=0/);
    expect(await readFile(path.join(cwd, 'in.csv.mapping.yaml'), 'utf8')).toContain('encoding: windows-1252');
    const used = await run(cwd, ['check', 'in.csv', '-m', 'in.csv.mapping.yaml', '--verbose']);
    expect(used.code).toBe(0);
    expect(used.stdout).toContain('Müller');
  });
});

test.runIf(!hasTmux)('the tests on a real terminal were left out: there is no tmux here', () => {
  expect(hasTmux).toBe(false);
});
