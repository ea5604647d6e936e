import { createSuggest } from '../../src/options/suggest.ts';

/** Builds suggested commands for a program called as `npx signals` in a POSIX shell, without repeated options. */
export const suggest = createSuggest({ invocation: 'npx signals', shell: 'posix' }, {});
