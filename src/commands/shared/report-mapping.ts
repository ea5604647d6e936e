/** What the report shows of a run's mapping, and of its input if that has not changed. */
import path from 'node:path';
import { readTextFile } from '../../journal/file-system.ts';
import { packedInput } from '../../journal/pack-run.ts';
import type { RunFile } from '../../journal/run-file.ts';
import type { Suggest } from '../../lib/shell.ts';
import { planRun } from '../../plan/index.ts';
import { headRows, type PrepareJob, sampleRecord } from '../../prepare/index.ts';
import type { FillRates, MappingFacts } from '../../report/page/facts.ts';
import { closePlan, planRequestOf } from './plan-request.ts';

/** Undefined if the folder has no mapping. */
export async function mappingFacts(folder: string, file: RunFile, suggest: Suggest): Promise<MappingFacts | undefined> {
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
