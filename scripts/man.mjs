/** `node scripts/man.mjs FILE` writes the manual page, as `signals help man` prints it. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const program = path.join(import.meta.dirname, '..', 'bin', 'signals.js');
writeFileSync(process.argv[2] ?? 'signals.1', execFileSync(process.execPath, [program, 'help', 'man']));
