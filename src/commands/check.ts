/** `signals check`: what an upload would send, what is invalid, and how long it would take. Sends nothing. */

import type { OptionValues } from '../options/option-spec.ts';
import { givenSettings, outputOptions, planOptions, serviceOptions } from '../options/option-table.ts';
import { resolveSettings } from '../options/resolve-settings.ts';
import { stateFolder } from '../options/state-folder.ts';
import { createSuggest } from '../options/suggest.ts';
import { closePlan } from '../plan/close-plan.ts';
import { planRun } from '../plan/index.ts';
import { checkText } from '../report/check-text.ts';
import { checkPlan } from './shared/check-plan.ts';
import { type Context, defineCommand } from './shared/command.ts';
import { observe } from './shared/observers.ts';
import { printResult } from './shared/output.ts';
import { inputsOf, planRequest } from './shared/plan-request.ts';
import { withResources } from './shared/resources.ts';
import { divideSettings, parseShard } from './shared/shard.ts';

const checkOptions = { ...planOptions, ...serviceOptions, ...outputOptions };

/** `upload --dry-run --sandbox` has `sandbox`. */
type CheckOptions = OptionValues<typeof checkOptions> & { readonly sandbox?: boolean };

export const command = defineCommand({
  options: checkOptions,
  more: ['Examples:', '  signals check fixtures/signals.csv', '  signals check export.csv --json --rate 10/s'],
  run: runCheckCommand,
});

export async function runCheckCommand(
  context: Context,
  files: readonly string[],
  options: CheckOptions,
): Promise<number> {
  const { streams, env, signal, argv, takeSignals } = context;
  const suggest = createSuggest(context, options);
  const shard = parseShard(options.shard, env);
  const { settings: whole, warnings } = await resolveSettings(givenSettings(context, options));
  const settings = divideSettings(whole, shard);
  const request = planRequest(context, inputsOf(files, context, suggest), options, settings, suggest);
  return withResources(async (own) => {
    const plan = own(await planRun(request, streams.stdin), closePlan);
    // `upload --dry-run` has --metrics-file, but its metrics are those of runs.
    const observed = { ...options, metricsFile: undefined };
    const result = await observe(context, observed, { job: plan.job, checking: true }, ({ readers }) =>
      checkPlan({ signal, onBegin: takeSignals, state: stateFolder(env), readers }, plan, {
        settings,
        shard,
        options,
        warnings,
      }),
    );
    const isPiped = plan.job.inputs.some(({ source }) => source.size === undefined);
    // The same arguments for `signals upload`.
    const upload = ['upload', ...argv.slice(1).filter((word) => word !== '--dry-run')];
    printResult(context, options, result.summary, (style) => checkText(result, { suggest, upload, isPiped }, style));
    return result.summary.exitCode;
  });
}
