/**
 * Files as an analyst has them, by folders: fixtures/analyst/<case>. Inputs and expected numbers are made by analyst.py
 * beside this file, by Python's own codecs, csv, json, gzip and zipfile, and by iconv. On the built program.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, root, run, workspace } from '../support/program.ts';

interface Expected {
  readonly about: string;
  readonly args: readonly string[];
  readonly code: number;
  /** Code of the problem that refuses the input. */
  readonly problem?: string;
  /** What must stand in the words for the user. */
  readonly words?: readonly string[];
  /** What the platform must have. */
  readonly rows?: object;
  /** Lines of invalid rows, by the field that is wrong. */
  readonly lines?: Readonly<Record<string, readonly number[]>>;
  /** Lines of all invalid rows that these are among: the sheet shows the first of each kind. */
  readonly badLines?: readonly number[];
  /** Names of the inputs, in their order. */
  readonly inputs?: readonly string[];
}

/** What `check --json` prints, as far as it is judged here. */
interface Sheet {
  readonly errors?: readonly { readonly code: string }[];
  readonly inputs: readonly { readonly name: string }[];
  readonly rows: object;
  readonly invalid: readonly {
    readonly field?: string;
    readonly examples: readonly { readonly line: number }[];
  }[];
}

const folder = path.join(root, 'fixtures', 'analyst');

async function checked(name: string, { args }: Expected): Promise<{ ended: Ended; sheet: Sheet }> {
  const cwd = await workspace();
  await cp(path.join(folder, name), cwd, { recursive: true, filter: (source) => !source.endsWith('expected.json') });
  const ended = await run(cwd, ['check', ...args, '--json']);
  const sheet: Sheet = JSON.parse(ended.stdout);
  return { ended, sheet };
}

function linesOf(sheet: Sheet, field?: string): readonly number[] {
  return sheet.invalid
    .filter((reason) => field === undefined || reason.field === field)
    .flatMap(({ examples }) => examples.map(({ line }) => line))
    .sort((one, other) => one - other);
}

describe.each(readdirSync(folder))('fixtures/analyst/%s', (name) => {
  const expected: Expected = JSON.parse(readFileSync(path.join(folder, name, 'expected.json'), 'utf8'));
  test(`is checked as was counted independently (${expected.about})`, async () => {
    const { ended, sheet } = await checked(name, expected);
    expect(ended.code).toBe(expected.code);
    for (const words of expected.words ?? []) expect(ended.stdout + ended.stderr).toContain(words);
    if (expected.problem !== undefined) {
      expect(sheet.errors?.map(({ code }) => code)).toEqual([expected.problem]);
      return;
    }
    expect(sheet.rows).toMatchObject(expected.rows ?? {});
    for (const [field, lines] of Object.entries(expected.lines ?? {})) {
      expect([field, linesOf(sheet, field)]).toEqual([field, lines]);
    }
    if (expected.badLines !== undefined) {
      const all = [...expected.badLines, ...Object.values(expected.lines ?? {}).flat()];
      for (const line of linesOf(sheet)) expect(all).toContain(line);
      expect(linesOf(sheet)).toContain(expected.badLines[0]);
    }
    if (expected.inputs !== undefined) {
      expect(sheet.inputs.map((input) => input.name)).toEqual(expected.inputs);
    }
  });
});
