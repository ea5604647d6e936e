/** Gives every column a unique name, so that each can be mapped and no header is refused. */

/**
 * Trims the header's cells. An empty cell becomes `column 3`; a repeated name gets ` (2)`, ` (3)`.
 * A name that the header contains as written stays with the first column that has it.
 */
export function nameColumns(cells: readonly string[]): string[] {
  const trimmed = cells.map((cell) => cell.trim());
  const written = new Set(trimmed);
  const used = new Set<string>();
  /** The next number of a repeated name, so that lower ones are not tried again. */
  const numbers = new Map<string, number>();
  return trimmed.map((cell, index) => {
    const base = cell === '' ? `column ${index + 1}` : cell;
    let number = numbers.get(base) ?? 2;
    let name = base;
    for (; used.has(name) || (name !== cell && written.has(name)); number += 1) name = `${base} (${number})`;
    numbers.set(base, number);
    used.add(name);
    return name;
  });
}
