/**
 * Torture: kill -9 at a bad moment, go on, and again, until the run is complete. Judged by the service's own log
 * and not by the program's. A short form runs with all tests; `npm run test:chaos` runs 200 rounds. The seed is
 * printed; SIGNALS_CHAOS_SEED=… repeats a run's choices (not the timing of the machine).
 */
import { afterAll, describe, expect, test } from 'vitest';
import { kinds as allKinds } from './kinds.ts';
import { playRound, type Round } from './round.ts';

const isShort = process.env['SIGNALS_CHAOS_ROUNDS'] === undefined;
const seed = Number(process.env['SIGNALS_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
/** The short form plays every other kind once; the seed decides which. */
const kinds = allKinds.filter((_, index) => !isShort || (index + seed) % 2 === 0);
const rounds = Number(process.env['SIGNALS_CHAOS_ROUNDS'] ?? kinds.length);
/** Kills in a round. */
const most = isShort ? 1 : 3;
/** A round that is not over by then has hung. */
const ROUND_MS = 120_000;

const played = new Map<string, Round[]>();

describe(`in rounds of kill -9 (seed ${seed}) nothing is lost, and nothing is sent twice without need:`, () => {
  test.each(kinds.map((kind, index) => ({ kind, index, name: kind.name })))(
    '$name',
    { timeout: ROUND_MS * Math.ceil(rounds / kinds.length) },
    async ({ kind, index }) => {
      const mine: Round[] = [];
      const faults: unknown[] = [];
      played.set(kind.name, mine);
      for (let round = index; round < rounds; round += kinds.length) {
        // Both types in turn, also where the number of kinds is even.
        const type = kind.type ?? ((index + Math.floor(round / kinds.length)) % 2 === 0 ? 'signals' : 'social');
        await playRound(kind, type, { seed, number: round, most }).then(
          (one) => mine.push(one),
          // The other rounds are played all the same: one fault may have many faces.
          (error: unknown) => {
            faults.push(error);
            process.stdout.write(`chaos: round ${round} failed: ${String(error).slice(0, 2000)}\n`);
          },
        );
      }
      tell(mine, kind.name);
      if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, String(faults[0]));
      // A kill may miss a run that is over already; in many rounds not all of them do.
      if (mine.length > 3) expect(total(mine, 'kills')).toBeGreaterThan(0);
    },
  );
});

afterAll(() => tell([...played.values()].flat(), `all of seed ${seed}`));

function tell(some: readonly Round[], what: string): void {
  const sum = (which: keyof Round): number => total(some, which);
  process.stdout.write(
    `chaos: ${what}: ${some.length} rounds, ${sum('kills')} kills, ${sum('requests')} requests; records missing ` +
      `${sum('missing')}, social events twice ${sum('socialTwice')} (besides ${sum('asked')} that --unknown asked for), ` +
      `signals twice ${sum('signalsTwice')} (each under way at a kill, or its answer lost)\n`,
  );
}

function total(some: readonly Round[], what: keyof Round): number {
  return some.reduce((sum, round) => sum + round[what], 0);
}
