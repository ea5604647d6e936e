/** Output and questions that several commands have. */
import type { ShownOptions } from '../../app/context.ts';
import { shellCommand } from '../../lib/shell.ts';
import { type OptionValues, usageError } from '../../options/option-spec.ts';
import type { OptionsOf } from '../../options/option-table.ts';
import { Cancelled } from '../../questions/question.ts';
import type { Style } from '../../report/text-layout.ts';
import type { Context } from '../command.ts';

export type EndOptions = Pick<OptionValues<OptionsOf<'upload'>>, 'metricsFile' | 'onEnd'>;

/** Prints the result of a run. With `--json` or `--quiet` its text goes to stderr; with `--quiet` only after a failure. */
export function printResult(
  { streams }: Context,
  // `isSummary`: of a run. Losing it is not a failure.
  { json, quiet, isSummary }: Pick<ShownOptions, 'json' | 'quiet'> & { readonly isSummary?: boolean },
  result: { readonly exitCode: number },
  textOf: (style: Style) => string,
): void {
  if (json) streams.json(result);
  if (quiet && result.exitCode === 0) return;
  if (json || quiet) streams.tell(`${textOf(streams.style.err)}\n`);
  else streams[isSummary ? 'printSummary' : 'print'](`${textOf(streams.style.out)}\n`);
}

/** Prints an answer as JSON or as text. Returns exit code 0. */
export function printAnswer(
  { streams }: Context,
  { json }: { readonly json?: boolean | undefined },
  answer: object,
  text: string,
): number {
  if (json) streams.json(answer);
  else streams.print(`${text}\n`);
  return 0;
}

/** @throws Cancelled if the user declines, ProblemError `usage` "`doing` needs confirmation" if there is no terminal */
export async function confirm(context: Context, question: string, doing: string): Promise<void> {
  const { prompts, argv, invocation, shell } = context;
  if (prompts === undefined) {
    const command = shellCommand(invocation, [...argv, '--yes'], shell);
    throw usageError(`${doing} needs confirmation, and there is no terminal.`, `In a script: \`${command}\`.`);
  }
  if (!(await prompts.confirm(question, { initial: false }))) throw new Cancelled();
}
