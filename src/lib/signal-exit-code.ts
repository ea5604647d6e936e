/** The exit code of an interruption: 143 for process signals other than SIGINT, else 130. */
export function signalExitCode(signal: string | undefined): 130 | 143 {
  return signal === 'SIGTERM' || signal === 'SIGHUP' ? 143 : 130;
}
