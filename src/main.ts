/**
 * The outermost layer: argv in, exit code out; nobody else sets one. What needs no command is answered here at
 * once, before anything else is loaded: a shell's completion or a script that asks for the version must not wait.
 */
import { quickAnswer } from './quick.ts';

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<never> {
  const quick = quickAnswer(argv, process.stdout.columns);
  if (quick !== undefined && (await isTold(quick.text))) process.exit(quick.exitCode);
  const { program } = await import('./program.ts');
  const { exitCode, bySignal } = await program(argv, env);
  bySignal?.();
  // A pipe on stdin that nobody closes would keep the process alive.
  process.exit(exitCode);
}

/** False where stdout cannot be written to; but a reader that went away has seen enough. */
function isTold(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EPIPE'));
    process.stdout.write(text, (error) => {
      if (error === undefined || error === null) resolve(true);
    });
  });
}

// Not awaited: what is loaded later may import from this file's bundle, and would wait for its end.
void main(process.argv.slice(2), process.env);
