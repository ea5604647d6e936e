import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toSource } from '../../src/cli/report-error.ts';
import { root } from '../support/program.ts';

const bundle = path.join(root, 'dist', 'main.js');

/** Where the bundle has a text: line and column, both from 1. */
async function placeOf(text: string): Promise<string> {
  const lines = (await readFile(bundle, 'utf8')).split('\n');
  const line = lines.findIndex((each) => each.includes(text));
  return `${line + 1}:${(lines[line] ?? '').indexOf(text) + 1}`;
}

describe('a stack trace', () => {
  it('names the lines of the source and not those of the bundle', async () => {
    const url = pathToFileURL(bundle).href;
    const place = await placeOf('function watchSignals');
    const source = (await readFile(path.join(root, 'src', 'cli', 'program.ts'), 'utf8')).split('\n');
    const line = source.findIndex((each) => each.includes('function watchSignals')) + 1;
    const trace = `Error: odd\n    at watchSignals (${url}:${place})\n    at node:internal/x:1:2`;
    const told = toSource(trace);
    expect(told).toMatch(
      new RegExp(
        `^Error: odd\n    at watchSignals \\(src/cli/program\\.ts:${line}:\\d+\\)\n    at node:internal/x:1:2$`,
      ),
    );
  });

  it('stays as it is where there is no map', () => {
    const trace = 'Error: odd\n    at here (file:///nowhere/at-all.js:3:4)';
    expect(toSource(trace)).toBe(trace);
  });
});
