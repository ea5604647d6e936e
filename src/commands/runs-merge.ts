/** `signals runs merge`: one balance of all shards of a divided upload. */
import path from 'node:path';
import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { type RunView, viewRun } from '../app/run-context.ts';
import { mergeShards, shardText } from '../app/shard.ts';
import type { RunFile } from '../journal/run-file.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Shard } from '../model/batch.ts';
import { firstExitCode } from '../model/exit-code.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { ShardSummary } from '../model/summary.ts';
import { usageError } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { dividedRun, shardDifferences } from '../options/run-options.ts';
import { detailText, endingText } from '../report/ending-text.ts';
import { isSending, nextCommand, nextStep, replaceOption } from '../report/next-step.ts';
import { exitCodeOf, type RunContext, summaryOf } from '../report/run-summary.ts';
import { shardsText } from '../report/runs-text.ts';
import { nameList } from '../report/text-layout.ts';
import { defineCommand } from './command.ts';
import { printAnswer } from './screen/print.ts';

type ShardFile = RunFile & { readonly shard: Shard };

interface ShardView extends RunView {
  readonly file: ShardFile;
}

export const command = defineCommand({
  options: { ...sharedOptions('runs merge'), ...commonOptions },
  more: ['Examples:', '  signals runs merge signals-runs/nightly-*of8'],
  async run(context, wanted, options) {
    const views: ShardView[] = [];
    for (const one of wanted) {
      const view = await viewRun(context, options, await findRunFolder(context, options, one));
      views.push({ ...view, file: shardFileOf(view.file) });
    }
    views.sort((one, other) => one.file.shard.index - other.file.shard.index);
    const [first] = views;
    if (first === undefined) throw usageError('Name the runs of all shards.');
    const { suggest } = first.context;
    const problems = problemsOf(first, views, suggest);
    if (problems.length > 0) throw new ProblemError(problems);

    const shards = views.map(shardSummary);
    const folder = path.dirname(first.folder.path);
    const rejects = views.flatMap((view) => view.context.rejects);
    const isRunning = views.some((view) => view.isRunning);
    const about: RunContext = {
      ...first.context,
      folder,
      rejects,
      isRunning,
      exit: { ...first.context.exit, ...options },
    };
    const runState = mergeShards(views.map((view) => view.runState));
    const unfinished = shards.filter(({ state }) => state !== 'complete');
    const exitCode = firstExitCode([exitCodeOf(runState, about.exit), ...unfinished.map((shard) => shard.exitCode)]);
    const steps = views.flatMap((view) => nextStep(view.runState, view.context) ?? []);
    const step = steps.find(isSending) ?? steps[0];
    const style = context.streams.style.out;
    const summary = { ...summaryOf(runState, about), exitCode, next: nextCommand(step, suggest), shards };
    const text = [
      shardsText(shards, style),
      endingText(runState, about, style, { step, hasReasons: false }),
      detailText(runState, about, style),
    ];
    printAnswer(context, options, summary, text.join('\n\n'));
    return exitCode;
  },
});

/** @throws ProblemError `merge.not_shard` */
function shardFileOf(file: RunFile): ShardFile {
  const { shard, run } = file;
  if (shard !== undefined) return { ...file, shard };
  throw new ProblemError({
    code: 'merge.not_shard',
    message: `${run} is not a shard: it was started without --shard and sent the whole input.`,
    hint: 'Leave it out.',
  });
}

/** Why the runs do not add up to one upload. */
function problemsOf(first: ShardView, views: readonly ShardView[], suggest: Suggest): readonly Problem[] {
  const { of } = first.file.shard;
  const differing = views.flatMap((view) => differenceProblem(first, view));
  // Shards of another number would be reported as missing too.
  if (differing.length > 0) return differing;
  return Array.from({ length: of }, (_, index) => {
    const same = views.filter(({ file }) => file.shard.index === index).map(({ file }) => file.run);
    if (same.length === 0) return [missing(first.file, { index, of }, suggest)];
    return same.length === 1 ? [] : [doubled({ index, of }, same)];
  }).flat();
}

function differenceProblem(first: ShardView, view: ShardView): readonly Problem[] {
  const divided = ({ file, folder }: ShardView) => dividedRun(file, folder.path);
  const digestsOf = ({ runState }: ShardView) => runState.sources.map(({ digest }) => digest);
  const [one, other] = [digestsOf(first), digestsOf(view)];
  const isOtherData = one.some((digest, index) => {
    const known = other[index];
    return digest !== undefined && known !== undefined && digest !== known;
  });
  const differences = [
    ...shardDifferences(divided(first), divided(view)),
    ...(isOtherData ? ['the contents of the inputs'] : []),
  ];
  if (differences.length === 0) return [];
  return [
    {
      code: 'merge.differs',
      message: `${view.file.run} (shard ${shardText(view.file.shard)}) and ${first.file.run} (shard ${shardText(first.file.shard)}) are not shards of the same upload: ${nameList(differences)} differ.`,
      hint: 'Shards with different inputs, mapping or settings cut other batches, so rows may be missing or sent twice.',
    },
  ];
}

function missing(like: ShardFile, shard: Shard, suggest: Suggest): Problem {
  const words = replaceOption(like.argv, '--shard', shardText(shard));
  return {
    code: 'merge.missing',
    message: `Shard ${shardText(shard)} is missing: none of the runs has sent its batches.`,
    hint: `Name its run, or run it: \`${suggest(...words)}\`.`,
  };
}

function doubled(shard: Shard, runs: readonly string[]): Problem {
  return {
    code: 'merge.doubled',
    message: `Shard ${shardText(shard)} is there ${runs.length} times: ${nameList(runs)}. Its rows would count ${runs.length} times.`,
    hint: 'Name one of them. If both have sent rows, these rows were delivered twice.',
  };
}

function shardSummary({ file, isRunning, runState, context }: ShardView): ShardSummary {
  const { state, exitCode, rows, inputs } = summaryOf(runState, context);
  const step = nextStep(runState, context);
  return {
    shard: file.shard,
    run: file.run,
    state: isRunning ? 'running' : state,
    exitCode,
    rows,
    rejects: inputs.flatMap(({ rejects }) => rejects ?? []),
    next: isSending(step) ? nextCommand(step, context.suggest) : null,
  };
}
