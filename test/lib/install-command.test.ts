import { expect, test } from 'vitest';
import { installCommand } from '../../src/lib/version.ts';

const packages = ['hyparquet', 'hyparquet-compressors'];

test.each([
  ['globally', '/usr/lib/node_modules/signals-upload/dist/main.js', 'npm install -g hyparquet hyparquet-compressors'],
  [
    'in a project',
    '/home/a/app/node_modules/signals-upload/dist/main.js',
    'npm install hyparquet hyparquet-compressors',
  ],
  [
    'for npx',
    '/home/a/.npm/_npx/1f/node_modules/signals-upload/dist/main.js',
    'npx -p signals-upload -p hyparquet -p hyparquet-compressors signals upload FILE',
  ],
])('installs packages where the program is: %s', (_place, module, command) => {
  expect(installCommand(module, packages, (file) => file === '/home/a/app/package.json')).toBe(command);
});
