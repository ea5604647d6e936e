/** Names of columns. Every column gets one of its own, so that each can be mapped and none stops the run. */

/**
 * Trims the header's cells. An empty one becomes `column 3`; a name that was there before gets ` (2)`, ` (3)`.
 * A name that is written in the header stays with the first column that has it.
 */
export function nameColumns(cells: readonly string[]): string[] {
  const trimmed = cells.map((cell) => cell.trim());
  const written = new Set(trimmed);
  const taken = new Set<string>();
  return trimmed.map((cell, index) => {
    const base = cell === '' ? `column ${index + 1}` : cell;
    let name = base;
    for (let n = 2; taken.has(name) || (name !== cell && written.has(name)); n += 1) name = `${base} (${n})`;
    taken.add(name);
    return name;
  });
}

/** `1`, `2`, …: the columns of an input without a header. */
export function numberColumns(width: number): string[] {
  return Array.from({ length: width }, (_, index) => String(index + 1));
}
