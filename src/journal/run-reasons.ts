/**
 * Groups the reasons why rows are invalid. The groups and their examples are limited, so that a file of invalid rows cannot fill
 * the memory. The rest is counted.
 */
import { commitOf, type RunEvent } from '../model/event.ts';
import type { Position } from '../model/row.ts';
import type { Example, ReasonGroup, Reasons, RowIssue } from '../model/run-state.ts';

const GROUP_LIMIT = 50;
const EXAMPLE_LIMIT = 3;

/** The reasons of a run, or of a check. */
export class RunReasons implements Reasons {
  readonly #groups = new ReasonGroups();
  /** Rows after the last commit, which do not count yet: a run that stops there reads them again. */
  readonly #uncommitted = new ReasonGroups();
  #haveStopped = false;

  on(event: RunEvent): void {
    switch (event.event) {
      case 'row.invalid':
        this.#uncommitted.add(event, event.issues);
        return;
      case 'run.resumed':
      case 'run.ended':
        this.#haveStopped = event.event === 'run.ended' && event.stop?.code === 'invalid';
        if (!this.#haveStopped) this.#uncommitted.clear();
        return;
      default:
        if (commitOf(event) !== undefined) this.#groups.take(this.#uncommitted);
    }
  }

  add(position: Pick<Position, 'source' | 'line'>, issues: readonly RowIssue[]): void {
    this.#groups.add(position, issues);
  }

  get invalid(): readonly Readonly<ReasonGroup>[] {
    return this.#shown().all();
  }

  get more(): number {
    return this.#shown().more;
  }

  #shown(): ReasonGroups {
    if (!this.#haveStopped) return this.#groups;
    const all = new ReasonGroups();
    for (const part of [this.#groups, this.#uncommitted]) all.addGroups(part.all(), part.more);
    return all;
  }

  /** The reasons of several shards together. */
  static merge(all: readonly Reasons[]): Reasons {
    const merged = new RunReasons();
    for (const { invalid, more } of all) merged.#groups.addGroups(invalid, more);
    return merged;
  }
}

class ReasonGroups {
  readonly #groups = new Map<string, ReasonGroup>();
  more = 0;

  add({ source, line }: Pick<Position, 'source' | 'line'>, issues: readonly RowIssue[]): void {
    const seen = new Set<string>();
    for (const issue of issues) {
      const key = keyOf(issue);
      if (seen.has(key)) continue;
      seen.add(key);
      const { found, hint } = issue;
      this.#count(issue, 1, [{ source, line, found, hint }]);
    }
  }

  addGroups(groups: Iterable<Readonly<ReasonGroup>>, more: number): void {
    for (const group of groups) this.#count(group, group.rows, group.examples);
    this.more += more;
  }

  take(other: ReasonGroups): void {
    this.addGroups(other.#groups.values(), other.more);
    other.clear();
  }

  all(): readonly ReasonGroup[] {
    return [...this.#groups.values()].sort((one, other) => other.rows - one.rows);
  }

  clear(): void {
    // V8 links the table of an emptied Map to the next one, which keeps both in memory.
    if (this.#groups.size > 0) this.#groups.clear();
    this.more = 0;
  }

  #count(issue: RowIssue, rows: number, examples: readonly Example[]): void {
    const { code, field, column } = issue;
    const key = keyOf(issue);
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= GROUP_LIMIT) {
        this.more += rows;
        return;
      }
      group = { code, field, column, rows: 0, examples: [] };
      this.#groups.set(key, group);
    }
    if (group.column !== column) group.column = undefined;
    group.rows += rows;
    for (const example of examples) addExample(group.examples, example);
  }
}

/** Keeps the first rows. They come in order, except from the next shard of `runs merge`. */
function addExample(examples: Example[], example: Example): void {
  examples.push(example);
  examples.sort((one, other) => one.source - other.source || one.line - other.line);
  examples.length = Math.min(examples.length, EXAMPLE_LIMIT);
}

function keyOf({ code, field = '' }: RowIssue): string {
  return `${code}:${field}`;
}
