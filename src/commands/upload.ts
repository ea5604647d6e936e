/** `signals upload`: reads, maps, validates, batches and sends files. */
import { planAsking } from '../app/ask-mapping.ts';
import { type Destination, openSandbox, openService } from '../app/destination.ts';
import { inputsOf, planRequest, resolveRequest } from '../app/plan-request.ts';
import { runNamed } from '../app/run-id.ts';
import { uploadPlan } from '../app/send-run.ts';
import { describeShard, parseShard } from '../app/shard.ts';
import { printable } from '../lib/printable.ts';
import { withResources } from '../lib/resources.ts';
import { formatNames } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import type { OptionValues } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { createSuggest } from '../options/suggest.ts';
import { closePlan, type Plan } from '../plan/index.ts';
import { Cancelled } from '../questions/question.ts';
import { replaceOption } from '../report/next-step.ts';
import { type Context, defineCommand } from './command.ts';
import { withOnEnd } from './screen/on-end.ts';
import { announce, showResume, showRun } from './screen/show-run.ts';

const options = sharedOptions('upload');

type UploadOptions = OptionValues<typeof options>;

export const command = defineCommand({
  options,
  more: [
    `FILES are ${formatNames('or')} files, also compressed (.gz), a folder or a zip archive with`,
    'such files, or a pattern such as "*.csv". "-", or no file, reads stdin.',
    '',
    'Examples:',
    '  signals fields signals --template csv > signals.csv',
    '  signals upload signals.csv --sandbox',
    "  signals upload deals.csv -c 'signal_title={Deal} won' --set signal_source=news",
    '  psql -c "COPY (…) TO STDOUT CSV HEADER" | signals upload - --type social',
  ],
  run: (context, files, options) =>
    withOnEnd(context, options, async () => {
      const begin = (): Promise<number> => runUpload(context, files, options);
      if (options.runId === undefined) return begin();
      const named = { name: options.runId, shard: parseShard(options.shard, context.env) };
      const given = { ...options, unknown: false, refused: false, input: [] };
      return runNamed(
        context,
        { files, named, options },
        { begin, resume: (folder, intent) => showResume(context, given, folder, intent) },
      );
    }),
});

async function runUpload(context: Context, files: readonly string[], options: UploadOptions): Promise<number> {
  const { streams, suggest } = context;
  const { sandbox } = options;
  const request = await resolveRequest(context, options);
  const baseUrl = sandbox ? undefined : request.settings.baseUrl;
  const { settings, shard } = request;
  const inputs = planRequest(context, inputsOf(files, context, suggest), options, { settings, suggest });
  if (!sandbox && baseUrl === undefined) throw noService(context);

  return withResources(async (adopt) => {
    const asking = { ...inputs, mayAsk: streams.interactive };
    const plan = adopt(await planAsking(context, asking, baseUrl), closePlan);
    const destination =
      baseUrl === undefined ? await openSandbox(adopt) : await openService(context, suggest, request, baseUrl);
    const warnings = [...request.warnings, ...destination.warnings];
    announce(
      context,
      // The summary has the plan's warnings; only a user who can still stop needs them before.
      [...warnings, ...(streams.interactive ? [...plan.skipped, ...plan.warnings] : [])],
      [
        ...(options.verbose ? describePlan(plan, destination) : plan.brief),
        ...(shard === undefined ? [] : [describeShard(shard)]),
      ],
    );
    await confirmPlan(context, plan, destination);

    return showRun(context, options, { job: plan.job, logIntervalMs: settings.logInterval }, (environment) =>
      uploadPlan(adopt, environment, plan, {
        request,
        destination,
        options,
        warnings,
        // --again is consent to send this input again. It covers neither its rejects nor a run that was handed over.
        suggest: createSuggest(context, { ...options, again: false }),
        argv: context.argv,
      }),
    );
  });
}

function describePlan(plan: Plan, destination: Destination): readonly string[] {
  return [
    ...(destination.sandbox
      ? [`Sandbox: sending to a local mock at ${destination.baseUrl}. Nothing leaves this machine.`]
      : []),
    ...plan.inputs.map(({ name, description }) => `${name}: ${description.join(', ')}.`),
    ...plan.description,
  ];
}

/** Asks before inputs of an automatic mapping that cannot be changed, such as named pipes, are sent. */
async function confirmPlan(
  { streams, prompts }: Context,
  plan: Plan,
  { baseUrl, sandbox }: Destination,
): Promise<void> {
  if (!plan.isGuess || sandbox || prompts === undefined) return;
  if (await prompts.confirm(`Send to ${printable(baseUrl)}?`)) return;
  streams.err('Change the mapping with --column and --set, or pass a mapping file with -m.\n');
  throw new Cancelled();
}

function noService({ argv, suggest }: Context): ProblemError {
  return new ProblemError({
    code: 'settings.base_url',
    message: 'No service URL is configured.',
    hint: [
      `To try it without a service: \`${suggest(...replaceOption(argv, '--sandbox'))}\`.`,
      `To set up a service: \`${suggest('config', 'init')}\` on a terminal; elsewhere SIGNALS_BASE_URL and SIGNALS_API_KEY, or --base-url.`,
    ].join('\n'),
  });
}
