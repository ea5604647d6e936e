/**
 * `node scripts/single-file.mjs FILE` makes one executable of the built program and this Node.js (25.5 or later). The program is
 * several files, and starts threads from them: at each start the executable unpacks them to a private temporary folder, and
 * deletes them when it exits. Source maps are left out.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The main script. A single executable can load files from the disk only with createRequire. */
function unpackAndStart() {
  const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
  const path = require('node:path');
  const sea = require('node:sea');
  const folder = mkdtempSync(path.join(require('node:os').tmpdir(), 'signals-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of sea.getAssetKeys()) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), new Uint8Array(sea.getRawAsset(name)));
  }
  require('node:module').createRequire(folder)(path.join(folder, 'start.cjs'));
}

const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'signals-sea-'));
try {
  const files = readdirSync(path.join(root, 'dist')).filter((name) => name.endsWith('.js'));
  const names = ['package.json', ...files.map((name) => `dist/${name}`)];
  const write = (name, text) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const config = {
    main: write('main.cjs', `(${unpackAndStart})();`),
    output: path.resolve(process.argv[2] ?? 'signals'),
    disableExperimentalSEAWarning: true,
    assets: {
      'start.cjs': write('start.cjs', "import('./dist/main.js').then(({ main }) => main());"),
      ...Object.fromEntries(names.map((name) => [name, path.join(root, name)])),
    },
  };
  execFileSync(process.execPath, ['--build-sea', write('sea.json', JSON.stringify(config))], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true });
}
