/**
 * Starts the program, and turns its result into the exit code of the process. Nothing else ends the process.
 * docs/internals/architecture.md, "Where to change what", leads to everything else.
 */
import { runProgram } from './cli/program.ts';

const { exitCode, killSelf } = await runProgram(process.argv.slice(2), process.env);
killSelf?.();
// An open pipe on stdin would keep the process alive.
process.exit(exitCode);
