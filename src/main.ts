/**
 * Starts the program, and turns its result into the exit code of the process. Nothing else ends the process.
 * CONTRIBUTING.md, "Recipes", leads to everything else.
 */
import { runProgram } from './cli/program.ts';

/** @param early signals that arrived while the program was loaded (bin/signals.js) */
export async function main(early: readonly NodeJS.Signals[] = []): Promise<never> {
  const { exitCode, killSelf } = await runProgram(process.argv.slice(2), process.env, early);
  killSelf?.();
  // An open pipe on stdin would keep the process alive.
  process.exit(exitCode);
}
