/** The argument RUN of resume and replay. */
import type { Suggest } from '../../lib/shell.ts';
import type { Context } from './command.ts';
import { usageError } from './option.ts';

/** Defaults to `last` on a terminal. @throws ProblemError `usage` if it is missing elsewhere */
export function runArgument(
  { streams }: Context,
  suggest: Suggest,
  command: 'resume' | 'replay',
  [wanted]: readonly string[],
): string {
  if (wanted !== undefined) return wanted;
  if (streams.interactive) return 'last';
  throw usageError(
    `Without a terminal, \`${command}\` needs the id of a run.`,
    `For the latest run: \`${suggest(command, 'last')}\`.`,
  );
}
