/** `signals check`: what an upload would send, what is invalid, and how long it would take. Sends nothing. */
import { checkPlan } from '../app/check-plan.ts';
import { inputsOf, planRequest, resolveRequest } from '../app/plan-request.ts';
import { withResources } from '../lib/resources.ts';
import { sharedOptions } from '../options/option-table.ts';
import { stateFolder } from '../options/state-folder.ts';
import { closePlan, planRun } from '../plan/index.ts';
import { checkText } from '../report/check-text.ts';
import { defineCommand } from './command.ts';
import { observe } from './screen/observers.ts';
import { printResult } from './screen/print.ts';

export const command = defineCommand({
  options: sharedOptions('check'),
  more: [
    'Examples:',
    '  signals fields signals --template csv > signals.csv',
    '  signals check signals.csv',
    '  signals check export.csv --json --rate 10/s',
  ],
  async run(context, files, options) {
    const { streams, env, signal, argv, takeSignals, suggest } = context;
    const request = await resolveRequest(context, options);
    const { settings } = request;
    const planning = planRequest(context, inputsOf(files, context, suggest), options, { settings, suggest });
    return withResources(async (adopt) => {
      const plan = adopt(await planRun(planning, streams.stdin), closePlan);
      const observed = { job: plan.job, checking: true, logIntervalMs: settings.logInterval };
      const result = await observe(context, options, observed, ({ readers }) =>
        checkPlan(adopt, { signal, onBegin: takeSignals, state: stateFolder(env), readers }, plan, {
          request,
          options,
        }),
      );
      const isDetailed = options.verbose;
      // The same arguments for `signals upload`.
      const upload = ['upload', ...argv.slice(1)];
      printResult(context, options, result.summary, (style) =>
        checkText(result, { suggest, upload, isDetailed }, style),
      );
      return result.summary.exitCode;
    });
  },
});
