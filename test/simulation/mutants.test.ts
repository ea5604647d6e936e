/** Whether the simulation bites: each change of mutants.json must break a promise. `npm run simulate:mutants` */
import { expect, it } from 'vitest';
import { judge } from './judge.ts';
import { compileProgram } from './machine.ts';
import mutants from './mutants.json' with { type: 'json' };
import { bundleProgram } from './program.ts';
import { simulate } from './world.ts';

const seeds = Number(process.env['SIGNALS_SIMULATION_SEEDS'] ?? 10_000);

it.each(mutants)('finds a program that $does', { timeout: 0 }, async (mutant) => {
  const program = compileProgram(await bundleProgram(mutant));
  for (let seed = 1; seed <= seeds; seed += 1) if (judge(await simulate(program, seed)).length > 0) return;
  expect.fail(`not found with ${seeds} seeds`);
});
