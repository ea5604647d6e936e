/** Whether the simulation bites: each change of mutants.json must break a promise. `npm run simulate:mutants` */
import { writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { judge } from './judge.ts';
import { compileProgram } from './machine.ts';
import mutants from './mutants.json' with { type: 'json' };
import { bundleProgram } from './program.ts';
import { simulate } from './world.ts';

const seeds = Number(process.env['SIGNALS_SIMULATION_SEEDS'] ?? 10_000);

it.each(mutants)('finds a program that $does', { timeout: 0 }, async (mutant) => {
  const program = compileProgram(await bundleProgram(mutant));
  let seed = 1;
  while (seed <= seeds && judge(await simulate(program, seed)).length === 0) seed += 1;
  const isFound = seed <= seeds;
  // At once: the reporter waits for the last one.
  writeSync(1, `${isFound ? `found with seed ${seed}` : `not found with ${seeds} seeds`}: ${mutant.does}\n`);
  expect(isFound).toBe(true);
});
