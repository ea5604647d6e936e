/** Checks what was planned. Knows no screen; used by `check` and by the library. */
import { applyEvent, newRunState } from '../journal/apply-event.ts';
import { RunReasons } from '../journal/run-reasons.ts';
import { loadDigests } from '../lib/digest.ts';
import type { Adopt } from '../lib/resources.ts';
import { schemaVersion, version } from '../lib/version.ts';
import type { Shard } from '../model/batch.ts';
import type { RunEvent } from '../model/event.ts';
import type { Prepared } from '../model/prepared.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import type { CheckSummary } from '../model/summary.ts';
import type { OptionValues } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import type { Plan } from '../plan/index.ts';
import { Duplicates, type PrepareJob, prepare } from '../prepare/index.ts';
import type { CheckResult } from '../report/check-text.ts';
import { exitCodeOf, isBalanced, omittedValues, sumSentBefore } from '../report/run-summary.ts';
import { when } from '../report/text-layout.ts';
import { closeInputs } from '../run/intake.ts';
import { eventOf, runStarted } from '../run/recorder.ts';
import { ClaimGate, type FindSent, ShardSelector } from '../run/select-records.ts';
import { firstRowWarnings } from './first-row-warnings.ts';
import type { SendRequest } from './plan-request.ts';
import { lookUpClaims } from './run-claims.ts';
import type { RunEnvironment } from './send-run.ts';
import { describeShard } from './shard.ts';

type CheckEnvironment = Pick<RunEnvironment, 'readers' | 'signal' | 'state' | 'onBegin'>;

interface PlannedCheck {
  readonly request: SendRequest;
  readonly options: Pick<OptionValues<OptionsOf<'check'>>, 'again' | 'dedupe' | 'skipDelivered' | 'failOn'> & {
    readonly sandbox?: boolean | undefined;
  };
}

/** Its summary uses the names of summary.json for everything that exists without sending. */
export async function checkPlan(
  adopt: Adopt,
  { signal, readers, state, onBegin }: CheckEnvironment,
  plan: Plan,
  { request, options }: PlannedCheck,
): Promise<CheckResult> {
  const { job } = plan;
  const { shard, settings } = request;
  const { rate, baseUrl } = settings;
  const { type } = job.contract;
  const reasons = new RunReasons();
  const { claims, warnings: unknown } = lookUpClaims(adopt, state, options, { type, baseUrl });
  await claims?.endLostSessions();
  const ofHead = await firstRowWarnings(job, options.dedupe);
  let bytes = 0;
  let sample: CheckSummary['sample'];
  onBegin?.();
  const runState = await prepareAll(
    { ...job, findDuplicate: options.dedupe ? new Duplicates().find : undefined },
    { shard, findSent: claims && ((keys) => claims.find(keys)) },
    signal,
    (item, read) => {
      if (item?.kind === 'invalid') reasons.add(item.position, item.issues);
      if (item?.kind === 'batch') {
        bytes += item.batch.payload.byteLength;
        const { payload, offsets } = item.batch;
        sample ??= JSON.parse(Buffer.from(payload).toString('utf8', offsets[0], (offsets[1] ?? 0) - 1));
      }
      for (const reader of readers) reader(...read);
    },
  );
  const { rows } = runState;
  const { read, skipped, duplicate, pending: valid } = rows;
  const requests = runState.batches.sealed;
  const skippedFiles = plan.skipped.length;
  const summary: CheckSummary = {
    schemaVersion,
    toolVersion: version,
    dryRun: true,
    type,
    variant: runState.variant,
    inputs: plan.inputs,
    description: [...plan.description, ...(shard === undefined ? [] : [describeShard(shard)])],
    rows: { read, valid, invalid: rows.invalid, skipped, duplicate },
    requests,
    bytes,
    rate,
    warnings: [...request.warnings, ...plan.skipped, ...plan.warnings, ...ofHead, ...unknown],
    // The first request is sent immediately.
    atLeastSeconds: rate && (Math.max(0, requests - 1) * rate.perMs) / rate.count / 1000,
    state: runState.state === 'running' ? 'interrupted' : runState.state,
    exitCode: exitCodeOf(runState, { failOn: options.failOn, signal: signal.reason, skippedFiles, isCheck: true }),
    balanced: isBalanced(runState),
    invalid: reasons.invalid,
    notes: Object.fromEntries(runState.notes),
    omitted: omittedValues(runState),
    sentBefore: sumSentBefore(runState.sentBefore),
    sample,
  };
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

/**
 * Prepares every batch. Resolves to the run state as an upload would have it before its first request.
 *
 * @param onItem called with each item and its event, and with the first and the last event
 */
async function prepareAll(
  job: PrepareJob,
  { shard, findSent }: { readonly shard: Shard | undefined; readonly findSent: FindSent | undefined },
  signal: AbortSignal,
  onItem: (item: Prepared | undefined, read: Parameters<RunReader>) => void,
): Promise<RunState> {
  const time = new Date().toISOString();
  const divided = shard && { ...shard, recordKeys: false };
  const started = runStarted({ ...job, shard: divided }, 'check', time);
  const runState = newRunState(started);
  const record = (event: RunEvent, item?: Prepared): void => {
    onItem(item, [event, runState, applyEvent(runState, event)]);
  };
  record(started);
  signal.addEventListener('abort', () => closeInputs(job));
  const selector = divided && new ShardSelector(divided, 0);
  const gate = findSent && new ClaimGate(findSent, (await loadDigests()).digestOf);
  try {
    for await (const items of prepare(job)) {
      for (const prepared of items.flatMap((item) => selector?.select(item) ?? [item])) {
        for (const item of (await gate?.select(prepared)) ?? [prepared]) {
          if (item.kind === 'rebuilt') throw new Error('a check does not resume a run');
          record(eventOf(item, time, {}), item);
          if (item.kind !== 'batch') continue;
          // The batch will never settle, and a large file has many.
          runState.undelivered.delete(item.batch.id);
          item.batch.release?.();
        }
      }
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const state = signal.aborted ? 'interrupted' : 'complete';
  record({ event: 'run.ended', time, state, putBack: [] });
  return runState;
}
