/** `signals check`: what an upload would send, what is invalid, and how long it would take. Sends nothing. */
import type { Ledger } from '../model/ledger.ts';
import { parseNoteKey } from '../model/note.ts';
import type { Shard } from '../model/shard.ts';
import { type Plan, planRun } from '../plan/index.ts';
import { headRows, type PrepareJob, sampleRecord } from '../prepare/index.ts';
import { type CheckResult, checkText, minUploadMs } from '../report/check-text.ts';
import { exitCodeOf } from '../report/exit-code.ts';
import { createReasons } from '../report/failure-reasons.ts';
import { Quality } from '../report/quality.ts';
import { SuggestionCollector } from '../report/suggestions.ts';
import { isBalanced, omittedValues, sumSentBefore } from '../report/summary.ts';
import { runCheck as checkJob, createQualityObserver } from '../run/check-run.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { type Context, type Work, withOptions } from './shared/command.ts';
import type { OptionValues } from './shared/option.ts';
import { givenSettings, outputOptions, planOptions, serviceOptions } from './shared/options.ts';
import { createRunProgress, printResult } from './shared/output.ts';
import { closePlan, inputsOf, planRequest } from './shared/plan-request.ts';
import { dividedJob, recall } from './shared/run-history.ts';
import { describeShard, divideSettings, parseShard } from './shared/shard.ts';
import { createSuggest } from './shared/suggest.ts';

const checkOptions = { ...planOptions, ...serviceOptions, ...outputOptions };

/** `upload --dry-run --sandbox` has `sandbox`. */
type CheckOptions = OptionValues<typeof checkOptions> & { readonly sandbox?: boolean };

export const command = {
  ...withOptions(checkOptions, runCheck),
  more: ['Examples:', '  signals check fixtures/signals.csv', '  signals check export.csv --json --rate 10/s'].join(
    '\n',
  ),
} satisfies Work;

const ALL_ROWS = 'The data quality is that of the whole input.';

export async function runCheck(context: Context, files: readonly string[], options: CheckOptions): Promise<number> {
  const { streams, argv, signal } = context;
  const suggest = createSuggest(context, options);
  const shard = parseShard(options.shard, context.env);
  const resolved = await resolveSettings(givenSettings(context, options));
  const settings = divideSettings(resolved.settings, shard);
  const request = planRequest(context, inputsOf(files, context, suggest), options, settings, suggest);
  const plan = await planRun(request, streams.stdin);
  const isPiped = plan.job.inputs.some(({ source }) => source.size === undefined);
  const { ledger, checked } = await checkPlan(context, options, plan, shard, settings.baseUrl);
  const exitCode = exitCodeOf(ledger, {
    failOn: options.failOn,
    signal: signal.reason as NodeJS.Signals | undefined,
    isCheck: true,
  });
  const result = {
    ...checked,
    description: [
      ...plan.description,
      ...(shard === undefined ? [] : [`${describeShard(shard, settings)} ${ALL_ROWS}`]),
    ],
    rate: settings.rate,
    warnings: [...resolved.warnings, ...checked.warnings],
  };
  // The same arguments for `signals upload`.
  const upload = ['upload', ...argv.slice(1).filter((word) => word !== '--dry-run')];
  printResult(context, options, asJson(result, ledger, exitCode), (style) =>
    checkText(result, { suggest, upload, isPiped }, style),
  );
  return exitCode;
}

/** Prepares every batch of a plan, and closes its inputs. */
async function checkPlan(
  context: Context,
  options: CheckOptions,
  plan: Plan,
  shard: Shard | undefined,
  baseUrl: string | undefined,
): Promise<{ readonly ledger: Ledger; readonly checked: CheckResult }> {
  const { job, inputs, description } = plan;
  const { type } = job.contract;
  const progress = await createRunProgress(context, job, true);
  const reasons = createReasons();
  const mapped = new Set(job.inputs.flatMap(({ mapping }) => mapping.fields));
  const quality = new Quality(job.contract, job.variant, mapped);
  const required = new Set(
    job.contract.fieldsOf(job.variant).flatMap((each) => (each.required ? [each.field.name] : [])),
  );
  const suggestions = new SuggestionCollector((field) => !required.has(field));
  for await (const { input, row } of headRows(job)) {
    suggestions.addCandidate(row.position, input.mapping.applyAll(row).candidate, input.mapping.columnOf);
  }
  const sample = await sampleRecord(job);
  // The sandbox starts empty, and without a base URL the service is not known.
  const service = baseUrl === undefined || options.sandbox === true ? undefined : { type, baseUrl };
  const { warnings, ...recalled } = await recall(context, options, type, service, new Date());
  // The batches of a shard are built: earlier runs may have sent some of their records.
  const sent = shard === undefined ? false : undefined;
  let bytes = 0;
  context.takeSignals();
  try {
    const ledger = await checkJob(
      {
        ...job,
        sent,
        observer: createQualityObserver(quality),
        ...dividedJob(recalled, { shard }),
      },
      context.signal,
      (position, issues) => {
        reasons.add(position, issues);
        suggestions.addIssues(position, issues);
      },
      (event, ledger) => {
        if (event.event === 'batch.sealed') bytes += event.bytes;
        if (options.progress && !options.quiet) progress.on(event, ledger);
      },
    );
    const { variant, notes, firstNotes, sentBefore } = ledger;
    const { read, invalid, skipped, duplicate, pending: valid } = ledger.rows;
    const checked = {
      ...{ type, variant, inputs, description },
      rows: { read, valid, invalid, skipped, duplicate },
      requests: ledger.batches.sealed,
      ...{ bytes, reasons, notes, firstNotes, sentBefore, sample, warnings },
      quality: quality.result(),
      suggestions: suggestions.result(columnsWithoutZone(ledger, job)),
    };
    return { ledger, checked };
  } finally {
    progress.stop();
    await closePlan(plan);
  }
}

/** The columns of date-times without an offset that are sent as they are, by field. */
function columnsWithoutZone({ notes }: Ledger, { inputs: [input] }: PrepareJob): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...notes.keys()].flatMap((key) => {
      const note = parseNoteKey(key);
      const column = note?.code === 'no_offset' ? input?.mapping.columnOf(note.field) : undefined;
      return note === undefined || column === undefined ? [] : [[note.field, column]];
    }),
  );
}

/** Uses the names of summary.json for everything that exists without sending. */
function asJson(result: CheckResult, ledger: Ledger, exitCode: number) {
  const { reasons, notes, firstNotes, sample, sentBefore, ...rest } = result;
  const ms = minUploadMs(result);
  return {
    dryRun: true,
    ...rest,
    atLeastSeconds: ms === undefined ? undefined : ms / 1000,
    state: ledger.state,
    exitCode,
    balanced: isBalanced(ledger),
    invalid: reasons.invalid(),
    notes: Object.fromEntries(notes),
    omitted: omittedValues(ledger),
    sentBefore: sumSentBefore(sentBefore),
    sample: sample === undefined ? undefined : JSON.parse(sample),
  };
}
