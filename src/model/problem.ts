/**
 * Something that the user can mend, told as a value: what happened, where, and what to do next. The program's
 * own mistakes are never one of these.
 */
export interface Problem {
  /** Stable, for scripts: `input.empty`, `mapping.column`. */
  readonly code: string;
  /** What happened, in a sentence: what was found, and what was expected. */
  readonly message: string;
  /** Where, as the user would write it: `in.csv:12`. */
  readonly where?: string | undefined;
  /** What to do next, in a sentence; a command to type stands in `code ticks`. */
  readonly hint?: string | undefined;
}

/** Thrown where the work cannot go on. Holds every problem found so far: the user mends them in one go. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[];
  /** cli.md, "Exit codes". */
  readonly exitCode: number = 2;

  constructor(problems: Problem | readonly Problem[]) {
    const list: readonly Problem[] = 'code' in problems ? [problems] : problems;
    super(list.map((problem) => problem.message).join('\n'));
    this.name = 'ProblemError';
    this.problems = list;
  }
}
