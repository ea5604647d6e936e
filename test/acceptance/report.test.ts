/** The report of a run. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import {
  csvOf,
  everythingIn,
  plainRow,
  runFolder,
  runIds,
  socialCsv,
  test,
  write,
  writeCsv,
} from '../support/program.ts';

const ROW = /<tr><th scope="row"[^>]*><svg.*?<\/svg>(\w+)<\/th><td class="number">([\d,]+)<\/td>/g;

/** The rows of the bar, by state, and their sum. */
function balanceOf(page: string): Record<string, number> {
  const states = [...page.matchAll(ROW)].map(([, state = '', rows = '']): [string, number] => {
    return [state, Number(rows.replaceAll(',', ''))];
  });
  return { ...Object.fromEntries(states), all: states.reduce((sum, [, rows]) => sum + rows, 0) };
}

test('a report says what happened to every row, and what to do next', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) => (n === 2 ? { status: 422 } : undefined);
  const hostile = '<img src=x onerror=alert(1)>.csv';
  await write(
    cwd,
    hostile,
    csvOf(250, (n) => plainRow(n).replace('funding', n % 50 === 0 ? '</script>' : 'funding')),
  );
  await signals('upload', hostile, '--quiet');
  const made = await signals('report', 'last');
  const file = path.join(await runFolder(cwd), 'report.html');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(path.resolve(cwd, made.stdout.trim())).toBe(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const page = await readFile(file, 'utf8');
  const { rows } = JSON.parse(await readFile(path.join(path.dirname(file), 'summary.json'), 'utf8'));
  const balance = balanceOf(page);
  expect(balance['all']).toBe(250);
  for (const state of ['delivered', 'invalid', 'refused']) expect(balance[state] ?? 0).toBe(rows[state]);
  expect(page).not.toContain('<img');
  // The place, what was found and what was expected.
  expect(page).toContain('<td>line 51</td><td>&quot;&lt;/script&gt;&quot;</td>');
  expect(page).toContain('signal_source is not an allowed value; expected one of funding');
  expect(page).toMatch(/<code>[^<]* fix \S+</);
  expect(await everythingIn(path.dirname(file))).not.toContain(there.key);
});

test('a report of a run counts what a resume delivered', async ({ cwd, there, signals }) => {
  let isDown = true;
  there.fault = ({ n }) => (isDown && n > 1 ? { status: 503 } : undefined);
  await writeCsv(cwd, 'in.csv', 200);
  const options = ['--setting', 'retries=0', '--concurrency', '1', '--quiet'];
  expect((await signals('upload', 'in.csv', ...options)).code).toBe(4);
  isDown = false;
  const [id = ''] = await runIds(cwd);
  const before = (await signals('report', id, '-o', '-')).stdout;
  expect(balanceOf(before)).toMatchObject({ all: 200, delivered: 100 });
  expect(before).toContain(` resume ${id}</code>`);
  expect((await signals('resume', id, '--quiet')).code).toBe(0);
  const { stdout } = await signals('report', id, '-o', '-');
  const balance = balanceOf(stdout);
  expect(balance).toMatchObject({ all: 200, delivered: 200 });
  expect([balance['unknown'] ?? 0, balance['exhausted'] ?? 0]).toEqual([0, 0]);
  expect(stdout).toContain('exit code 0');
  expect(stdout).toContain('Nothing left to do.');
});

test('a report says why the exit code is not 0, and names only the lines that it means', async ({
  cwd,
  there,
  signals,
}) => {
  there.fault = ({ n }) => (n === 1 || n === 3 ? { status: 500 } : undefined);
  await write(cwd, 'in.csv', socialCsv(300));
  expect((await signals('upload', 'in.csv', '--concurrency', '1', '--quiet')).code).toBe(4);
  const { stdout } = await signals('report', '-o', '-');
  expect(stdout).toMatch(/<h1>100 of 300 events delivered [^<]*; 200 may have arrived\.<\/h1>/);
  expect(stdout).toContain('complete</b>, exit code 4.');
  expect(stdout).toContain('<td>from in.csv:2</td>');
});

test('--json prints the path of a report; one that cannot be written or is asked for in two forms is an error', async ({
  cwd,
  signals,
}) => {
  await writeCsv(cwd, 'in.csv', 3);
  await signals('upload', 'in.csv', '--quiet');
  const both = await signals('report', 'last', '-o', '-', '--json');
  expect(both).toMatchObject({ code: 2, stdout: expect.stringContaining('usage') });
  const missing = await signals('report', 'last', '-o', 'no/such/report.html');
  const { stdout } = await signals('report', 'last', '-o', 'a b.html', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ report: path.join(cwd, 'a b.html') });
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('Cannot write the report to no/such') });
});
