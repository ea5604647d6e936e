/** An error that the user can fix. Bugs of the program are other errors. */
export interface Problem {
  /** Stable, for scripts: `input.empty`, `mapping.column`. */
  readonly code: string;
  /** What happened, in one sentence: what was found and what was expected. */
  readonly message: string;
  /** The location, as the user would write it: `in.csv:12`. */
  readonly where?: string | undefined;
  /** What to do next, in one sentence; commands are in backquotes. */
  readonly hint?: string | undefined;
}

/** Ends a command. Has every problem found so far, so that the user can fix them together. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[];
  /** docs/reference.md, "Exit codes". */
  readonly exitCode: number = 2;

  constructor(problems: Problem | readonly Problem[]) {
    const list: readonly Problem[] = 'code' in problems ? [problems] : problems;
    super(list.map((problem) => problem.message).join('\n'));
    this.name = 'ProblemError';
    this.problems = list;
  }

  /** Of the first problem. */
  get code(): string | undefined {
    return this.problems[0]?.code;
  }
}
