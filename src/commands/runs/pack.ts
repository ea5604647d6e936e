/** `signals runs pack`: packs a run and its replays into an archive, and hands it over to another person. */
import path from 'node:path';
import { exportHistory } from '../../history/index.ts';
import { writeHandover } from '../../journal/handover.ts';
import { packRuns } from '../../journal/pack-run.ts';
import { printable } from '../../lib/printable.ts';
import { humanBytes } from '../../lib/units.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { text } from '../../options/option-spec.ts';
import { stateFolder } from '../../options/state-folder.ts';
import { createSuggest } from '../../options/suggest.ts';
import { nameList } from '../../report/text-layout.ts';
import { defineSubcommand } from '../shared/command.ts';
import { printAnswer } from '../shared/output.ts';
import { withResources } from '../shared/resources.ts';
import { openLineage } from '../shared/run-lock.ts';
import { findInputChanges } from '../shared/run-source.ts';
import { commonOptions, findRunFolder } from '../shared/stored-runs.ts';

export const pack = defineSubcommand({
  name: 'pack',
  arguments: '<run>',
  summary: 'pack a run into one archive and hand it over; it cannot be sent from here afterwards',
  options: {
    to: text('--to <file>', 'archive to write (default: ID.tar.gz in this folder)'),
    ...commonOptions,
  },
  async run(context, [wanted = 'last'], options) {
    const { streams } = context;
    const folder = await findRunFolder(context, options, wanted);
    return withResources(async (own) => {
      const { lineage } = await openLineage(own, folder, true);
      const [self] = lineage;
      const needsInputs = self.file.parent === undefined && self.inspected.runState.state !== 'complete';
      const changes = needsInputs ? await findInputChanges(context, self.folder, self.file) : [];
      if (changes.length > 0) throw new ProblemError(changes.map(changedInput));
      // The receiver has another state folder.
      const state = stateFolder(context.env);
      for (const { file, folder: one, inspected } of lineage) {
        if (inspected.runState.state === 'complete') continue;
        for (const warning of state === undefined ? [] : await exportHistory(state, file, one.path)) {
          streams.problem('warning', warning);
        }
      }
      const target = options.to ?? `${folder.id}.tar.gz`;
      const { inputs, bytes } = await packRuns(lineage, target);
      const mark = { time: new Date().toISOString(), archive: path.resolve(target) };
      for (const member of lineage) writeHandover(member.folder.path, mark);
      const command = self.inspected.runState.state === 'complete' ? 'replay' : 'resume';
      const isOpen = lineage.some(({ inspected: { runState } }) => {
        const { exhausted, unknown, refused } = runState.rows;
        return runState.state !== 'complete' || exhausted + unknown + refused > 0;
      });
      const lines = [
        `Packed ${printable(self.file.run)}${inputs.length === 0 ? '' : ` with its inputs (${nameList(inputs)})`} into ${printable(target)}, ${humanBytes(bytes)}. The archive contains personal data, but no key.`,
        isOpen
          ? `The receiver runs: ${createSuggest(context, {})(command, path.basename(target))}`
          : 'The run has nothing left to send.',
        'The run is handed over: nothing more of it is sent from here.',
      ];
      return printAnswer(context, options, { run: self.file.run, archive: target, bytes, inputs }, lines.join('\n'));
    });
  },
});

function changedInput({ source, what }: { readonly source: string; readonly what: string }): Problem {
  return {
    code: 'pack.input',
    message: `The run is incomplete, and its input has changed: ${what}. A resume would refuse it, so nothing was packed.`,
    where: source,
    hint: 'Restore the input.',
  };
}
