/** Which files of a run folder hold the bytes of pipes. What fills them is `source/spool.ts`. */

/** Whether a file of a run folder is one of them. */
export function isSpool(name: string): boolean {
  return /^(?:stdin|pipe-\d+)\.spool$/.test(name);
}

/**
 * The file for an input without a path. A run may read several pipes: stdin, and others by their names.
 *
 * @param index its place among the inputs of the run, from 0
 */
export function spoolName(source: string, index: number): string {
  return source === 'stdin' ? 'stdin.spool' : `pipe-${index + 1}.spool`;
}
