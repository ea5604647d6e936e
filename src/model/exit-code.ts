/** The exit codes of the program, and which of several applies. That of a run: report/run-summary.ts. */
import type { Stop } from './outcome.ts';

/** In the order of their numbers; for `signals help exit-codes`. */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'every row delivered; none invalid, refused or rejected'],
  ['1', 'a bug, or the counts do not reconcile; for `runs find`: nothing found'],
  ['2', 'usage, settings, mapping, or an input that cannot be read; nothing was sent'],
  ['3', 'done, but rows were invalid, refused, rejected or unaccounted (--fail-on changes that)'],
  ['4', 'done, but rows are exhausted or unknown'],
  ['5', 'the key was refused'],
  ['6', 'stopped early: resume'],
  ['7', 'another process works on the run'],
  ['130, 143', 'interrupted: resume'],
];

const BY_PRECEDENCE = [1, 130, 143, 5, 2, 7, 6, 4, 3, 0];

export function firstExitCode(codes: readonly number[]): number {
  return BY_PRECEDENCE.find((code) => codes.includes(code)) ?? 0;
}

export function stopExitCode(stop: Stop | undefined, signal: NodeJS.Signals | undefined): number {
  if (stop?.code === 'signal') return signalExitCode(signal);
  return stop?.code === 'key' ? 5 : stop?.code === 'lost' ? 7 : 6;
}

/** The exit code of an interruption: 143 for process signals other than SIGINT, else 130. */
export function signalExitCode(signal: string | undefined): 130 | 143 {
  return signal === 'SIGTERM' || signal === 'SIGHUP' ? 143 : 130;
}
