import { expect, test } from 'vitest';
import { createSuggest } from '../../src/options/suggest.ts';

const called = { invocation: 'npx signals', shell: 'posix' } as const;

const given = {
  sandbox: true,
  baseUrl: 'https://api.example.com',
  profile: 'prod',
  allowHttp: true,
  apiKeyFile: 'my key.txt',
  again: true,
  transform: 'rows.mjs',
  out: 'my runs',
};

const service =
  "--base-url https://api.example.com --profile prod --api-key-file 'my key.txt' --allow-http --out 'my runs'";

test.each([
  [['upload', 'in.csv'], `upload in.csv --transform rows.mjs --again --sandbox ${service}`],
  [['resume', 'x'], `resume x --again ${service}`],
  [['resume', 'x', '--refused'], `resume x --refused --again ${service}`],
  [['runs', 'show', 'x'], "runs show x --profile prod --out 'my runs'"],
  [['config', 'set', 'api_key'], 'config set api_key --profile prod'],
  [['map', 'in.csv'], `map in.csv --transform rows.mjs --sandbox ${service.replace(" --out 'my runs'", '')}`],
  [['fields', 'social'], 'fields social'],
])('%j repeats the options that the command has', (words, command) => {
  expect(createSuggest(called, given)(...words)).toBe(`npx signals ${command}`);
});

test('an option that the words contain is not repeated', () => {
  const suggest = createSuggest(called, { profile: 'prod', out: 'runs' });
  expect(suggest('resume', 'x', '--out', '.')).toBe('npx signals resume x --out . --profile prod');
  expect(suggest('resume', 'x', '--out=.')).toBe('npx signals resume x --out=. --profile prod');
});

test('an upload goes where the run went, which may differ from the flags', () => {
  const suggest = createSuggest(called, { again: true, out: 'runs' }, { again: undefined, sandbox: true });
  expect(suggest('upload', 'in.csv')).toBe('npx signals upload in.csv --sandbox --out runs');
  expect(suggest('resume', 'x')).toBe('npx signals resume x --again --out runs');
});
