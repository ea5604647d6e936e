/** `node scripts/schemas.mjs FOLDER` writes the JSON Schemas that `signals schema` of the built program prints. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [folder = 'schemas'] = process.argv.slice(2);
const program = path.join(import.meta.dirname, '..', 'bin', 'signals.js');

/** @param {readonly string[]} words */
function schema(...words) {
  return execFileSync(process.execPath, [program, 'schema', ...words], { encoding: 'utf8' });
}

mkdirSync(folder, { recursive: true });
for (const name of schema().trim().split('\n')) writeFileSync(path.join(folder, `${name}.schema.json`), schema(name));
