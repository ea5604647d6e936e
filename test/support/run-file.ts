/** A run.json for tests that look at run folders without having run anything. */
import type { RunFile } from '../../src/journal/run-file.ts';

/** A run of signals without inputs, except for what the test says. */
export function runFileOf(told: Pick<RunFile, 'run' | 'startedAt'> & Partial<RunFile>): RunFile {
  return {
    version: '0',
    type: 'signals',
    baseUrl: 'https://x.example',
    sandbox: false,
    inputs: [],
    decode: { header: true, maxRowBytes: 1, ragged: 'reject' },
    batchSize: 1,
    maxBytes: 1,
    skip: 0,
    argv: [],
    ...told,
  };
}
