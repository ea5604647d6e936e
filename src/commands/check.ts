/** `signals check`: what an upload would send, what is invalid, and how long it would take. Sends nothing. */
import { type Plan, planRun } from '../plan/index.ts';
import { checkText } from '../report/check-text.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { stateFolder } from '../settings/state-folder.ts';
import { type CheckEnvironment, type Checked, checkPlan } from './shared/check-plan.ts';
import { type Context, defineCommand } from './shared/command.ts';
import { createObservers } from './shared/observers.ts';
import type { OptionValues } from './shared/option.ts';
import { givenSettings, type OutputOptions, outputOptions, planOptions, serviceOptions } from './shared/options.ts';
import { createRunProgress, printResult } from './shared/output.ts';
import { closePlan, inputsOf, planRequest } from './shared/plan-request.ts';
import { withResources } from './shared/resources.ts';
import { divideSettings, parseShard } from './shared/shard.ts';
import { createSuggest } from './shared/suggest.ts';

const checkOptions = { ...planOptions, ...serviceOptions, ...outputOptions };

/** `upload --dry-run --sandbox` has `sandbox`. */
type CheckOptions = OptionValues<typeof checkOptions> & { readonly sandbox?: boolean };

export const command = defineCommand({
  options: checkOptions,
  more: ['Examples:', '  signals check fixtures/signals.csv', '  signals check export.csv --json --rate 10/s'],
  run: runCheck,
});

export async function runCheck(context: Context, files: readonly string[], options: CheckOptions): Promise<number> {
  const { streams, argv } = context;
  const suggest = createSuggest(context, options);
  const shard = parseShard(options.shard, context.env);
  const { settings: whole, warnings } = await resolveSettings(givenSettings(context, options));
  const settings = divideSettings(whole, shard);
  const request = planRequest(context, inputsOf(files, context, suggest), options, settings, suggest);
  return withResources(async (own) => {
    const plan = own(await planRun(request, streams.stdin), closePlan);
    const { result, summary } = await withProgress(context, options, plan, (environment) =>
      checkPlan(environment, plan, { settings, shard, options, warnings }),
    );
    const isPiped = plan.job.inputs.some(({ source }) => source.size === undefined);
    // The same arguments for `signals upload`.
    const upload = ['upload', ...argv.slice(1).filter((word) => word !== '--dry-run')];
    printResult(context, options, summary, (style) => checkText(result, { suggest, upload, isPiped }, style));
    return summary.exitCode;
  });
}

async function withProgress(
  context: Context,
  options: OutputOptions,
  { job }: Plan,
  work: (environment: CheckEnvironment) => Promise<Checked>,
): Promise<Checked> {
  const { env, signal, streams, takeSignals } = context;
  const { progress: isShown, quiet, verbose, logInterval } = options;
  const checking = { checking: true } as const;
  const progress = await createRunProgress(context, options, job, checking);
  const observers = createObservers(streams, { verbose, logInterval }, job, checking);
  const readers = [...observers.readers, ...(isShown && !quiet ? [progress.on] : [])];
  try {
    const done = await work({ signal, onBegin: takeSignals, state: stateFolder(env), readers });
    observers.end(done.summary);
    return done;
  } finally {
    progress.stop();
    observers.stop();
  }
}
