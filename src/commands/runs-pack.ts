/** `signals runs pack`: packs a run into an archive, to look at or for another person to finish. */

import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { assertMaySend, openRun } from '../app/open-run.ts';
import { exportClaims } from '../app/run-claims.ts';
import { assertCanFinish } from '../app/run-source.ts';
import { printable } from '../lib/printable.ts';
import { withResources } from '../lib/resources.ts';
import { humanBytes } from '../lib/units.ts';
import { sumOf } from '../model/counts.ts';
import { failure } from '../model/outcome.ts';
import { flag, text } from '../options/option-spec.ts';
import { stateFolder } from '../options/state-folder.ts';
import { createSuggest } from '../options/suggest.ts';
import { nameList } from '../report/text-layout.ts';
import { assertNoArchive, packRun } from '../stored-runs/pack-run.ts';
import { defineCommand } from './command.ts';
import { confirm, printAnswer } from './screen/print.ts';

export const command = defineCommand({
  options: {
    to: text('file', 'archive to write', { defaultText: 'ID.tar.gz in this folder, or ID.hand-over.tar.gz' }),
    handOver: flag('give the right to send to the archive: nothing more is sent from here'),
    ...commonOptions,
  },
  async run(context, [wanted = 'last'], options) {
    const { streams } = context;
    const { handOver } = options;
    const suggest = createSuggest(context, {});
    const folder = await findRunFolder(context, options, wanted);
    return withResources(async (adopt) => {
      const opened = await openRun(adopt, context, folder, {
        again: false,
        quiet: false,
        prepare: async (run) => run,
      });
      if (handOver) await assertMaySend(context, opened, false);
      const { file, runState } = opened;
      const isComplete = runState.state === 'complete';
      const isDone = isComplete && sumOf(runState.rows, failure.options) === 0;
      const target = options.to ?? `${folder.id}${handOver ? '.hand-over' : ''}.tar.gz`;
      await assertNoArchive(target);
      if (handOver) {
        if (!isComplete) await assertCanFinish(context, opened, suggest);
        const question = `Hand ${file.run} over? Afterwards, only the archive can send the rest.`;
        if (!options.yes) await confirm(context, printable(question), 'Handing over a run');
        // The receiver has another state folder.
        const state = isComplete ? undefined : stateFolder(context.env);
        for (const warning of await exportClaims(adopt, state, opened)) streams.problem('warning', warning);
      }
      const { inputs, bytes } = await packRun(opened, opened, { target, handOver, time: new Date().toISOString() });
      const lines = [
        `Packed ${printable(file.run)}${inputs.length === 0 ? '' : ` with its inputs (${nameList(inputs)})`} into ${printable(target)}, ${humanBytes(bytes)}. The archive contains personal data, but no key.`,
        isDone
          ? 'The run has nothing left to send.'
          : handOver
            ? `Only the archive can send the rest now. The receiver runs: ${suggest('resume', target)}`
            : 'It is a copy to look at: nothing can be sent from it. To let somebody else finish the run, add --hand-over.',
      ];
      return printAnswer(
        context,
        options,
        { run: file.run, archive: target, bytes, inputs, handOver },
        lines.join('\n'),
      );
    });
  },
});
