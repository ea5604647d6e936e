/**
 * The table of commands, in the order in which help lists them. A new command is one file and one entry. What a
 * command imports is loaded with it: nobody waits for what another command needs.
 */
import type { Listed, Work } from './shared/command.ts';

export const commands: readonly Listed[] = [
  {
    name: 'upload',
    arguments: '[files...]',
    summary: 'upload files',
    load: loadUpload,
  },
  {
    name: 'check',
    arguments: '[files...]',
    summary: 'check files without sending anything (a dry run)',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'map',
    arguments: '[file]',
    summary: 'propose a mapping for a file, adjust it, and save it',
    load: async () => (await import('./map.ts')).map,
  },
  {
    name: 'resume',
    arguments: '[run]',
    summary: 'resume an unfinished run',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'replay',
    arguments: '[run]',
    summary: 'resend the failed batches of a run',
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'runs',
    summary: 'inspect earlier runs: list, show, find, pack, prune',
    load: async () => (await import('./runs/index.ts')).runs,
  },
  {
    name: 'fields',
    arguments: '[type]',
    summary: 'list the fields and their values; print templates and schemas',
    load: async () => (await import('./fields.ts')).fields,
  },
  {
    name: 'config',
    summary: 'show and change settings',
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'sandbox',
    summary: 'run a local mock of the service',
    load: async () => (await import('./sandbox.ts')).sandbox,
  },
];

async function loadUpload(): Promise<Work> {
  const { upload } = await import('./upload.ts');
  return {
    ...upload,
    run: async (context, args, options) => {
      // A dry run is a check: there are not two ways of looking at a file without sending it.
      if (options['dryRun'] === true) return (await import('./check.ts')).check.run(context, args, options);
      if (typeof options['runId'] !== 'string') return upload.run(context, args, options);
      const { runNamed } = await import('./shared/run-id.ts');
      const { resume } = await import('./resume.ts');
      return runNamed(context, args, options, { begin: upload.run, goOn: resume.run });
    },
  };
}
