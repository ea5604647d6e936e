/** `signals runs show`: the summary of a run, or its rows one by one. */
import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { summarise, viewRun } from '../app/run-context.ts';
import { contracts } from '../contract/index.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { plural } from '../lib/units.ts';
import { choice } from '../options/option-spec.ts';
import { leftRows } from '../report/ending-text.ts';
import { factsOf } from '../stored-runs/catalogue.ts';
import { findRows, ROW_STATES, type RowStateName } from '../stored-runs/run-rows.ts';
import { type Context, defineCommand } from './command.ts';
import { printAnswer } from './screen/print.ts';

export const command = defineCommand({
  options: {
    rows: choice('state', ROW_STATES, 'list the rows in this state: file:line and reason'),
    ...commonOptions,
  },
  async run(context, [wanted = 'last'], options) {
    const folder = await findRunFolder(context, options, wanted);
    const { rows, json } = options;
    if (rows !== undefined) return showRows(context, json, folder, rows);
    const { isRunning, runState, context: about } = await viewRun(context, options, folder);
    const { summary, text } = summarise(runState, about);
    const state = isRunning ? 'running' : summary.state;
    const left = leftRows(factsOf(runState), about);
    const answer = { ...summary, state, handedOver: runState.handedOver, left };
    return printAnswer(context, options, answer, text(context.streams.style.out, true));
  },
});

async function showRows(context: Context, json: boolean, folder: RunFolder, state: RowStateName): Promise<number> {
  const { oneByOne, rowText } = await import('../app/find-rows.ts');
  const { streams } = context;
  const { rows: found, run } = await findRows(folder, new Set([state]));
  const names = run.file.inputs.map(({ source }) => source);
  if (!json) {
    for (const rows of found) for (const row of oneByOne(rows, names)) streams.out(`${rowText(row)}\n`);
    const listed = found.reduce((sum, { span: [, , rows] }) => sum + rows, 0);
    const open = state === 'rejected' ? run.runState.service.rejected - listed : 0;
    if (open > 0) {
      const explain = context.suggest('runs', 'explain', run.file.run);
      const how =
        contracts[run.file.type].deduplicates && !run.file.sandbox
          ? ` To find ${open === 1 ? 'it' : 'them'}: ${explain}`
          : '';
      streams.err(`The service does not say which ${open === 1 ? 'row' : plural(open, 'row')} it rejected.${how}\n`);
    }
    return 0;
  }
  // Written row by row: there may be millions.
  streams.out(`{"run":${JSON.stringify(run.file.run)},"state":"${state}","rows":[`);
  let first = true;
  for (const rows of found) {
    for (const row of oneByOne(rows, names)) {
      streams.out(`${first ? '' : ','}${JSON.stringify(row)}`);
      first = false;
    }
  }
  streams.out(']}\n');
  return 0;
}
