/** Asks before a command does what it does not do unasked. */
import type { Context } from '../commands/command.ts';
import { shellCommand } from '../lib/shell.ts';
import { usageError } from '../options/option-spec.ts';
import { Cancelled } from '../questions/question.ts';

/**
 * @param doing ends the sentence "Cannot ask before …"
 * @throws Cancelled if the user declines, ProblemError `usage` if there is no terminal
 */
export async function confirm(context: Context, question: string, doing: string): Promise<void> {
  const { prompts, argv, invocation, shell } = context;
  if (prompts === undefined) {
    const command = shellCommand(invocation, [...argv, '--yes'], shell);
    throw usageError(`Cannot ask before ${doing}: there is no terminal.`, `To do it without asking: \`${command}\`.`);
  }
  if (!(await prompts.confirm(question, { initial: false }))) throw new Cancelled();
}
