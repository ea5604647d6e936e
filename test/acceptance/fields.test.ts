/** `signals fields`: its templates are files that it takes itself. */
import { describe, expect } from 'vitest';
import { expectEnd, run, runInProcess, test, workspace, write } from '../support/program.ts';

describe('a template', () => {
  test.for([
    ['signals', 'csv', undefined],
    ['signals', 'csv', 'a'],
    ['signals', 'ndjson', 'both'],
    ['social', 'ndjson', undefined],
  ] as const)(
    'of %s as %s, variant %s, is uploaded as it is',
    async ([type, format, variant], { cwd, there, signals }) => {
      const names = variant === undefined ? [] : ['--variant', variant];
      const printed = await runInProcess(cwd, ['fields', type, '--template', format]);
      expect(printed.code).toBe(0);
      const file = await write(cwd, `template.${format}`, printed.stdout);
      const ended = await signals('upload', file, ...names, '--json');
      expectEnd(ended, 0, { type, rows: { read: 1, delivered: 1 } });
      expect(there.requests()).toMatchObject([{ records: 1 }]);
    },
  );
});

test.each([
  [['fields', 'signal'], 'Did you mean signals?'],
  [['fields', '--template', 'csv'], 'fields signals --template csv` or `'],
])('%j is told what it lacks, and exits with 2', async (args, words) => {
  const ended = await run(await workspace(), args);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(words);
});

test('prints the table and the schema, each as the whole of stdout', async ({ cwd }) => {
  const table = await runInProcess(cwd, ['fields']);
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout).toContain('social: POST /v1/social/ingest');
  const schema = await runInProcess(cwd, ['schema', 'social']);
  expect(JSON.parse(schema.stdout)).toMatchObject({ title: 'social', type: 'object' });
});
