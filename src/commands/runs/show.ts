/** `signals runs show`: the summary of a run and its replays, or its rows one by one. */
import { lineageOf, replayedBatches } from '../../journal/lineage.ts';
import { lockHolder } from '../../journal/lock.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { findRows, ROW_STATES, type RowState } from '../../journal/run-rows.ts';
import { choice, type OptionValues } from '../../options/option-spec.ts';
import { lineageText, type RowStretch, rowLines, rowObjects } from '../../report/runs-text.ts';
import { rowReason } from '../../run/locate-rows.ts';
import { type Context, defineSubcommand } from '../shared/command.ts';
import { introduction, viewRun } from '../shared/run-view.ts';
import { commonOptions, findRunFolder } from '../shared/stored-runs.ts';

const showOptions = {
  rows: choice('--rows <state>', 'list the rows in this state: file:line and reason', ROW_STATES),
  ...commonOptions,
};

type ShowOptions = OptionValues<typeof showOptions>;

export const show = defineSubcommand({
  name: 'show',
  arguments: '<run>',
  summary: 'show the summary of a run and its replays, or list its rows',
  options: showOptions,
  async run(context, [wanted = 'last'], options) {
    const folder = await findRunFolder(context, options, wanted);
    const { rows } = options;
    return rows === undefined ? showSummary(context, options, folder) : showRows(context, options, folder, rows);
  },
});

async function showSummary(context: Context, options: ShowOptions, folder: RunFolder): Promise<number> {
  const { streams } = context;
  const view = await viewRun(context, options, folder);
  const { self, summary, handedOver, lines, totals, suggest } = view;
  if (options.json) {
    const about = {
      state: self.isRunning ? 'running' : summary.state,
      parent: self.file.parent,
      handedOver,
      left: lines.find(({ run }) => run === self.file.run)?.left,
      lineage: totals && {
        rows: totals,
        runs: lines.map(({ run, parent, state, rows, left, next }) => {
          return { run, parent, state, rows, left, next: next && suggest(...next) };
        }),
      },
    };
    streams.json({ ...summary, ...about });
    return 0;
  }
  const style = streams.style.out;
  const parts = [
    ...[introduction(view).join('\n')].filter(Boolean),
    ...(totals === undefined ? [] : [lineageText(lines, totals, style)]),
    view.text(style),
  ];
  streams.print(`${parts.join('\n\n')}\n`);
  return 0;
}

async function showRows(context: Context, options: ShowOptions, folder: RunFolder, state: RowState): Promise<number> {
  const { streams } = context;
  const [self, ...replays] = await lineageOf(folder);
  const names = self.file.inputs.map(({ source }) => source);
  const isRunning = lockHolder(folder.path) !== undefined;
  const found = await findRows(folder.path, isRunning, new Set([state]));
  const taken = replayedBatches(replays, self.file.run);
  const stretches = found.map((rows): RowStretch => {
    const replay = rows.batch === undefined ? undefined : taken.get(rows.batch.batch);
    return {
      source: rows.source,
      span: rows.span,
      batch: rows.batch?.batch,
      lastLine: rows.skipped?.lastLine,
      reason: rowReason(rows, names) + (replay === undefined ? '' : `; replayed by ${replay}`),
    };
  });
  if (!options.json) {
    for (const stretch of stretches) {
      for (const line of rowLines(names, stretch)) streams.out(`${line}\n`);
    }
    return 0;
  }
  // Written row by row: there may be millions.
  streams.out(`{"run":${JSON.stringify(self.file.run)},"state":"${state}","rows":[`);
  let first = true;
  for (const stretch of stretches) {
    for (const row of rowObjects(names, stretch)) {
      streams.out(`${first ? '' : ','}${JSON.stringify(row)}`);
      first = false;
    }
  }
  streams.out(']}\n');
  return 0;
}
