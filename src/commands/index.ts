/**
 * The table of commands, in the order in which help lists them. A new command is one file and one entry. What a
 * command imports is loaded with it: nobody waits for what another command needs.
 */
import type { Listed, Work } from './shared/command.ts';

export const commands: readonly Listed[] = [
  {
    name: 'upload',
    arguments: '[files...]',
    summary: 'read, map, validate, batch and send files of rows',
    load: loadUpload,
  },
  {
    name: 'check',
    arguments: '[files...]',
    summary: 'the same as upload without sending: what would be sent, what is wrong',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'map',
    arguments: '[file]',
    summary: 'propose a mapping for a file, adjust it, save it',
    load: async () => (await import('./map.ts')).map,
  },
  {
    name: 'resume',
    arguments: '[run]',
    summary: 'go on with a run that was stopped, interrupted or killed',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'replay',
    arguments: '[run]',
    summary: 'send again what a run did not deliver, from its folder alone',
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'runs',
    summary: 'what became of earlier runs: list, show, find, pack, prune',
    load: async () => (await import('./runs/index.ts')).runs,
  },
  {
    name: 'fields',
    arguments: '[type]',
    summary: 'the fields, what they take, and templates to fill in',
    load: async () => (await import('./fields.ts')).fields,
  },
  {
    name: 'config',
    summary: 'show and change settings',
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'sandbox',
    summary: 'the service on this machine, on loopback',
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
