/**
 * Both engines against test/fuzz/oracle.py, which is written from the pages and shares no code with the program: the same fate of each
 * row, and the same bytes sent. `npm run fuzz:oracle` uploads 1,000,000 rows. SIGNALS_ORACLE_SEED names other rows.
 */
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROWS = process.env['SIGNALS_ORACLE_ROWS'] ?? '600';
const SEED = process.env['SIGNALS_ORACLE_SEED'] ?? '1';

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;

test.skipIf(!hasPython)(
  `sends what the pages say of ${ROWS} hostile rows (needs Python 3.8)`,
  { timeout: Math.max(90_000, 10 * Number(ROWS)) },
  async () => {
    // It exits with 1 after printing the differences.
    const script = path.join(import.meta.dirname, 'run-oracle.py');
    const { stdout, stderr } = await promisify(execFile)('python3', [script, ROWS, SEED], { maxBuffer: 2 ** 28 }).catch(
      Object,
    );
    expect(`${stdout}${stderr}`).toMatch(/^\d+ rows in \d+ files with seed .*; 0 files with differences\n$/);
    if (Number(ROWS) > 10_000) process.stdout.write(stdout);
  },
);
