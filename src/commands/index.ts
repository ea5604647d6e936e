/** The table of commands, in the order in which help lists them. A new command is one file and one line. */
import { check } from './check.ts';
import type { Command } from './command.ts';
import { config } from './config.ts';
import { fields } from './fields.ts';
import { map } from './map.ts';
import { runNamed } from './named.ts';
import { replay } from './replay.ts';
import { resume } from './resume.ts';
import { runs } from './runs/index.ts';
import { sandbox } from './sandbox.ts';
import { upload } from './upload.ts';

export const commands: readonly Command[] = [
  {
    ...upload,
    // A dry run is a check: there are not two ways of looking at a file without sending it.
    run: (context, args, options) =>
      options['dryRun'] === true
        ? check.run(context, args, options)
        : typeof options['runId'] === 'string'
          ? runNamed(context, args, options, { begin: upload.run, goOn: resume.run })
          : upload.run(context, args, options),
  },
  check,
  map,
  resume,
  replay,
  runs,
  fields,
  config,
  sandbox,
];
