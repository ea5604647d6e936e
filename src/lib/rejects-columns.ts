/** The first columns of a rejects file, which this program adds (docs/spec/cli.md, "Run folder"). */
const REJECTS_COLUMNS: ReadonlySet<string> = new Set(['_line', '_reason']);

export function isRejectsColumn(name: string): boolean {
  return REJECTS_COLUMNS.has(name);
}
