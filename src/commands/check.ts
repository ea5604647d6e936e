/** `signals check`: what an upload would send, what is invalid, and how long it would take. Sends nothing. */
import type { Ledger } from '../model/ledger.ts';
import type { Problem } from '../model/problem.ts';
import { type Plan, planRun } from '../plan/index.ts';
import { sampleRecord } from '../prepare/index.ts';
import { type CheckResult, checkText, minUploadMs } from '../report/check-text.ts';
import { exitCodeOf } from '../report/exit-code.ts';
import { createReasons } from '../report/failure-reasons.ts';
import { Quality } from '../report/quality.ts';
import { isBalanced, sumSentBefore } from '../report/summary.ts';
import { runCheck as checkJob, createQualityObserver } from '../run/check-run.ts';
import { textSizeOf } from '../run/run-inputs.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { createProgress, loadBars } from '../terminal/progress.ts';
import { type Context, type Work, withOptions } from './shared/command.ts';
import type { OptionValues } from './shared/option.ts';
import { givenSettings, outputOptions, planOptions, serviceOptions } from './shared/options.ts';
import { closePlan, inputsOf, planRequest } from './shared/plan-request.ts';
import { recall } from './shared/run-history.ts';
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

export async function runCheck(context: Context, files: readonly string[], options: CheckOptions): Promise<number> {
  const { streams } = context;
  const suggest = createSuggest(context, options);
  const { settings, warnings } = await resolveSettings(givenSettings(context, options));
  const request = planRequest(context, inputsOf(files, context, suggest), options, settings, suggest);
  const plan = await planRun(request, streams.stdin);
  const { baseUrl, rate } = settings;
  const checked = await checkPlan(context, options, plan, baseUrl);
  const { ledger } = checked;
  const exitCode = exitCodeOf(ledger, {
    failOn: options.failOn,
    signal: context.signal.reason as NodeJS.Signals | undefined,
    isCheck: true,
  });
  const result: CheckResult = {
    ...resultOf(plan, checked),
    ...(rate === undefined ? {} : { rate }),
    warnings: [...warnings, ...checked.warnings],
  };
  if (options.json) streams.out(`${JSON.stringify(asJson(result, ledger, exitCode))}\n`);
  if (options.quiet && exitCode === 0) return exitCode;
  const toStderr = options.json || options.quiet;
  const isPiped = plan.job.inputs.some(({ source }) => source.size === undefined);
  const text = checkText(
    result,
    { suggest, upload: uploadWords(context), isPiped },
    toStderr ? streams.style.err : streams.style.out,
  );
  if (toStderr) streams.err(`${text}\n`);
  else streams.out(`${text}\n`);
  return exitCode;
}

/** Prepares every batch of a plan, and closes its inputs. */
async function checkPlan(
  context: Context,
  options: CheckOptions,
  plan: Plan,
  baseUrl: string | undefined,
): Promise<Checked> {
  const { streams, signal } = context;
  const { type } = plan.job.contract;
  const progress = createProgress({
    stream: streams.stderr,
    bars: await loadBars(streams),
    now: () => performance.now(),
    type,
    checking: true,
    totalBytes: textSizeOf(plan.job),
  });
  const reasons = createReasons();
  const quality = qualityOf(plan);
  const sample = await sampleRecord(plan.job);
  // The sandbox starts empty, and without a base URL the service is not known.
  const service = baseUrl === undefined || options.sandbox === true ? undefined : { type, baseUrl };
  const { seen, warnings } = await recall(context, options, type, service, new Date());
  let bytes = 0;
  context.takeSignals();
  try {
    const ledger = await checkJob(
      {
        ...plan.job,
        sent: false,
        observer: createQualityObserver(quality),
        ...(seen === undefined ? {} : { seen: seen.filter }),
      },
      signal,
      reasons.add,
      (event, ledger) => {
        if (event.event === 'batch.sealed') bytes += event.bytes;
        if (options.progress && !options.quiet) progress.on(event, ledger);
      },
    );
    return { ledger, reasons, quality, bytes, sample, warnings };
  } finally {
    progress.stop();
    await closePlan(plan);
  }
}

interface Checked extends Pick<CheckResult, 'reasons' | 'bytes'> {
  readonly ledger: Ledger;
  readonly quality: Quality;
  readonly sample: string | undefined;
  readonly warnings: readonly Problem[];
}

/** Collects the quality of the rows, for every field that is mapped in any input. */
function qualityOf({ job }: Plan): Quality {
  const mapped = new Set(job.inputs.flatMap(({ mapping }) => mapping.fields));
  return new Quality(job.contract, job.variant, mapped);
}

function resultOf(plan: Plan, { ledger, reasons, quality, bytes, sample, warnings }: Checked): CheckResult {
  const { rows } = ledger;
  return {
    type: ledger.type,
    ...(ledger.variant === undefined ? {} : { variant: ledger.variant }),
    inputs: plan.inputs,
    description: plan.description,
    rows: {
      read: rows.read,
      valid: rows.pending,
      invalid: rows.invalid,
      skipped: rows.skipped,
      duplicate: rows.duplicate,
    },
    requests: ledger.batches.sealed,
    bytes,
    reasons,
    quality: quality.result(),
    notes: ledger.notes,
    sentBefore: ledger.sentBefore,
    ...(sample === undefined ? {} : { sample }),
    warnings,
  };
}

/** Uses the names of summary.json for everything that exists without sending. */
function asJson(result: CheckResult, ledger: Ledger, exitCode: number): object {
  const { reasons, notes, sample, sentBefore, ...rest } = result;
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
    sentBefore: sumSentBefore(sentBefore),
    sample: sample === undefined ? undefined : JSON.parse(sample),
  };
}

/** The same arguments for `signals upload`. */
function uploadWords({ argv }: Context): readonly string[] {
  return ['upload', ...argv.slice(1).filter((word) => word !== '--dry-run')];
}
