/** `--on-end`: a command that runs when a run has ended, or could not start. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ShownOptions } from '../../app/context.ts';
import { printable } from '../../lib/printable.ts';
import { messageOf } from '../../lib/text.ts';
import { errorObject } from '../../lib/version.ts';
import type { EndState } from '../../model/event.ts';
import { Cancelled } from '../../questions/question.ts';
import { reportOf } from '../../report/problem-text.ts';
import type { Context } from '../command.ts';
import type { EndOptions } from './print.ts';

type OnEndOptions = Partial<Pick<EndOptions, 'onEnd'>> & Pick<ShownOptions, 'quiet'>;

/** The object of `--json`: a summary, or an error. */
interface Ending {
  readonly exitCode: number;
  readonly run?: string | undefined;
  readonly folder?: string | undefined;
  readonly state?: EndState | undefined;
}

const LIMIT_MS = 300_000;
/** How long a program that the command left behind may keep its output open. */
const OUTPUT_WAIT_MS = 1_000;
const OUTPUT_LIMIT = 64 * 1024;

/** Also runs the command if `work` fails before a run could start, except if the user cancelled it. */
export async function withOnEnd(context: Context, options: OnEndOptions, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Cancelled)) await runOnEnd(context, options, endingOf(error));
    throw error;
  }
}

/** @param run the run that failed, if it is known */
export function endingOf(error: unknown, run?: string): Ending {
  const { exitCode, problems } = reportOf(error);
  return errorObject(exitCode, problems, run);
}

/** Its failure is a warning and does not change the exit code. */
export async function runOnEnd(
  { streams, env }: Context,
  { onEnd, quiet }: OnEndOptions,
  ending: Ending,
): Promise<void> {
  if (onEnd === undefined) return;
  const { failure, output } = await runShell(onEnd, environmentOf(env, ending), `${JSON.stringify(ending)}\n`);
  if (!quiet || failure !== undefined) {
    for (const line of output.split('\n')) if (line !== '') streams.err(`${printable(line)}\n`);
  }
  if (failure !== undefined) {
    streams.problem('warning', { code: 'hook.failed', message: `The command of --on-end ${failure}.` });
  }
}

function environmentOf(env: NodeJS.ProcessEnv, { exitCode, run, folder, state }: Ending): NodeJS.ProcessEnv {
  const { SIGNALS_API_KEY: _key, ...others } = env;
  const summary = folder === undefined ? '' : path.resolve(folder, 'summary.json');
  return {
    ...others,
    SIGNALS_EXIT_CODE: String(exitCode),
    SIGNALS_STATE: state ?? 'failed',
    SIGNALS_RUN: run ?? '',
    SIGNALS_RUN_FOLDER: folder === undefined ? '' : path.resolve(folder),
    SIGNALS_SUMMARY: existsSync(summary) ? summary : '',
  };
}

/** Resolves without a failure if the command succeeded. */
function runShell(command: string, env: NodeJS.ProcessEnv, input: string) {
  // In a process group of its own, Ctrl-C at the terminal does not end it.
  const detached = process.platform !== 'win32';
  const child = spawn(command, { shell: true, env, detached, timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, OUTPUT_LIMIT);
    });
  }
  // A command need not read its input.
  child.stdin.on('error', () => undefined).end(input);
  return new Promise<{ readonly failure: string | undefined; readonly output: string }>((resolve) => {
    child.on('error', (error) => {
      resolve({ failure: `could not be started: ${printable(messageOf(error))}`, output });
    });
    child.on('exit', (code, signal) => {
      const failure = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
      const closeOutput = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, OUTPUT_WAIT_MS);
      child.on('close', () => {
        clearTimeout(closeOutput);
        resolve({ failure: code === 0 ? undefined : failure, output });
      });
    });
  });
}
