/**
 * The program on simulated machines (world.ts), judged from outside (judge.ts). `npm run simulate` takes more seeds:
 * SIGNALS_SIMULATION_SEEDS says how many, SIGNALS_SIMULATION_FIRST which is the first.
 */
import { expect, it } from 'vitest';
import { judge } from './judge.ts';
import { compileProgram } from './machine.ts';
import { bundleProgram } from './program.ts';
import { type History, shrink, simulate } from './world.ts';

const first = Number(process.env['SIGNALS_SIMULATION_FIRST'] ?? 1);
const seeds = Number(process.env['SIGNALS_SIMULATION_SEEDS'] ?? 12);

/** Lines of a trace that a failure shows. */
const SHOWN = 200;

const program = compileProgram(await bundleProgram());

it('takes the same steps for the same seed', async () => {
  const traceOf = async () => (await simulate(program, first, { isTraced: true })).trace;
  const trace = await traceOf();
  expect(trace.length).toBeGreaterThan(100);
  expect(await traceOf()).toEqual(trace);
});

it(`keeps every promise with ${seeds} seeds`, { timeout: 0 }, async () => {
  const broken: string[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const history = await simulate(program, seed);
    if (judge(history).length === 0) continue;
    // A mutant needs no explanation.
    if (process.env['SIGNALS_MUTANTS_TEXTS'] !== undefined) expect.fail(`seed ${seed}`);
    broken.push(await explain(history));
  }
  expect(broken.join('\n\n')).toBe('');
});

/** What is broken, with as few troubles as possible, and the steps to it. */
async function explain(history: History): Promise<string> {
  const without = await shrink(program, history, (tried) => judge(tried).length > 0);
  const { seed, trace, ...replayed } = await simulate(program, history.seed, { without, isTraced: true });
  const problems = judge({ seed, trace, ...replayed });
  const left = history.troubles.filter((trouble) => !without.includes(trouble));
  return [`seed ${seed}, with ${left.join(', ') || 'no trouble'}:`, ...problems, ...trace.slice(-SHOWN)].join('\n');
}
