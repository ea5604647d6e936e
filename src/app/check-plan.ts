/** Checks what was planned. Knows no screen; used by `check` and by the library. */
import { RunReasons } from '../journal/run-reasons.ts';
import { type Adopt, withResources } from '../lib/resources.ts';
import { schemaVersion, version } from '../lib/version.ts';
import type { RunState } from '../model/run-state.ts';
import type { CheckSummary } from '../model/summary.ts';
import type { OptionValues } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import type { Plan } from '../plan/index.ts';
import { Duplicates, sampleRecord } from '../prepare/index.ts';
import type { CheckResult } from '../report/check-text.ts';
import { exitCodeOf, isBalanced, omittedValues, sumSentBefore } from '../report/run-summary.ts';
import { when } from '../report/text-layout.ts';
import { runCheck } from '../run/check-run.ts';
import type { ShownOptions } from './context.ts';
import { headWarnings } from './head-warnings.ts';
import { lookUpClaims } from './run-claims.ts';
import type { SendRequest } from './send-request.ts';
import type { RunEnvironment } from './send-run.ts';
import { describeShard } from './shard.ts';

export type CheckEnvironment = Pick<RunEnvironment, 'readers' | 'signal' | 'state' | 'onBegin'>;

interface PlannedCheck {
  readonly request: SendRequest;
  readonly options: Pick<OptionValues<OptionsOf<'check'>>, 'again' | 'dedupe' | 'skipDelivered'> &
    Pick<ShownOptions, 'failOn'> & { readonly sandbox?: boolean | undefined };
}

/** Prepares every batch of a plan. */
export function checkPlan(environment: CheckEnvironment, plan: Plan, planned: PlannedCheck): Promise<CheckResult> {
  return withResources((adopt) => checkWith(adopt, environment, plan, planned));
}

async function checkWith(
  adopt: Adopt,
  { signal, readers, state, onBegin }: CheckEnvironment,
  plan: Plan,
  planned: PlannedCheck,
): Promise<CheckResult> {
  const { job } = plan;
  const { shard, settings } = planned.request;
  const { options } = planned;
  const [type, baseUrl] = [job.contract.type, settings.baseUrl];
  const reasons = new RunReasons();
  const sample = await sampleRecord(job);
  const { claims, warnings: unknown } = lookUpClaims(adopt, { state, options, type, baseUrl });
  await claims?.endLostSessions();
  const ofHead = await headWarnings(job, options.dedupe);
  let bytes = 0;
  onBegin?.();
  const runState = await runCheck(
    {
      ...job,
      findDuplicate: options.dedupe ? new Duplicates().find : undefined,
      findSent: claims && ((keys) => claims.find(keys)),
      shard: shard && { ...shard, recordKeys: false },
    },
    signal,
    (position, issues) => reasons.add(position, issues),
    (event, ...read) => {
      if (event.event === 'batch.sealed') bytes += event.bytes;
      for (const reader of readers) reader(event, ...read);
    },
  );
  const summary = summaryOfCheck(plan, planned, {
    runState,
    bytes,
    warnings: [...ofHead, ...unknown],
    invalid: reasons.invalid,
    sample: sample === undefined ? undefined : JSON.parse(sample),
    signal: signal.reason,
  });
  return { summary, brief: [...plan.brief, ...recommendedFields(plan)], runState, reasons };
}

/** The fields that the API recommends and the mapping does not have, with the reason in the words of the API. */
function recommendedFields({ job: { contract, variant }, mapping }: Plan): readonly string[] {
  const mapped = new Set(Object.keys(mapping.fields).map((name) => contract.field(name)));
  const missing = contract.fieldsOf(variant).flatMap(({ field }) => {
    return field.recommended === undefined || mapped.has(field) ? [] : [`${field.name} (${field.recommended})`];
  });
  return when(missing.length > 0, `Not mapped, but recommended: ${missing.join(', ')}.`);
}

interface Checked extends Pick<CheckSummary, 'bytes' | 'warnings' | 'invalid' | 'sample'> {
  readonly runState: RunState;
  /** The signal that ended the check. */
  readonly signal: NodeJS.Signals | undefined;
}

/** Uses the names of summary.json for everything that exists without sending. */
function summaryOfCheck(
  { inputs, skipped: skippedFiles, warnings: leftOut, description, job: { contract } }: Plan,
  { request, options: { failOn } }: PlannedCheck,
  { runState, bytes, warnings, invalid, sample, signal }: Checked,
): CheckSummary {
  const { settings, shard } = request;
  const { rate } = settings;
  const { rows, batches, state } = runState;
  const { read, skipped, duplicate, pending: valid } = rows;
  const requests = batches.sealed;
  return {
    schemaVersion,
    toolVersion: version,
    dryRun: true,
    type: contract.type,
    variant: runState.variant,
    inputs,
    description: [...description, ...(shard === undefined ? [] : [describeShard(shard, settings)])],
    rows: { read, valid, invalid: rows.invalid, skipped, duplicate },
    requests,
    bytes,
    rate,
    warnings: [...request.warnings, ...skippedFiles, ...leftOut, ...warnings],
    // The first request is sent immediately.
    atLeastSeconds: rate && (Math.max(0, requests - 1) * rate.perMs) / rate.count / 1000,
    state: state === 'running' ? 'interrupted' : state,
    exitCode: exitCodeOf(runState, { failOn, signal, skippedFiles: skippedFiles.length, isCheck: true }),
    balanced: isBalanced(runState),
    invalid,
    notes: Object.fromEntries(runState.notes),
    omitted: omittedValues(runState),
    sentBefore: sumSentBefore(runState.sentBefore),
    sample,
  };
}
