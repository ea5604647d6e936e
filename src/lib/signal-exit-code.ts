/** The exit code of an interruption: 130 for SIGINT or an unknown signal, 143 for every other signal. */
export function signalExitCode(signal: string | undefined): 130 | 143 {
  return signal === undefined || signal === 'SIGINT' ? 130 : 143;
}
