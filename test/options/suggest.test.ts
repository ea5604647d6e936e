import { expect, test } from 'vitest';
import { createSuggest } from '../../src/options/suggest.ts';

test('an upload goes where the run went, which may differ from the flags', () => {
  const called = { invocation: 'npx signals', shell: 'posix' } as const;
  const suggest = createSuggest(called, { again: true, out: 'runs' }, { again: undefined, sandbox: true });
  expect(suggest('upload', 'in.csv')).toBe('npx signals upload in.csv --sandbox --out runs');
  expect(suggest('resume', 'x')).toBe('npx signals resume x --again --out runs');
});

test('doctor diagnoses the connection of the run', () => {
  const called = { invocation: 'npx signals', shell: 'posix' } as const;
  const suggest = createSuggest(called, { baseUrl: 'https://api.example.com', caFile: 'ca.pem', again: true });
  expect(suggest('doctor')).toBe('npx signals doctor --base-url https://api.example.com --setting ca_file=ca.pem');
});
