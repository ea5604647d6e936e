/** Collects what the report of a run shows from its folder and, for the sample record, from its input. */
import path from 'node:path';
import { readTextFile } from '../journal/file-system.ts';
import type { RunFile } from '../journal/run-file.ts';
import type { Suggest } from '../lib/shell.ts';
import { humanBytes } from '../lib/units.ts';
import { version } from '../lib/version.ts';
import { closePlan, planRun } from '../plan/index.ts';
import { headRows, type PrepareJob, sampleRecord } from '../prepare/index.ts';
import { headline, serviceFacts, statesOf } from '../report/ending-text.ts';
import { utc } from '../report/html.ts';
import { nextCommand, nextStep } from '../report/next-step.ts';
import type { FillRates, MappingFacts, ReasonFacts, ReportFacts } from '../report/page.ts';
import type { BatchFacts } from '../report/page-batches.ts';
import { describeNotes, describeSentBefore } from '../report/problem-text.ts';
import { summaryOf } from '../report/summary.ts';
import type { TimelineFacts } from '../report/timeline.ts';
import { readRejectReasons } from '../run/rejects-folder.ts';
import { packedInput } from '../runs/pack-run.ts';
import { planRequestOf } from './plan-request.ts';
import type { RunView } from './run-view.ts';

export async function reportFacts(view: RunView, timeline: TimelineFacts, batches: BatchFacts): Promise<ReportFacts> {
  const { file, folder, isRunning, runState, context } = view;
  const { suggest } = context;
  const { state, exitCode } = summaryOf(runState, context);
  const names = runState.sources.map(({ name }) => name);
  const states = statesOf(runState);
  const step = nextStep(runState, context);
  return {
    run: file.run,
    state: isRunning ? 'running' : state,
    exitCode,
    headline: [...headline(runState, context), ...serviceFacts(runState)],
    read: states.reduce((sum, { rows }) => sum + rows, 0),
    states,
    step: step && { label: step.label, command: nextCommand(step, suggest) },
    timeline,
    batches,
    answers: runState.reasons.answers,
    unsettled: [...runState.undelivered.values()].filter(({ state, isLost }) => state === 'pending' || isLost).length,
    names,
    reasons: await reasonFacts(view),
    moreReasons: runState.reasons.more,
    notes: [...describeSentBefore(runState.sentBefore), ...describeNotes(runState, names)],
    mapping: await mappingFacts(folder.path, file, suggest),
    command: suggest(...file.argv),
    settings: settingsOf(view),
    made: new Date().toISOString(),
    version,
  };
}

/** The rejects files have what was found and what was expected. */
async function reasonFacts({ runState, context }: RunView): Promise<readonly ReasonFacts[]> {
  const groups = runState.reasons.invalid;
  const found = new Map<number, ReadonlyMap<number, string>>();
  for (const { source, path: file } of context.rejects) {
    const lines = groups.flatMap(({ examples }) => examples.filter((one) => one.source === source));
    found.set(source, await readRejectReasons(file, new Set(lines.map(({ line }) => line))));
  }
  return groups.map(({ code, field, column, rows, examples }) => ({
    code,
    field,
    column,
    rows,
    examples: examples.map(({ source, line }) => ({ source, line, reason: found.get(source)?.get(line) })),
  }));
}

function settingsOf({ file, runState, context }: RunView): ReportFacts['settings'] {
  const inputs = file.inputs.map(({ source, format, bytes }): [string, string] => {
    return ['Input', `${source} (${format}${bytes === undefined ? '' : `, ${humanBytes(bytes)}`})`];
  });
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Sent to', context.sandbox ? 'the sandbox' : context.baseUrl],
    ['Records', file.variant === undefined ? file.type : `${file.type}, variant ${file.variant}`],
    ...inputs,
    ['Started', `${utc(runState.startedAt)} UTC`],
    ['Ended', runState.endedAt === undefined ? 'not recorded' : `${utc(runState.endedAt)} UTC`],
    ['Profile', file.profile],
    ['Transform', file.transform?.path],
    ['Records per request', `maximum ${file.batchSize}, ${humanBytes(file.maxBytes)}`],
    ['Version of signals', file.version],
  ];
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** Undefined if the folder has no mapping. */
async function mappingFacts(folder: string, file: RunFile, suggest: Suggest): Promise<MappingFacts | undefined> {
  const mapFile = path.join(folder, 'mapping.yaml');
  const text = readTextFile(mapFile);
  if (text === undefined) return undefined;
  // Without its input, the report has the rest.
  const head = await headFacts(folder, file, suggest).catch(() => undefined);
  const inputs = file.inputs.map(({ source, path: input }) => input ?? source);
  return { text, sample: head?.sample, filled: head?.filled, check: suggest('check', '-m', mapFile, ...inputs) };
}

/**
 * From the head of the first input. Undefined for a run with a transform: a report runs no code.
 *
 * @throws ProblemError if the input is gone or cannot be read
 */
async function headFacts(
  folder: string,
  file: RunFile,
  suggest: Suggest,
): Promise<Pick<MappingFacts, 'sample' | 'filled'> | undefined> {
  const [input] = file.inputs;
  const name = input && ((await packedInput(folder, file.inputs, 0)) ?? input.path);
  if (input === undefined || name === undefined || file.transform !== undefined) return undefined;
  const plan = await planRun({ ...planRequestOf(folder, file, [name], suggest), engine: 'reference' }, process.stdin);
  try {
    // An archive or a workbook may have several inputs; a changed one is left out.
    const inputs = plan.job.inputs.filter(({ source }) => source.headDigest() === input.head);
    if (inputs.length === 0) return undefined;
    const job = { ...plan.job, inputs };
    const sample = await sampleRecord(job);
    const indented = sample === undefined ? undefined : JSON.stringify(JSON.parse(sample), null, 2);
    return { sample: indented, filled: await countFilled(job, input.source) };
  } finally {
    await closePlan(plan);
  }
}

/** @param source the name of the input in the run */
async function countFilled(job: PrepareJob, source: string): Promise<FillRates> {
  const mapped = new Set(job.inputs.flatMap(({ mapping }) => mapping.fields));
  const sent = job.contract.fieldsOf(job.variant).filter(({ field }) => mapped.has(field.name));
  const fields = sent.map(({ field, required }) => ({ field: field.name, required, rows: 0 }));
  let rows = 0;
  for await (const { input, row } of headRows(job)) {
    rows += 1;
    const { candidate } = input.mapping.applyAll(row);
    for (const each of fields) if (candidate[each.field] !== undefined) each.rows += 1;
  }
  return { source, rows, fields };
}
