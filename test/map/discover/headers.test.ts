import { describe, expect, it } from 'vitest';
import { headerRows, judge, typeOf } from './headers.ts';

const all = headerRows();
/**
 * `second` and `third` were held out: their mappings were written down before discovery was tried on them. As first
 * measured: second 41 of 50 columns (82%), third 25 of 25; none wrong. General rules were then made of what was missed in
 * `second` (words run together, short forms, "funded"), so that it is no longer held out.
 */
const sets = ['tune', 'check', 'held-out', 'second', 'third'] as const;

describe('the headers of real exports', () => {
  it('are at least forty, a quarter of which were held out from tuning', () => {
    expect(all.length).toBeGreaterThanOrEqual(40);
    const sizes = sets.map((set) => all.filter((each) => each.set === set).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(all.length);
    expect(4 * ((sizes[2] ?? 0) + (sizes[4] ?? 0))).toBeGreaterThanOrEqual(all.length);
  });

  it.each(all)('never make discovery use a wrong column: $name', (headers) => {
    expect(judge(headers).wrong).toEqual([]);
  });

  it.each(all)('never make discovery find a wrong type: $name', (headers) => {
    const found = typeOf(headers);
    // Undecided is a question, not an error.
    expect([headers.type ?? undefined, undefined]).toContain(found);
  });

  it.each(sets)('find at least 85%% of the columns of the set "%s", and print the figure', (set) => {
    const judged = all.filter((each) => each.set === set).map((each) => ({ ...judge(each), name: each.name }));
    const wanted = judged.reduce((sum, each) => sum + each.wanted, 0);
    const found = judged.reduce((sum, each) => sum + each.found, 0);
    const wrong = judged.reduce((sum, each) => sum + each.wrong.length, 0);
    const missed = judged.flatMap(({ name, missed }) => missed.map((each) => `  ${name}: ${each}`));
    const share = (100 * found) / wanted;
    process.stdout.write(
      `headers, ${set}: ${judged.length} exports, ${found} of ${wanted} columns found (${share.toFixed(1)}%), ${wrong} wrong\n${missed.map((line) => `${line}\n`).join('')}`,
    );
    expect(share).toBeGreaterThanOrEqual(85);
  });

  it('show the type of nine in ten exports that have one', () => {
    const told = all.filter(({ type }) => type !== null);
    const right = told.filter((headers) => typeOf(headers) === headers.type);
    process.stdout.write(`headers: the type of ${right.length} of ${told.length} exports found\n`);
    expect(right.length / told.length).toBeGreaterThanOrEqual(0.9);
  });
});
