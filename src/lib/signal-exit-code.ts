/** Exit codes of an interruption (cli.md, "Exit codes"). */

/** 130 for SIGINT, also if the signal is unknown; 143 for every other signal. */
export function signalExitCode(signal: string | undefined): 130 | 143 {
  return signal === undefined || signal === 'SIGINT' ? 130 : 143;
}
