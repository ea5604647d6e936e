/** Commands to paste, for a shell of another platform than this one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { type Shell, shellOn } from '../../src/lib/shell.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { createSuggest } from '../../src/options/suggest.ts';
import { planRun } from '../../src/plan/index.ts';

async function hintOf(files: Readonly<Record<string, string>>, shell: Shell): Promise<string> {
  const folder = await mkdtemp(path.join(import.meta.dirname, '..', '.tmp', 'shell-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const names = Object.keys(files).map((name) => path.join(folder, name));
  for (const [index, text] of Object.values(files).entries()) await writeFile(names[index] ?? '', text);
  const request = {
    files: names,
    ...(names.length === 1 ? { type: 'signals' as const } : {}),
    variant: 'auto',
    columns: [],
    constants: [],
    decode: { maxRowBytes: 2 ** 20, ragged: 'reject' },
    batchSize: 100,
    maxBytes: 1_000_000,
    skip: 0,
    limit: Number.POSITIVE_INFINITY,
    suggest: createSuggest({ invocation: 'npx signals', shell }, {}),
  } as const;
  const failed = await planRun(request, Readable.from([])).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failed instanceof ProblemError)) throw new Error('the plan was made');
  return failed.problems.map(({ hint = '' }) => hint.replaceAll(`${folder}${path.sep}`, '')).join('\n');
}

const signals = 'company_name,signal_name,source\nA,T,news\n';
const social = 'platform,engagement_type\nlinkedin,like\n';
const open = 'Account,Headline\nA,T\n';

test.each([
  ['linux', "'"],
  ['win32', '"'],
])('on %s what a plan needs is told with %s around names with spaces', async (platform, quote) => {
  const shell = shellOn(platform);
  expect(await hintOf({ 'my file.csv': open }, shell)).toContain(`map ${quote}my file.csv${quote}`);
  const unlike = await hintOf({ 'my a.csv': signals, 'my b.csv': social }, shell);
  expect(unlike).toContain(`upload ${quote}my a.csv${quote}`);
});
