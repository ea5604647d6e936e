/**
 * Stores results: each series is saved when it ends, with its machine, so that a long benchmark can run in parts and be
 * read as a whole. docs/internals/performance.md contains the CSV series, between two marks, as printed.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DATA_FOLDER } from './data.mjs';

const FOLDER = path.join(DATA_FOLDER, 'results');
const PAGE = path.join(import.meta.dirname, '..', 'docs', 'internals', 'performance.md');
const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';

/**
 * @typedef {{ machine: Awaited<ReturnType<import('./machine.mjs').describeMachine>>, absent: string[], cells: import('./series.mjs').Cell[] }} Result
 */

/** Keeps what a series gave. A later run of the series takes its place. */
export async function keep(name, { cells, ...about }) {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path.join(FOLDER, `${name}.json`), JSON.stringify({ ...about, cells: cells.map(plainCell) }));
}

/**
 * What was kept of the series `names`, in that order.
 * @returns {Promise<Record<string, Result>>} without those that were never run
 */
export async function kept(names) {
  const results = {};
  for (const name of names) {
    const text = await readFile(path.join(FOLDER, `${name}.json`), 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) continue;
    const { cells, ...about } = JSON.parse(text);
    results[name] = {
      ...about,
      cells: cells.map(({ setting, runs }) => ({ setting, runs: new Map(Object.entries(runs)) })),
    };
  }
  return results;
}

/** A cell as JSON takes it. */
export function plainCell({ setting, runs }) {
  return { setting, runs: Object.fromEntries(runs) };
}

/** Puts `text` into docs/internals/performance.md. */
export async function writePage(text) {
  await writeFile(PAGE, placed(await readFile(PAGE, 'utf8'), text));
}

/** `page` with `text` in the place of what stood between the marks. Throws where it has no marks. */
export function placed(page, text) {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the page has no place for results: ${BEGIN} … ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n\`\`\`\n${text.trim()}\n\`\`\`\n\n${page.slice(to)}`;
}
