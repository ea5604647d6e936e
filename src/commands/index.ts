/** The table of commands, in the order in which help lists them. A new command is one file and one line. */
import { check } from './check.ts';
import type { Command } from './command.ts';
import { config } from './config.ts';
import { fields } from './fields.ts';
import { resume } from './resume.ts';
import { sandbox } from './sandbox.ts';
import { upload } from './upload.ts';

export const commands: readonly Command[] = [
  {
    ...upload,
    // A dry run is a check: there are not two ways of looking at a file without sending it.
    run: (context, args, options) =>
      (options['dryRun'] === true ? check : upload).run(context, args, options),
  },
  check,
  resume,
  fields,
  config,
  sandbox,
];
