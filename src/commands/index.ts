/** The table of commands, in the order of help. A new command is one file and one line. */
import { type Listed, listed } from './command.ts';

export const commands: readonly Listed[] = [
  listed('upload', 'upload files', () => import('./upload.ts'), '[files...]'),
  listed('check', 'check files without sending anything (a dry run)', () => import('./check.ts'), '[files...]'),
  listed('map', 'propose a mapping for a file, adjust it, and save it', () => import('./map.ts'), '[file]'),
  listed('fix', 'propose mapping rules that repair the invalid rows of a run', () => import('./fix.ts'), '[run]'),
  {
    ...listed('resume', 'finish a run: send what was not delivered', () => import('./resume.ts'), '[run]'),
    alias: 'replay',
  },
  listed('runs', 'inspect earlier runs: list, show, find, explain, merge, pack, prune', () => import('./runs.ts')),
  listed('report', 'write one HTML page about a run', () => import('./report.ts'), '[run]'),
  listed('fields', 'list the fields and their values; print templates', () => import('./fields.ts'), '[type]'),
  listed('schema', 'print the JSON Schema of the output for programs', () => import('./schema.ts'), '[schema]'),
  listed('config', 'show and change settings', () => import('./config.ts')),
  listed('doctor', 'diagnose settings, key, folders, network and TLS; send no record', () => import('./doctor.ts')),
  listed('sandbox', 'run a local mock of the service', () => import('./sandbox.ts')),
];
