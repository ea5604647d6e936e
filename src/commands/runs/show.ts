/** `signals runs show`: the books of a run and of its replays, or its rows one by one. */
import path from 'node:path';
import { exists } from '../../journal/exists.ts';
import { readHandover } from '../../journal/handover.ts';
import { inspectRun } from '../../journal/inspect-run.ts';
import {
  type LineageRun,
  lineageOf,
  lineageRows,
  replayedBatches,
  rootRunOf,
} from '../../journal/lineage.ts';
import { lockHolder } from '../../journal/lock.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { findRows, ROW_STATES, type RowState } from '../../journal/run-rows.ts';
import { printable } from '../../lib/printable.ts';
import { createReasons } from '../../report/failure-reasons.ts';
import {
  familyText,
  type ListedRun,
  type RowStretch,
  rowLines,
  rowObjects,
  stepsOf,
} from '../../report/runs-text.ts';
import { exitCodeOf, summarise } from '../../report/summary.ts';
import { summaryText } from '../../report/summary-text.ts';
import { rowReason } from '../../run/locate-rows.ts';
import { rejectsInputsOf } from '../../run/replay-run.ts';
import { rejectsFileNames } from '../../run/run-files.ts';
import type { Command, Context, Options } from '../shared/command.ts';
import { destinationOptions } from '../shared/destination.ts';
import { suggestFor, text } from '../shared/options.ts';
import { COMMON, familyOf, folderOf, listed, replaysOf } from './runs-options.ts';

export const show = {
  name: 'show',
  arguments: '<run>',
  summary: 'show the summary of a run and its replays, or list its rows',
  options: [
    {
      flags: '--rows <state>',
      about: 'list the rows in this state: file:line and reason',
      choices: ROW_STATES,
    },
    ...COMMON,
  ],
  run,
} satisfies Command;

async function run(
  context: Context,
  [wanted = 'last']: readonly string[],
  options: Options,
): Promise<number> {
  const folder = await folderOf(context, options, wanted);
  const rows = text(options, 'rows');
  const state = ROW_STATES.find((name) => name === rows);
  return state === undefined
    ? showBooks(context, options, folder)
    : showRows(context, options, folder, state);
}

async function showBooks(context: Context, options: Options, folder: RunFolder): Promise<number> {
  const { streams } = context;
  const { members } = await familyOf(await rootRunOf(folder));
  const self = members.find((member) => member.folder.id === folder.id);
  if (self === undefined) throw new Error(`${folder.id} is missing from its own lineage`);
  const { file, isRunning } = self;
  const handedOver = (await readHandover(folder.path))?.time;
  const reasons = createReasons();
  const { ledger, seconds, rejectedRows, ended } = await inspectRun(folder.path, isRunning, {
    onEvent: reasons.on,
  });
  const books = summarise(ledger, {
    exitCode: exitCodeOf(ledger),
    folder: folder.path,
    seconds,
    warnings: [],
  });
  const lines = members.map((member) => listed({ members: replaysOf(members, member), handedOver }));
  const run = lines.find((line) => line.run === file.run);
  const together = members.length > 1 ? lineageRows(members) : undefined;

  if (options['json'] === true) {
    const about = {
      state: isRunning ? 'running' : books.state,
      ...(file.parent === undefined ? {} : { parent: file.parent }),
      ...(handedOver === undefined ? {} : { handedOver }),
      left: run?.left,
      next: run?.next,
      ...(together === undefined ? {} : { family: { rows: together, runs: lines.map(kinObject) } }),
    };
    streams.out(`${JSON.stringify({ ...books, ...about })}\n`);
    return 0;
  }

  const suggest = suggestFor(context, options, destinationOptions(file));
  const at = (name: string): string => path.join(folder.path, name);
  const { refused, exhausted, unknown } = books.batches;
  // What was under way when a run was killed is written there by a resume, and not before.
  const hasUndelivered = refused + exhausted + unknown > 0 && (await exists(at('undelivered.ndjson')));
  const said = [
    ...(file.parent === undefined ? [] : [`A replay of ${printable(file.parent)}.`]),
    ...(isRunning ? ['A process works on this run now: these are its books so far.'] : []),
    ...(ended || isRunning
      ? []
      : ['The program was killed, or the machine went down: what was under way then is unknown.']),
  ];
  const body = summaryText(
    ledger,
    books,
    {
      destination: file.sandbox ? 'the sandbox' : file.baseUrl,
      sandbox: file.sandbox,
      suggest,
      files: {
        results: at('results.csv'),
        ...(file.parent === undefined ? { mapping: at('mapping.yaml') } : {}),
        rejects: rejectsFiles(self, rejectedRows),
        ...(hasUndelivered ? { undelivered: at('undelivered.ndjson') } : {}),
      },
      reasons,
      // The books of one run alone do not know what a replay has delivered since.
      ...(together === undefined && handedOver === undefined && !isRunning
        ? {}
        : { next: lines.flatMap((line) => stepsOf(line, suggest)) }),
    },
    streams.style.out,
  );
  const kin = together === undefined ? [] : [familyText(lines, together, streams.style.out)];
  streams.out(`${[...(said.length === 0 ? [] : [said.join('\n')]), body, ...kin].join('\n\n')}\n`);
  return 0;
}

function kinObject({ run, parent, state, rows, left, next }: ListedRun): object {
  return { run, ...(parent === undefined ? {} : { parent }), state, rows, left, next };
}

function rejectsFiles(
  { folder, file }: LineageRun,
  rows: Readonly<Record<number, number>>,
): readonly { readonly path: string; readonly rows: number }[] {
  const names = rejectsFileNames(rejectsInputsOf(file));
  return names.flatMap((name, source) => {
    const count = rows[source] ?? 0;
    return count === 0 ? [] : [{ path: path.join(folder.path, 'rejects', name), rows: count }];
  });
}

async function showRows(
  context: Context,
  options: Options,
  folder: RunFolder,
  state: RowState,
): Promise<number> {
  const { streams } = context;
  const kin = await lineageOf(folder);
  const [self, ...replays] = kin;
  if (self === undefined) throw new Error('a run is missing from its own lineage');
  const names = self.file.inputs.map(({ source }) => source);
  const isRunning = (await lockHolder(folder.path)) !== undefined;
  const found = await findRows(folder.path, isRunning, new Set([state]));
  const taken = replayedBatches(replays, self.file.run);
  const stretches = found.map((rows): RowStretch => {
    const replay = rows.batch === undefined ? undefined : taken.get(rows.batch.batch);
    return {
      source: rows.source,
      span: rows.span,
      ...(rows.batch === undefined ? {} : { batch: rows.batch.batch }),
      ...(rows.skipped === undefined ? {} : { lastLine: rows.skipped.lastLine }),
      reason: rowReason(rows, names) + (replay === undefined ? '' : `; replayed by ${replay}`),
    };
  });
  if (options['json'] !== true) {
    for (const stretch of stretches) {
      for (const line of rowLines(names, stretch)) streams.out(`${line}\n`);
    }
    return 0;
  }
  // Piece by piece: there may be millions.
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
