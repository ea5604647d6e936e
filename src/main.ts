/**
 * The outermost layer: argv in, exit code out; nobody else sets one. What needs no command is answered here at
 * once, before anything else is loaded: a shell's completion or a script that asks for the version must not wait.
 */
import { fstatSync, writeSync } from 'node:fs';
import { quickAnswer } from './quick.ts';

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<never> {
  const quick = quickAnswer(argv, columns);
  if (quick !== undefined && isTold(quick.text)) process.exit(quick.exitCode);
  // Before the rest: V8 does not take what was compiled under other flags (load.ts).
  (await import('./tuning.ts')).tuneV8();
  const { load } = await import('./load.ts');
  const loaded = load('program.cjs');
  if (!isProgram(loaded)) throw new TypeError('the bundle holds no program');
  const { program } = loaded;
  const { exitCode, bySignal } = await program(argv, env);
  bySignal?.();
  // A pipe on stdin that nobody closes would keep the process alive.
  process.exit(exitCode);
}

function isProgram(module: unknown): module is typeof import('./program.ts') {
  return typeof module === 'object' && module !== null && 'program' in module;
}

/** The width of the terminal. To ask Node for its stdout takes a while, and only a device can be a terminal. */
function columns(): number | undefined {
  try {
    return fstatSync(1).isCharacterDevice() ? process.stdout.columns : undefined;
  } catch {
    // There is no stdout at all.
    return undefined;
  }
}

/**
 * False where stdout cannot be written to at once, so that the program says it with all its care; but a reader that
 * went away has seen enough.
 */
function isTold(text: string): boolean {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPIPE';
  }
}

void main(process.argv.slice(2), process.env);
