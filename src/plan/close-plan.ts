import type { Plan } from './plan-types.ts';

/** Closes the inputs, and with them the module of `--transform`. */
export async function closePlan({ job }: Plan): Promise<void> {
  for (const { source } of job.inputs) await source.close();
}
