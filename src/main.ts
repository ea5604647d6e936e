/** Starts the program, and turns its result into the exit code of the process. Nothing else ends the process. */
import { program } from './cli/program.ts';

const { exitCode, bySignal } = await program(process.argv.slice(2), process.env);
bySignal?.();
// An open pipe on stdin would keep the process alive.
process.exit(exitCode);
