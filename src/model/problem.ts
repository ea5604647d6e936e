/**
 * What the user is told: errors to fix, and notes about valid values. The schema of a problem is in outcome.ts, so that this
 * file needs no zod.
 */
import type { Problem } from './outcome.ts';

export type { Problem };

/** Ends a command. Has every problem found so far, so that the user can fix them together. */
export class ProblemError extends Error {
  problems: readonly Problem[];
  /** model/exit-code.ts. */
  readonly exitCode: number;

  constructor(problems: Problem | readonly Problem[], exitCode = 2) {
    const list: readonly Problem[] = 'code' in problems ? [problems] : problems;
    super(list.map((problem) => problem.message).join('\n'));
    this.name = new.target.name;
    this.problems = list;
    this.exitCode = exitCode;
  }

  /** Puts lines before the hint of the first problem. */
  addHint(lines: readonly string[]): void {
    const [first, ...others] = this.problems;
    if (first === undefined || lines.length === 0) return;
    this.problems = [{ ...first, hint: [...lines, first.hint ?? []].flat().join('\n') }, ...others];
  }

  /** Of the first problem. */
  get code(): string | undefined {
    return this.problems[0]?.code;
  }
}

/** Notes: remarks about valid values, such as a date without a time. The journal counts records by note key. */
const PLAIN_CODES = [
  'date_only', // a date without a time: sent as midnight UTC
  'no_seconds', // a date-time without seconds: sent with :00
  'no_offset', // a date-time without a zone: sent as written
  'left_out', // a mapped field with a value, not sent because the variant has no name for it
  'free_mail', // no company domain, because the e-mail address is at a free-mail host
  'omitted', // an invalid value was omitted, because the mapping has `invalid: omit`
  'nul', // the value contains U+0000: sent as it is
] as const;

type PlainNoteCode = (typeof PLAIN_CODES)[number];

/** `open_value`: an unknown value of an open list, sent as written. */
export type NoteCode = PlainNoteCode | 'open_value';

export type Note =
  | { readonly code: PlainNoteCode; readonly field: string }
  | { readonly code: 'open_value'; readonly field: string; readonly value: string };

/** Counts the notes for which the run state has no space. Not in the journal. */
export const OTHER_NOTES = 'other:';

/** `date_only:detected_at`, `open_value:platform=mastodon`. Part of the journal's format. */
export function noteKey(note: Note): string {
  const key = `${note.code}:${note.field}`;
  return note.code === 'open_value' ? `${key}=${note.value}` : key;
}

/** Whether the summary shows where the note applies first. Of other notes, the fast path does not know the row. */
export function hasPlace(key: string): boolean {
  return key.startsWith('omitted:');
}

/** The inverse of {@link noteKey}. Undefined for a code that this version does not know. */
export function parseNoteKey(key: string): Note | undefined {
  const [, code = '', field = '', value] = /^([a-z_]+):([^=]*)(?:=(.*))?$/s.exec(key) ?? [];
  if (code === 'open_value') return { code, field, value: value ?? '' };
  const plain = PLAIN_CODES.find((known) => known === code);
  return plain === undefined ? undefined : { code: plain, field };
}

/** Rethrows an error that has no problems. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof ProblemError)) throw error;
  return error.problems;
}

/** Collects the problems of several steps, so that the user can fix all of them at once. */
export class ProblemCollector {
  readonly #errors: ProblemError[] = [];

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  add(problems: readonly Problem[]): void {
    if (problems.length > 0) this.#errors.push(new ProblemError(problems));
  }

  /** The step's result; undefined if it threw a ProblemError. */
  async collect<T>(step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#errors.push(error);
      return undefined;
    }
  }

  /** @throws ProblemError with all problems collected; the step's own error if there is one */
  throwIfAny(): void {
    const [first, ...others] = this.#errors;
    if (first === undefined) return;
    throw others.length === 0 ? first : new ProblemError(this.#errors.flatMap(({ problems }) => problems));
  }
}
