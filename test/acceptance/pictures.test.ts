/** The pictures of README and docs show what the program prints. If one fails: `npm run docs:pictures`, and look at them. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run, workspace, writeCsv } from '../support/program.ts';
import { hasTmux } from '../support/screen.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** The lines of a recording, without what differs each time. Of the progress, only the names of its columns. */
function linesOf(svg: string): readonly string[] {
  const rows = [...svg.matchAll(/<g id="r\d+">(.*?)<\/g>/g)].map(([, row = '']) => {
    const words = [...row.matchAll(/>([^<]*)<\/text>/g)].map(([, text = '']) => text.trim());
    return words
      .join(' ')
      .replace(/\d{8}T\d{6}Z-(\w+)-[0-9a-f]{4}/g, 'RUN')
      .replace(/\d+(?:[.,]\d+)*/g, '#')
      .replace(/# (?:min|s)\b(?: # s\b)?/g, 'TIME');
  });
  // What is typed appears word by word. On a busy machine, no picture is taken while a run stops.
  return rows.filter((row) => /[a-z]{2}/i.test(row) && !/^(?:\$|Stopping:)|rows\/s/.test(row));
}

test.runIf(hasTmux)('the recordings show lines that the program still prints', { timeout: 180_000 }, async () => {
  const folder = await workspace();
  const names = ['upload.svg', 'map.svg'];
  execFileSync(process.execPath, [path.join(root, 'scripts/pictures.mjs'), folder, ...names], { stdio: 'pipe' });
  for (const name of names) {
    const shown = linesOf(await readFile(path.join(root, 'docs', name), 'utf8'));
    const now = new Set(linesOf(await readFile(path.join(folder, name), 'utf8')));
    expect(shown.length).toBeGreaterThan(8);
    expect(
      shown.filter((line) => !now.has(line)),
      name,
    ).toEqual([]);
  }
});

test('the text of the picture of the report names headings that the report still has', async () => {
  const guide = await readFile(path.join(root, 'docs/guide.md'), 'utf8');
  const [, text = ''] = /!\[The report of a run: ([^\]]*)\]\(report\.png\)/.exec(guide) ?? [];
  const cwd = await workspace();
  await writeCsv(
    cwd,
    'in.csv',
    2500,
    (n) => `${n % 9 === 0 ? '' : `Company ${n}`},c${n}.example,Title,news,2026-11-20`,
  );
  await run(cwd, ['upload', 'in.csv', '--sandbox', '--batch-size', '50']);
  const { stdout } = await run(cwd, ['report', 'last', '-o', '-']);
  const headings = text.split('; ');
  expect(headings.length).toBeGreaterThan(2);
  expect(headings.filter((heading) => !stdout.includes(heading))).toEqual([]);
});
