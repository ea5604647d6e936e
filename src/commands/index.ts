/**
 * The table of commands, in the order of help. A new command is one file and one entry. Each entry loads its command when
 * it is typed, so that no command waits for what another one imports.
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
    load: async () => (await import('./resume/index.ts')).resume,
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

/** upload is also check (`--dry-run`) and resume (`--run-id`), and commands do not import each other. */
async function loadUpload(): Promise<Work> {
  const { withOptions } = await import('./shared/command.ts');
  const { uploadOptions, uploadHelp, runUpload } = await import('./upload.ts');
  return {
    more: uploadHelp,
    ...withOptions(uploadOptions, async (context, files, options) => {
      if (options.dryRun) return (await import('./check.ts')).runCheck(context, files, options);
      if (options.runId === undefined) return runUpload(context, files, options);
      const { runNamed } = await import('./shared/run-id.ts');
      const { resumeRun } = await import('./resume/index.ts');
      return runNamed(context, options.runId, options, {
        begin: () => runUpload(context, files, options),
        resume: (folder) => resumeRun(context, { ...options, input: [] }, folder),
      });
    }),
  };
}
