/** `signals check`: what an upload would send, what is wrong, how long it would take. Sends nothing. */

import type { Ledger } from '../model/ledger.ts';
import { type Plan, planRun } from '../plan/index.ts';
import { sampleRecord } from '../prepare/index.ts';
import { type CheckResult, checkText, leastMs } from '../report/check-text.ts';
import { createReasons, type Reasons } from '../report/failure-reasons.ts';
import { createQuality, type Quality } from '../report/quality.ts';
import { balance, type FailOn, isFailure, sumSentBefore } from '../report/summary.ts';
import { createQualityObserver, runCheck } from '../run/check-run.ts';
import { textSizeOf } from '../run/run-inputs.ts';
import { resolveSettings, type Settings } from '../settings/resolve-settings.ts';
import { createProgress, loadBars } from '../terminal/progress.ts';
import type { Context, Options, Work } from './shared/command.ts';
import {
  failOn,
  inputsOf,
  outputOptions,
  planOptions,
  planRequest,
  sayWaiting,
  serviceOptions,
  settingsAsked,
  suggestFor,
} from './shared/options.ts';
import { recall } from './shared/run-history.ts';

export const check = {
  options: [...planOptions, ...serviceOptions, ...outputOptions],
  more: [
    'Examples:',
    '  signals check fixtures/signals.csv',
    '  signals check export.csv --json --rate 10/s',
  ].join('\n'),
  run,
} satisfies Work;

async function run(context: Context, files: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const suggest = suggestFor(context, options);
  const { settings, warnings } = await resolveSettings(settingsAsked(context, options));
  const judged = failOn(options);
  const request = {
    ...planRequest(inputsOf(files, context, suggest), options, settings, suggest),
    ...sayWaiting(context, options),
  };
  const plan = await planRun(request, streams.stdin);
  const progress = createProgress({
    stream: streams.stderr,
    bars: await loadBars(streams),
    now: () => performance.now(),
    type: plan.job.contract.type,
    checking: true,
    totalBytes: textSizeOf(plan.job),
  });
  const reasons = createReasons();
  const quality = qualityOf(plan);
  let bytes = 0;
  let ledger: Ledger;
  const sample = await sampleRecord(plan.job);
  const { type } = plan.job.contract;
  const { baseUrl } = settings;
  // The sandbox is empty each time, and without an address nobody knows which service is meant.
  const service = baseUrl === undefined || options['sandbox'] === true ? undefined : { type, baseUrl };
  const recalled = await recall(context, options, type, service, new Date());
  const { seen } = recalled;
  context.takeSignals();
  try {
    ledger = await runCheck(
      {
        ...plan.job,
        sent: false,
        observer: createQualityObserver(plan.job.contract, quality),
        ...(seen === undefined ? {} : { seen: seen.filter }),
      },
      {
        signal: context.signal,
        onInvalid: reasons.add,
        readers: [
          (event) => {
            if (event.event === 'batch.sealed') bytes += event.bytes;
          },
          ...(options['progress'] === false || options['quiet'] === true ? [] : [progress.on]),
        ],
      },
    );
  } finally {
    progress.stop();
    for (const { source } of plan.job.inputs) await source.close();
  }

  const exitCode = exitCodeOf(context, ledger, judged);
  const result = resultOf(plan, settings, ledger, {
    reasons,
    quality,
    bytes,
    sample,
    warnings: [...warnings, ...recalled.warnings],
  });
  if (options['json'] === true) streams.out(`${JSON.stringify(asJson(result, ledger, exitCode))}\n`);
  if (options['quiet'] === true && exitCode === 0) return exitCode;
  const toStderr = options['json'] === true || options['quiet'] === true;
  const isPiped = plan.job.inputs.some(({ source }) => source.size === undefined);
  const words = { suggest, upload: uploadWords(context), isPiped };
  const rendered = `${checkText(result, words, toStderr ? streams.style.err : streams.style.out)}\n`;
  if (toStderr) streams.err(rendered);
  else streams.out(rendered);
  return exitCode;
}

interface Found {
  readonly reasons: Reasons;
  readonly quality: Quality;
  readonly bytes: number;
  readonly sample: string | undefined;
  readonly warnings: CheckResult['warnings'];
}

/** The sheet of this check's rows, with the fields that are mapped in any of its inputs. */
function qualityOf({ job }: Plan): Quality {
  const mapped = new Set(job.inputs.flatMap(({ mapping }) => mapping.fields));
  return createQuality(job.contract, job.variant, mapped);
}

function resultOf(plan: Plan, settings: Settings, ledger: Ledger, found: Found): CheckResult {
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
    bytes: found.bytes,
    ...(settings.rate === undefined ? {} : { rate: settings.rate }),
    reasons: found.reasons,
    quality: found.quality.result(),
    notes: ledger.notes,
    sentBefore: ledger.sentBefore,
    ...(found.sample === undefined ? {} : { sample: found.sample }),
    warnings: found.warnings,
  };
}

/** The same names as in summary.json, as far as they mean something where nothing is sent. */
function asJson(result: CheckResult, ledger: Ledger, exitCode: number): object {
  const { reasons, notes, sample, sentBefore, ...rest } = result;
  const ms = leastMs(result);
  return {
    dryRun: true,
    ...rest,
    ...(ms === undefined ? {} : { atLeastSeconds: ms / 1000 }),
    state: ledger.state,
    exitCode,
    balanced: balance(ledger).rows && balance(ledger).batches,
    invalid: reasons.invalid(),
    notes: Object.fromEntries(notes),
    sentBefore: sumSentBefore(sentBefore),
    ...(sample === undefined ? {} : { sample: JSON.parse(sample) }),
  };
}

function exitCodeOf(context: Context, ledger: Ledger, judged: FailOn): number {
  if (!balance(ledger).rows || !balance(ledger).batches) return 1;
  if (context.signal.aborted) return context.signal.reason === 'SIGINT' ? 130 : 143;
  if (ledger.state !== 'complete') return 6;
  return isFailure(ledger.rows.invalid, ledger.rows.read, judged) ? 3 : 0;
}

/** `signals upload` with the words of this command, whichever way it was called. */
function uploadWords({ argv }: Context): readonly string[] {
  return ['upload', ...argv.slice(1).filter((word) => word !== '--dry-run')];
}
