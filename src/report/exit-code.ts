/** The exit code of a run or a check (cli.md, "Exit codes"). Code 2 belongs to runs that never began. */
import { signalExitCode } from '../lib/signal-exit-code.ts';
import type { RunState } from '../model/run-state.ts';
import { isBalanced } from './summary.ts';

/** `--fail-on`: exit 3 for any invalid, refused or rejected row, never, or above a percentage of the rows read. */
export type FailOn = 'any' | 'never' | number;

export interface ExitOptions {
  /** Default: `any`. */
  readonly failOn?: FailOn | undefined;
  /** The signal that interrupted the run. */
  readonly signal?: NodeJS.Signals | undefined;
  /** Number of files that `--skip-bad-files` left out. */
  readonly skippedFiles?: number | undefined;
  /** A check delivers nothing: its valid rows stay pending. */
  readonly isCheck?: true | undefined;
}

/** The first code that applies, in the order 1, 130/143, 5, 7, 6, 4, 3, 0. */
export function exitCodeOf(
  runState: RunState,
  { failOn = 'any', signal, skippedFiles = 0, isCheck }: ExitOptions = {},
): number {
  const { rows, service, state, stop, sentBefore } = runState;
  if (!isBalanced(runState)) return 1;
  // The counts reconcile even if the state is wrong.
  if (state === 'complete' && rows.pending > 0 && isCheck !== true) return 1;
  if (state === 'interrupted' || stop?.code === 'signal') return signalExitCode(signal);
  if (stop?.code === 'key') return 5;
  if (stop?.code === 'lost') return 7;
  if (state !== 'complete') return 6;
  const isUnknownBefore = isCheck !== true && sentBefore.some(({ state }) => state === 'unknown');
  if (rows.exhausted + rows.unknown > 0 || isUnknownBefore) return 4;
  const failed = rows.invalid + rows.refused + service.rejected + Math.abs(service.unaccounted);
  if (failOn === 'never') return 0;
  if (skippedFiles > 0) return 3;
  if (failed === 0) return 0;
  return failOn === 'any' || failed > (rows.read * failOn) / 100 ? 3 : 0;
}

const BY_PRECEDENCE = [1, 130, 143, 5, 2, 7, 6, 4, 3, 0];

/** The exit code of several runs together. */
export function firstExitCode(codes: readonly number[]): number {
  return BY_PRECEDENCE.find((code) => codes.includes(code)) ?? 0;
}
